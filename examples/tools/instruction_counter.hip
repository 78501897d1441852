// The example of the document that started Luthier, with the corrections that docs/tools/recipes.md lists.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all instruction_counter.hip -o instruction_counter.so
//   luthier run -t ./instruction_counter.so -- ./app
#include <luthier.h>
#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>

MARK_LUTHIER_DEVICE_MODULE

__managed__ int GlobalCounter = 0;

__device__ __noinline__ extern "C" void instrumentation_kernel() { atomicAdd(&GlobalCounter, 1); }

LUTHIER_EXPORT_FUNC(instrumentation_kernel)

void instrumentKernelLaunchCallback(hsa_kernel_dispatch_packet_t *packet) {
  if (not luthier_is_instrumented(packet->kernel_object)) {
    std::vector<Instr> instrVec = luthier_disassemble_kernel_object(packet->kernel_object);
    for (const auto &instr : instrVec) {
      luthier_insert_call(instr, LUTHIER_GET_HOOK_HANDLE(instrumentation_kernel), LUTHIER_IPOINT_BEFORE);
    }
    luthier_override_with_instrumented(packet);
  }
}

void luthier_at_init() { fprintf(stdout, "Instruction Counter Tool is launching.\n"); }

void luthier_at_term() {
  fprintf(stdout, "Number of instructions executed: %d\n", GlobalCounter);
  fprintf(stdout, "Instruction Counter Tool is terminating!\n");
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t api_id) {
  if (phase == LUTHIER_API_PHASE_ENTER) {
    if (api_id == HSA_EVT_ID_KERNEL_LAUNCH) {
      fprintf(stdout, "<Intercepted kernel launch.\n");
      instrumentKernelLaunchCallback(args->hsa_evt_kernel_launch.dispatch_packet);
    }
  }
}

void atHipEvt(void *args, luthier_api_phase_t phase, int hip_api_id) {}
