// When waves came to which block, as a timeline for Perfetto (ui.perfetto.dev): a track for each wave.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all block_latency.hip -o block_latency.so
//   luthier run -t ./block_latency.so:file=blocks.json -- ./app
#include <luthier.h>

#include <map>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "a timeline of basic blocks"
parameter = [{ name = "file", default = "blocks.json", help = "where the timeline goes" }]
stream = [{ ring = "visits", fields = ["time:u64", "dispatch:u64", "workgroup:u32", "wave:u32", "block:u32", "unused:u32"], file = "visits.parquet" }]
)")

struct visit {
  luthier_u64 time, dispatch;
  luthier_u32 workgroup, wave, block, unused;
};
LUTHIER_GLOBAL luthier::ring visits;
static std::map<std::pair<luthier_u64, luthier_u64>, std::vector<visit>> waves;

extern "C" __device__ void enter(unsigned block, unsigned item) {
  if (!luthier::elected())
    return;
  visit one = {__builtin_readcyclecounter(), luthier::dispatch_id(), luthier::workgroup_id_x(), item / 64, block, 0};
  luthier::emit(&visits, one);
}
LUTHIER_EXPORT_FUNC(enter)

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &block : luthier_blocks(packet->kernel_object))
    luthier_insert_call_at_block(block, LUTHIER_GET_HOOK_HANDLE(enter),
                                 {{LUTHIER_ARG_CONSTANT, 0, block.index}, {LUTHIER_ARG_WORKITEM_ID, 0, 0}});
  luthier_override_with_instrumented(packet);
}

bool luthier_at_records(const char *, const void *records, size_t bytes) {
  for (const visit *one = (const visit *)records, *end = one + bytes / sizeof(visit); one != end; ++one)
    waves[{one->dispatch, (luthier_u64)one->workgroup << 32 | one->wave}].push_back(*one);
  return true;
}

void luthier_at_term() {
  FILE *file = fopen(luthier_option("file").c_str(), "w");
  const char *before = "[";
  for (const auto &wave : waves)
    for (size_t at = 0; at + 1 < wave.second.size(); ++at, before = ",\n")
      fprintf(file, "%s{\"ph\":\"X\",\"name\":\"block %u\",\"pid\":%lu,\"tid\":%lu,\"ts\":%lu,\"dur\":%lu}", before, wave.second[at].block,
              wave.first.first, wave.first.second, wave.second[at].time, wave.second[at + 1].time - wave.second[at].time);
  fprintf(file, "%s]\n", *before == '[' ? "[" : "");
  fclose(file);
}
