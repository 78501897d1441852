// A kernel that never ends, until the user loses patience.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void forever(volatile int *values, volatile int *begun) {
  *begun = 1;
  while (values[threadIdx.x] == 0)
    ;
}

int main() {
  int *values;
  volatile int *begun;
  if (hipMalloc(&values, 256) != hipSuccess || hipHostMalloc((void **)&begun, sizeof(int)) != hipSuccess)
    return 90;
  (void)hipMemset(values, 0, 256);
  (void)hipDeviceSynchronize();
  *begun = 0;
  forever<<<2, 64>>>(values, begun);
  // HIP submits a launch at the latest when the program asks for its state.
  while (!*begun)
    (void)hipStreamQuery(0);
  printf("begins\n");
  fflush(stdout);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 5;
}
