// A module that is loaded and unloaded.
#include <hip/hip_runtime.h>

extern "C" __global__ void bump(int *values, int amount) { values[threadIdx.x] += amount; }
