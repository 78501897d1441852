// Wave instructions by mnemonic: one counter for each, whose address is a constant of the hooks.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all opcode_histogram.hip -o opcode_histogram.so
//   luthier run -t ./opcode_histogram.so -- ./app
#include <luthier.h>

#include <algorithm>
#include <map>

MARK_LUTHIER_DEVICE_MODULE

constexpr size_t Most = 4096;
static unsigned long *counters = nullptr;
static std::map<std::string, size_t> numbers;

extern "C" __device__ void count(unsigned long *counter) { luthier::count_wave(counter, 1); }
LUTHIER_EXPORT_FUNC(count)

void luthier_at_init() {
  if (hipMalloc((void **)&counters, Most * sizeof(*counters)) != hipSuccess)
    throw luthier_error("no memory for the counters");
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object)) {
    size_t number = numbers.emplace(instruction.mnemonic, numbers.size()).first->second;
    luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(count), LUTHIER_IPOINT_BEFORE,
                        {{LUTHIER_ARG_CONSTANT, 0, (luthier_u64)&counters[number]}});
  }
  luthier_override_with_instrumented(packet);
}

void luthier_at_term() {
  std::vector<unsigned long> counts(Most);
  if (hipMemcpy(counts.data(), counters, Most * sizeof(*counters), hipMemcpyDeviceToHost) != hipSuccess)
    throw luthier_error("the counters cannot be read");
  std::vector<std::pair<unsigned long, std::string>> rows;
  for (const auto &[mnemonic, number] : numbers)
    rows.push_back({counts[number], mnemonic});
  std::sort(rows.rbegin(), rows.rend());
  for (const auto &[count, mnemonic] : rows)
    fprintf(stderr, "opcode_histogram: %10lu  %s\n", count, mnemonic.c_str());
}
