// Instructions whose 32-bit float results were not numbers, with how many lanes had one.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all nan_tracer.hip -o nan_tracer.so
//   luthier run -t ./nan_tracer.so -- ./app
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE

constexpr unsigned Most = 65536;
__managed__ unsigned lanes[Most];
static std::vector<std::string> places;

extern "C" __device__ void look(unsigned result, unsigned place) {
  if ((result & 0x7fffffff) > 0x7f800000)
    atomicAdd(&lanes[place], 1u);
}
LUTHIER_EXPORT_FUNC(look)

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto launch = args->hsa_evt_kernel_launch;
  if (luthier_is_instrumented(launch.dispatch_packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(launch.dispatch_packet->kernel_object)) {
    unsigned result = 0;
    bool of_floats = instruction.mnemonic[0] == 'v' && instruction.mnemonic.find("_f32") == instruction.mnemonic.size() - 4;
    if (!of_floats || sscanf(instruction.text.c_str(), "%*s v%u,", &result) != 1 || places.size() == Most)
      continue;
    luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(look), LUTHIER_IPOINT_AFTER,
                        {{LUTHIER_ARG_VGPR, 0, result}, {LUTHIER_ARG_CONSTANT, 0, places.size()}});
    places.push_back(std::string(launch.kernel_name) + ": " + instruction.text);
  }
  luthier_override_with_instrumented(launch.dispatch_packet);
}

void luthier_at_term() {
  for (size_t place = 0; place < places.size(); ++place)
    if (lanes[place] != 0)
      fprintf(stderr, "nan_tracer: %8u lanes  %s\n", lanes[place], places[place].c_str());
}
