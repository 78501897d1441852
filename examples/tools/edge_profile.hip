// How often control went from which block to which.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all edge_profile.hip -o edge_profile.so
//   luthier run -t ./edge_profile.so -- ./app
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE

constexpr unsigned Most = 16384;
__managed__ unsigned long counts[Most];
static std::vector<std::string> edges;

extern "C" __device__ void count(unsigned edge) { luthier::add((luthier_u64 *)&counts[edge], 1); }
LUTHIER_EXPORT_FUNC(count)

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  auto functions = luthier_functions(packet->kernel_object);
  for (const auto &block : luthier_blocks(packet->kernel_object))
    for (size_t to : block.successors) {
      if (edges.size() == Most)
        break;
      luthier_insert_call_on_edge(block, to, LUTHIER_GET_HOOK_HANDLE(count), {{LUTHIER_ARG_CONSTANT, 0, edges.size()}}, true);
      edges.push_back(functions[block.function].demangled + " " + std::to_string(block.index) + " > " + std::to_string(to));
    }
  luthier_override_with_instrumented(packet);
}

void luthier_at_term() {
  for (size_t edge = 0; edge < edges.size(); ++edge)
    luthier_report(edges[edge] + ": " + std::to_string(counts[edge]));
}
