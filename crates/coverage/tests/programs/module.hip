// Loaded at run time with hipModuleLoad.
#include <hip/hip_runtime.h>

extern "C" __global__ void module_work(int *out, int lanes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lanes)
        out[i] = i;
}
