// Waves that race in LDS, in a process that then goes on with the program that the arguments name.
#include <hip/hip_runtime.h>
#include <unistd.h>

__global__ void before(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

int main(int, char **argv) {
  int *out;
  if (hipMalloc(&out, 512) != hipSuccess)
    return 2;
  before<<<1, 128>>>(out);
  if (hipDeviceSynchronize() != hipSuccess || hipFree(out) != hipSuccess)
    return 3;
  execv(argv[1], argv + 1);
  return 4;
}
