// Loaded at run time with hipModuleLoad, also under another name.
#include <hip/hip_runtime.h>

#ifndef MODULE_WORK
#define MODULE_WORK module_work
#endif

extern "C" __device__ int module_marker = 1;

extern "C" __global__ void MODULE_WORK(int *out, int lanes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lanes)
        out[i] = i;
}
