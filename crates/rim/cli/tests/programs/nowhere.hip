// Half of the lanes shall access no LDS. Tensile's kernels give them address 0xF00000 for that; any other one is a mistake.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <string>

// No other variable is in LDS, so its address is zero.
__global__ void masked(int *out, unsigned nowhere, bool stores) {
  __shared__ int own[66];
  own[threadIdx.x] = 1;
  __syncthreads();
  unsigned address = threadIdx.x < 32 ? 4 * threadIdx.x : nowhere;
  int value, number = threadIdx.x + 7;
  if (stores)
    asm volatile("ds_write_b32 %0, %1 offset:8" : : "v"(address), "v"(number) : "memory");
  asm volatile("ds_read_b32 %0, %1 offset:8\n\ts_waitcnt lgkmcnt(0)" : "=v"(value) : "v"(address) : "memory");
  out[threadIdx.x] = value + own[0] - 1;
}

int main(int, char **arguments) {
  bool right = std::string(arguments[1]) == "lds-ok";
  int *out, values[64];
  if (hipMalloc(&out, sizeof values) != hipSuccess)
    return 1;
  masked<<<1, 64>>>(out, right ? 0xF00000 : 0xE00000, right);
  if (hipMemcpy(values, out, sizeof values, hipMemcpyDeviceToHost) == hipSuccess && right)
    for (int i = 0; i < 64; i++)
      if (values[i] != (i < 32 ? i + 7 : 0))
        return 2;
  std::puts("done");
}
