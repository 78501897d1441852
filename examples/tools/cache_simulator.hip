// Hits and misses of a direct-mapped cache, by the addresses that lanes access in the order in which their records come.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all cache_simulator.hip -o cache_simulator.so
//   luthier run -t ./cache_simulator.so:lines=512,bytes=64 -- ./app
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "simulates a direct-mapped cache"
parameter = [
  { name = "lines", type = "u64", default = 256, help = "lines of the cache" },
  { name = "bytes", type = "u64", default = 64, help = "bytes of a line" },
]
stream = [{ ring = "accesses", fields = ["address:u64"], file = "accesses.parquet" }]
)")

LUTHIER_GLOBAL luthier::ring accesses;
static std::vector<unsigned long> lines;
static unsigned long bytes, hits, misses;

extern "C" __device__ void look(unsigned long address) { luthier::emit(&accesses, address); }
LUTHIER_EXPORT_FUNC(look)

void luthier_at_init() {
  lines.assign(luthier_option_number("lines"), ~0ul);
  bytes = luthier_option_number("bytes");
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object))
    if (instruction.mnemonic.rfind("global_", 0) == 0 && instruction.reads_or_writes_memory())
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(look), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_ADDRESS, 0, 0}});
  luthier_override_with_instrumented(packet);
}

bool luthier_at_records(const char *, const void *records, size_t size) {
  for (const unsigned long *address = (const unsigned long *)records, *end = address + size / 8; address != end; ++address) {
    unsigned long block = *address / bytes, &line = lines[block % lines.size()];
    ++(line == block ? hits : misses);
    line = block;
  }
  return true;
}

void luthier_at_term() { luthier_report(std::to_string(hits) + " hits, " + std::to_string(misses) + " misses"); }
