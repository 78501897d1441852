// What kernels are called with, by name and type, and when they ran.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all kernel_arguments.hip -o kernel_arguments.so
//   luthier run -t ./kernel_arguments.so -- ./app
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE

static std::string shown(hsa_kernel_dispatch_packet_t *packet, const luthier_parameter &parameter) {
  if (parameter.type == "float")
    return std::to_string(luthier_argument<float>(packet, parameter));
  if (parameter.type == "double")
    return std::to_string(luthier_argument<double>(packet, parameter));
  char text[32] = "?";
  if (parameter.size == 8)
    snprintf(text, sizeof text, parameter.is_pointer ? "%#lx" : "%ld", luthier_argument<long>(packet, parameter));
  if (parameter.size == 4)
    snprintf(text, sizeof text, "%d", luthier_argument<int>(packet, parameter));
  return text;
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  std::string line = "launch " + std::to_string(luthier_launch_of(packet).number) + ": " + args->hsa_evt_kernel_launch.kernel_name;
  for (const auto &parameter : luthier_parameters(packet->kernel_object))
    line += " " + parameter.type + " " + parameter.name + "=" + shown(packet, parameter);
  luthier_report(line);
}

void luthier_at_launch_end(luthier_u64 launch, luthier_u64 start, luthier_u64 end) {
  luthier_report("launch " + std::to_string(launch) + " ran for " + std::to_string(end - start) + " ns");
}
