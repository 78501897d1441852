// Counts the instructions of every lane, the long way: a hook behind every instruction. See include/luthier.h.
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE

__managed__ unsigned long GlobalCounter = 0;

__device__ __noinline__ extern "C" void instrumentation_kernel() { atomicAdd(&GlobalCounter, 1ul); }

LUTHIER_EXPORT_FUNC(instrumentation_kernel)

static unsigned launches = 0;

static void instrument_kernel_launch(hsa_kernel_dispatch_packet_t *packet) {
  ++launches;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object))
    luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(instrumentation_kernel), LUTHIER_IPOINT_BEFORE);
  luthier_override_with_instrumented(packet);
}

void luthier_at_init() { fprintf(stderr, "Instruction counter tool is launching.\n"); }

void luthier_at_term() { fprintf(stderr, "Lane instructions in %u launches: %lu\n", launches, GlobalCounter); }

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t api_id) {
  if (phase == LUTHIER_API_PHASE_ENTER && api_id == HSA_EVT_ID_KERNEL_LAUNCH)
    instrument_kernel_launch(args->hsa_evt_kernel_launch.dispatch_packet);
}
