// Wave instructions of each source line, by what they are. The application needs -g.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all instruction_mix.hip -o instruction_mix.so
//   luthier run -t ./instruction_mix.so -- ./app
#include <luthier.h>

#include <map>

MARK_LUTHIER_DEVICE_MODULE

constexpr unsigned Most = 16384;
__managed__ unsigned long counts[Most];
// By line and kind: a counter.
static std::map<std::pair<std::string, std::string>, unsigned> counters;

extern "C" __device__ void count(unsigned counter) { luthier::add((luthier_u64 *)&counts[counter], 1); }
LUTHIER_EXPORT_FUNC(count)

static const char *kind(const Instr &instruction) {
  return instruction.is(LUTHIER_CLASS_LDS)                                                                      ? "lds"
         : instruction.reads_or_writes_memory()                                                                 ? "memory"
         : instruction.is(LUTHIER_CLASS_MATRIX)                                                                 ? "matrix"
         : instruction.is(LUTHIER_CLASS_VALU)                                                                   ? "vector"
         : instruction.is(LUTHIER_CLASS_BRANCH | LUTHIER_CLASS_CALL | LUTHIER_CLASS_RETURN | LUTHIER_CLASS_END) ? "control"
         : instruction.is(LUTHIER_CLASS_WAIT | LUTHIER_CLASS_BARRIER)                                           ? "wait"
                                                                                                                : "scalar";
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object)) {
    std::string line = instruction.file.substr(instruction.file.rfind('/') + 1) + ":" + std::to_string(instruction.line);
    unsigned counter = counters.emplace(std::make_pair(line, kind(instruction)), counters.size()).first->second;
    if (counter < Most)
      luthier_insert_once(instruction, LUTHIER_GET_HOOK_HANDLE(count), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_CONSTANT, 0, counter}});
  }
  luthier_override_with_instrumented(packet);
}

void luthier_at_term() {
  for (const auto &[what, counter] : counters)
    if (counter < Most && counts[counter] != 0)
      luthier_report(what.first + " " + what.second + " " + std::to_string(counts[counter]));
}
