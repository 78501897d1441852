// Launches a kernel and says what came of it.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void add(int *values, int amount) { values[threadIdx.x] += amount; }

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    hipError_t error = call;                                                                                           \
    if (error != hipSuccess) {                                                                                         \
      printf("error: %s\n", hipGetErrorString(error));                                                                 \
      return 3;                                                                                                        \
    }                                                                                                                  \
  } while (0)

int main() {
  int *values, first = 0;
  TRY(hipMalloc(&values, 256));
  TRY(hipMemset(values, 0, 256));
  for (int round = 0; round < 5; round++)
    add<<<1, 64>>>(values, 2);
  TRY(hipGetLastError());
  TRY(hipMemcpy(&first, values, 4, hipMemcpyDeviceToHost));
  printf("%d\n", first);
  return first == 10 ? 0 : 4;
}
