// A library with a kernel.
#include <hip/hip_runtime.h>
__global__ void halve(int *value) { *value /= 2; }
extern "C" void half(int *value) { halve<<<1, 1>>>(value); }
