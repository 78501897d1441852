// What LLVM 23 makes of a kernel with two counters, written by hand: calls of the device runtime with uniform counters, a
// record of 72 bytes, names, and the version word. The section headers, bounds table and records are what the drain sees.
#include <hip/hip_runtime.h>

#include <cstdio>

#define SECTION(name) __device__ __attribute__((used, retain, visibility("protected"), section(name)))

extern "C" {
SECTION("__llvm_prf_cnts") unsigned long long later_counters[2] = {0, 0};
SECTION("__llvm_prf_ucnts") unsigned long long later_uniform[2] = {0, 0};
extern __device__ const unsigned long long __llvm_profile_raw_version;
__device__ __attribute__((used, retain, visibility("protected"))) const unsigned long long __llvm_profile_raw_version = 11;
}

__device__ void counted(int at) {
    if (__llvm_profile_sampling_gpu(3))
        __llvm_profile_instrument_gpu(&later_counters[at], &later_uniform[at], 1);
}

#define STRING(text) #text
#define QUOTED(text) STRING(text)

extern "C" __global__ void later_work(int *out, int lanes) {
    // Here because only an assembler can subtract addresses; it leaves no instruction.
    asm volatile(".pushsection __llvm_prf_data,\"aw\",@progbits\n"
                 ".p2align 3\n"
                 "later_record:\n"
                 ".quad " QUOTED(NAME_REF) ", 24, later_counters - later_record, later_uniform - later_record, 0, 0, 0\n"
                                           ".long 2\n"
                                           ".short 0, 0, 0, " QUOTED(WAVE) "\n"
                                                                           ".long 0\n"
                                                                           ".popsection\n"
                                                                           ".pushsection __llvm_prf_names,\"a\",@progbits\n"
                                                                           ".byte 10, 0\n"
                                                                           ".ascii \"later_work\"\n"
                                                                           ".popsection");
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    counted(0);
    if (i < lanes) {
        counted(1);
        out[i] = i;
    }
}

int main() {
    int *out;
    if (hipMalloc(&out, 1024 * sizeof(int)) != hipSuccess)
        return 1;
    later_work<<<3, 64>>>(out, 74);
    return hipDeviceSynchronize() == hipSuccess ? 0 : 2;
}
