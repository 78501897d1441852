// The values that chosen instructions leave in vector registers, lane by lane, as rows of a Parquet file.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all record_registers.hip -o record_registers.so
//   luthier run -t ./record_registers.so:opcode=v_add_f32 --output out -- ./app        # out/registers.PID.parquet
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "records values of vector registers"
parameter = [{ name = "opcode", default = "v_*", help = "beginning of the mnemonic, with * for any rest" }]
stream = [{ ring = "values", file = "registers.parquet",
            fields = ["pc:u64", "dispatch:u64", "workgroup:u32", "lane:u32", "register:u32", "value:u32"] }]
)")

struct row {
  luthier_u64 pc, dispatch;
  luthier_u32 workgroup, lane, number, value;
};
LUTHIER_GLOBAL luthier::ring values;

extern "C" __device__ void record(unsigned number, unsigned value) {
  row one = {luthier::pc(), luthier::dispatch_id(), luthier::workgroup_id_x(), luthier::lane(), number, value};
  luthier::emit(&values, one);
}
LUTHIER_EXPORT_FUNC(record)

static bool chosen(const std::string &mnemonic) {
  std::string opcode = luthier_option("opcode");
  return opcode.back() == '*' ? mnemonic.rfind(opcode.substr(0, opcode.size() - 1), 0) == 0 : mnemonic == opcode;
}

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object))
    for (const auto &operand : instruction.operands())
      if (chosen(instruction.mnemonic) && operand.kind == LUTHIER_OPERAND_DEF && operand.file == LUTHIER_REGISTER_VGPR)
        for (unsigned dword = 0; dword < operand.dwords; ++dword)
          luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(record), LUTHIER_IPOINT_AFTER,
                              {{LUTHIER_ARG_CONSTANT, 0, operand.first + dword}, {LUTHIER_ARG_VGPR, 0, operand.first + dword}});
  luthier_override_with_instrumented(packet);
}
