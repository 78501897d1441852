// Every memory access of every wave: a line with the launch, workgroup, wave, opcode, and the address of each active lane. What
// NVBit's sample of this name prints.
//
//   hipcc -I"$(luthier tool include)" --offload-arch=gfx90a -fPIC -shared -Xclang -fembed-bitcode=all mem_trace.hip -o mem_trace.so
//   luthier run -t ./mem_trace.so:begin=0,end=100 -- ./app
#include <luthier.h>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "prints the address of every memory access"
parameter = [{ name = "begin", type = "u64", default = 0, help = "first instruction of each kernel that is traced" },
             { name = "end", type = "u64", default = 4294967295, help = "the one behind the last" }]
stream = [{ ring = "accesses", bytes = 552 }]
)")

struct memory_access {
  luthier_u64 launch, opcode; // Address of a text on the host.
  unsigned x, y, z, wave;
};
typedef luthier::of_wave<memory_access, luthier_u64> traced;
static_assert(sizeof(traced) == 552, "as the stream says");
LUTHIER_GLOBAL luthier::ring accesses;

extern "C" __device__ void trace(luthier_u64 opcode, luthier_u64 address) {
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  memory_access one = {luthier::dispatch_id(), opcode, blockIdx.x, blockIdx.y, blockIdx.z, thread / warpSize};
  luthier::emit_wave(&accesses, one, address);
}
LUTHIER_EXPORT_FUNC(trace)

void luthier_at_kernel(luthier_u64 kernel_object) {
  size_t begin = luthier_option_number("begin"), end = luthier_option_number("end");
  for (const auto &instruction : luthier_disassemble_kernel_object(kernel_object)) {
    bool by_lane = instruction.reads_or_writes_memory() && !instruction.is(LUTHIER_CLASS_SMEM);
    luthier_u64 opcode = (luthier_u64)luthier_kept_text(instruction.mnemonic);
    if (by_lane && instruction.index >= begin && instruction.index < end)
      luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(trace), LUTHIER_IPOINT_BEFORE,
                          {{LUTHIER_ARG_CONSTANT, 0, opcode}, {LUTHIER_ARG_ADDRESS, 0, 0}});
  }
}

bool luthier_at_records(const char *, const void *records, size_t bytes) {
  const traced *first = (const traced *)records;
  for (const traced *one = first; one != first + bytes / sizeof *one; ++one) {
    const memory_access &wave = one->wave;
    printf("launch %lu - workgroup %u,%u,%u - wave %u - %s -", (unsigned long)wave.launch, wave.x, wave.y, wave.z, wave.wave,
           (const char *)wave.opcode);
    for (int lane = 0; lane < 64; ++lane)
      if (one->lanes >> lane & 1)
        printf(" %#lx", (unsigned long)one->values[lane]);
    printf("\n");
  }
  return true;
}
