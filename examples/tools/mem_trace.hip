// Every memory access of every wave: a line with the launch, workgroup, wave, opcode, and the address of each active lane. What
// NVBit's sample of this name prints.
//
//   hipcc -fPIC -shared -Xclang -fembed-bitcode=all mem_trace.hip -o mem_trace.so
//   luthier run -t ./mem_trace.so:begin=0,end=100 -- ./app
#include <luthier.h>

#include <map>
#include <mutex>

MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(
about = "prints the address of every memory access"
parameter = [{ name = "begin", type = "u64", default = 0, help = "first instruction of each kernel that is traced" },
             { name = "end", type = "u64", default = 4294967295, help = "the one behind the last" }]
stream = [{ ring = "accesses", file = "accesses.parquet",
            fields = ["address:u64", "launch:u64", "x:u32", "y:u32", "z:u32", "wave:u32", "lane:u32", "opcode:u32"] }]
)")

struct access_record {
  luthier_u64 address, launch;
  luthier_u32 x, y, z, wave, lane, opcode;
};
LUTHIER_GLOBAL luthier::ring accesses;

extern "C" __device__ void trace(unsigned opcode, unsigned long address) {
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  access_record one = {address,   luthier::dispatch_id(), (unsigned)blockIdx.x, (unsigned)blockIdx.y, (unsigned)blockIdx.z,
                       thread / warpSize, luthier::lane(), opcode};
  luthier::emit(&accesses, one);
}
LUTHIER_EXPORT_FUNC(trace)

// Records come on another thread than launches.
static std::mutex lock;
static std::map<std::string, unsigned> opcodes;
static std::map<unsigned, std::string> names;

void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  if (id != HSA_EVT_ID_KERNEL_LAUNCH)
    return;
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  std::lock_guard<std::mutex> guard(lock);
  size_t begin = luthier_option_number("begin"), end = luthier_option_number("end");
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object)) {
    bool by_lane = instruction.reads_or_writes_memory() && !instruction.is(LUTHIER_CLASS_SMEM);
    if (!by_lane || instruction.index < begin || instruction.index >= end)
      continue;
    unsigned opcode = opcodes.emplace(instruction.mnemonic, opcodes.size()).first->second;
    names[opcode] = instruction.mnemonic;
    luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(trace), LUTHIER_IPOINT_BEFORE,
                        {{LUTHIER_ARG_CONSTANT, 0, opcode}, {LUTHIER_ARG_ADDRESS, 0, 0}});
  }
  luthier_override_with_instrumented(packet);
}

// The lanes of a wave come one after another.
bool luthier_at_records(const char *, const void *records, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock);
  static access_record last = {};
  static bool open = false;
  auto same = [](const access_record &a, const access_record &b) {
    return a.launch == b.launch && a.x == b.x && a.y == b.y && a.z == b.z && a.wave == b.wave && a.opcode == b.opcode;
  };
  for (auto *one = (const access_record *)records, *end = one + bytes / sizeof *one; one != end; ++one) {
    if (!open || !same(last, *one) || one->lane <= last.lane)
      printf("%slaunch %lu - workgroup %u,%u,%u - wave %u - %s -", open ? "\n" : "", (unsigned long)one->launch, one->x, one->y,
             one->z, one->wave, names[one->opcode].c_str());
    printf(" %#lx", (unsigned long)one->address);
    last = *one;
    open = true;
  }
  return true;
}

void luthier_at_term() { printf("\n"); }
