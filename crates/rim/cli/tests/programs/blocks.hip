// Workgroups get memory from each other by `malloc` and `free` in kernels. "passed" hands a block on without any order.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void reuse(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int round = 0; round < 6; round++) {
    int *own = (int *)malloc(64);
    for (int k = 0; k < 16; k++)
      own[k] = i + k;
    for (int k = 0; k < 16; k++)
      sum += own[k];
    free(own);
  }
  out[i] = sum;
}

__global__ void pass(int **block, int *out) {
  if (blockIdx.x == 0) {
    int *own = (int *)malloc(64);
    own[3] = 7;
    __hip_atomic_store(block, own, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  } else {
    int *got;
    while (!(got = __hip_atomic_load(block, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)))
      ;
    *out = got[3];
    free(got);
  }
}

int main(int count, char **arguments) {
  int *out = nullptr, **block = nullptr, sums[512];
  if (hipMalloc(&out, sizeof sums) != hipSuccess || hipMalloc(&block, 8) != hipSuccess || hipMemset(block, 0, 8) != hipSuccess)
    return 4;
  if (count > 1 && !strcmp(arguments[1], "passed")) {
    pass<<<2, 1>>>(block, out);
    if (hipDeviceSynchronize() != hipSuccess)
      return 3;
    puts("done");
    return 0;
  }
  reuse<<<8, 64>>>(out);
  if (hipMemcpy(sums, out, sizeof sums, hipMemcpyDeviceToHost) != hipSuccess)
    return 3;
  for (int i = 0; i < 512; i++)
    if (sums[i] != 6 * (16 * i + 120))
      return 2;
  puts("done");
}
