// Launches a kernel and says what came of it. With an argument, no file may have more bytes than that once the runtime is ready.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

__global__ void add(int *values, int amount) { values[threadIdx.x] += amount; }

#define TRY(call)                                      \
  do {                                                 \
    hipError_t error = call;                           \
    if (error != hipSuccess) {                         \
      printf("error: %s\n", hipGetErrorString(error)); \
      return 3;                                        \
    }                                                  \
  } while (0)

int main(int count, char **arguments) {
  int *values, first = 0;
  TRY(hipMalloc(&values, 256));
  TRY(hipMemset(values, 0, 256));
  TRY(hipDeviceSynchronize());
  if (count > 1) {
    rlim_t bytes = atol(arguments[1]);
    rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
      return 5;
  }
  for (int round = 0; round < 5; round++)
    add<<<1, 64>>>(values, 2);
  TRY(hipGetLastError());
  TRY(hipMemcpy(&first, values, 4, hipMemcpyDeviceToHost));
  printf("%d\n", first);
  return first == 10 ? 0 : 4;
}
