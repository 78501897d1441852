// Flips one bit of what chosen instructions leave in a vector register, in one lane of every wave.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all fault_injector.hip -o fault_injector.so
//   luthier run -t ./fault_injector.so:opcode=v_add_f32,bit=22,lane=5 -- ./app
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "flips a bit of results"
parameter = [
  { name = "opcode", default = "v_add_f32", help = "mnemonic of the instructions" },
  { name = "bit", type = "u32", default = 0, help = "number of the bit" },
  { name = "lane", type = "u32", default = 0, help = "number of the lane" },
]
hooks = { flip = ["vector-reference", "scalar", "scalar"] }
)")

__device__ unsigned long flips;

extern "C" __device__ void flip(unsigned &result, unsigned mask, unsigned lane) {
  if (luthier::lane() != lane)
    return;
  result ^= mask;
  atomicAdd(&flips, 1ul);
}
LUTHIER_EXPORT_FUNC(flip)

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object)) {
    auto operands = instruction.operands();
    if (instruction.mnemonic != luthier_option("opcode") || operands[0].file != LUTHIER_REGISTER_VGPR)
      continue;
    luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(flip), LUTHIER_IPOINT_AFTER,
                        {{LUTHIER_ARG_VGPR, 0, operands[0].first},
                         {LUTHIER_ARG_CONSTANT, 0, 1ul << luthier_option_number("bit")},
                         {LUTHIER_ARG_CONSTANT, 0, luthier_option_number("lane")}});
  }
  luthier_override_with_instrumented(packet);
}

void luthier_at_term() { luthier_report(std::to_string(luthier_copy_from_variable(flips)) + " results changed"); }
