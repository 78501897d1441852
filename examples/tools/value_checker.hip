// Prints from inside of kernels, with HIP's own printf: which lanes store numbers below zero.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all value_checker.hip -o value_checker.so
//   luthier run -t ./value_checker.so -- ./app
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE

extern "C" __device__ void check(unsigned long address, unsigned bits) {
  float value = __uint_as_float(bits);
  if (value < 0)
    printf("block %u, thread %u stores %.2f to %p\n", (unsigned)blockIdx.x, (unsigned)threadIdx.x, value, (void *)address);
}
LUTHIER_EXPORT_FUNC(check)

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object)) {
    if (instruction.mnemonic != "global_store_dword")
      continue;
    for (const auto &operand : instruction.operands())
      if (operand.kind == LUTHIER_OPERAND_USE && operand.file == LUTHIER_REGISTER_VGPR && operand.dwords == 1) {
        luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(check), LUTHIER_IPOINT_BEFORE,
                            {{LUTHIER_ARG_ADDRESS, 0, 0}, {LUTHIER_ARG_VGPR, 0, operand.first}});
      }
  }
  luthier_override_with_instrumented(packet);
}
