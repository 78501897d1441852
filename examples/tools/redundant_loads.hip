// Loads that got what was loaded from the same address before: how many dwords, by instruction.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all redundant_loads.hip -o redundant_loads.so
//   luthier run -t ./redundant_loads.so -- ./app
#include <luthier.h>

#include <map>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "finds loads of values that were loaded before"
stream = [{ ring = "loads", fields = ["address:u64", "place:u32", "value:u32"], file = "loads.parquet" }]
)")

struct load {
  luthier_u64 address;
  luthier_u32 place, value;
};
LUTHIER_GLOBAL luthier::ring loads;
static std::map<luthier_u64, luthier_u32> known;
static std::vector<std::string> places;
static std::map<unsigned, std::pair<unsigned long, unsigned long>> counts;

extern "C" __device__ void look(unsigned long address, unsigned place, unsigned value) {
  luthier::emit(&loads, load{address, place, value});
}
LUTHIER_EXPORT_FUNC(look)

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object)) {
    if (instruction.mnemonic != "global_load_dword")
      continue;
    luthier_insert_call(
        instruction, LUTHIER_GET_HOOK_HANDLE(look), LUTHIER_IPOINT_AFTER,
        {{LUTHIER_ARG_ADDRESS, 0, 0}, {LUTHIER_ARG_CONSTANT, 0, places.size()}, {LUTHIER_ARG_VGPR, 0, instruction.operands()[0].first}});
    places.push_back(std::string(args->hsa_evt_kernel_launch.kernel_name) + ": " + instruction.text);
  }
  luthier_override_with_instrumented(packet);
}

bool luthier_at_records(const char *, const void *records, size_t bytes) {
  for (const load *one = (const load *)records, *end = one + bytes / sizeof(load); one != end; ++one) {
    auto found = known.emplace(one->address, one->value);
    ++counts[one->place].first;
    counts[one->place].second += !found.second && found.first->second == one->value;
    found.first->second = one->value;
  }
  return true;
}

void luthier_at_term() {
  for (const auto &row : counts)
    luthier_report(std::to_string(row.second.second) + " of " + std::to_string(row.second.first) + " redundant: " + places[row.first]);
}
