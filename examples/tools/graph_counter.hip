// Wave instructions of every kernel, and how much of them graphs launched: launches of a graph's nodes are launches as any other.
// What NVBit's sample for graphs prints.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all graph_counter.hip -o graph_counter.so
//   luthier run -t ./graph_counter.so --output out -- ./app          # also out/graph_counter.PID.json
#include <luthier.h>

#include <atomic>

MARK_LUTHIER_DEVICE_MODULE

static std::atomic<unsigned long> graphs, kernels;

LUTHIER_WRAP_HIP(hipError_t, hipGraphLaunch, hipGraphExec_t graph, hipStream_t stream) {
  ++graphs;
  return original(graph, stream);
}

// One counter a kernel, which every block adds its instructions to.
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  ++kernels;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &block : luthier_blocks(packet->kernel_object))
    luthier_count_block(block, 0, block.chosen);
  luthier_override_with_instrumented(packet);
}

void luthier_at_term() {
  unsigned long total = 0;
  std::string rows;
  for (const auto &kernel : luthier_all_counted()) {
    unsigned long count = kernel.counters[0];
    total += count;
    luthier_report(std::to_string(kernel.launches) + " launches, " + std::to_string(count) + " wave instructions of " + kernel.demangled);
    rows += (rows.empty() ? "" : ", ") + ("{\"kernel\": \"" + kernel.kernel) + "\", \"launches\": " + std::to_string(kernel.launches) +
            ", \"wave_instructions\": " + std::to_string(count) + "}";
  }
  luthier_report(std::to_string(kernels) + " launches, " + std::to_string(graphs) + " of graphs; " + std::to_string(total) +
                 " wave instructions");
  luthier_report_json("{\"graphs\": " + std::to_string(graphs) + ", \"kernels\": [" + rows + "]}");
}
