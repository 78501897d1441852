// A kernel that never ends, until somebody loses patience.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void forever(volatile int *values) {
  while (values[threadIdx.x] == 0)
    ;
}

int main() {
  int *values;
  if (hipMalloc(&values, 256) != hipSuccess)
    return 90;
  (void)hipMemset(values, 0, 256);
  (void)hipDeviceSynchronize();
  printf("begins\n");
  fflush(stdout);
  forever<<<2, 64>>>(values);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 5;
}
