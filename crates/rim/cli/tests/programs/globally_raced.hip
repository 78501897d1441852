// Kernels whose workgroups access the same global memory in no order, and right twins.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void neighbours(int *data, bool apart) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  int other = (i + 64) % 128 + (apart ? 128 : 0);
  data[256 + i] = data[other];
}

__global__ void counter(int *data, bool right) {
  if (threadIdx.x == 0) {
    if (right)
      atomicAdd(data, 1);
    else
      data[0] = blockIdx.x + 1;
  }
}

int main(int, char **arguments) {
  const char *mode = arguments[1];
  bool right = std::strstr(mode, "-ok");
  int *data;
  if (hipMalloc(&data, 4096) != hipSuccess || hipMemset(data, 0, 4096) != hipSuccess)
    return 1;
  if (!std::strncmp(mode, "neighbours", 10))
    neighbours<<<2, 64>>>(data, right);
  else
    counter<<<4, 64>>>(data, right);
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  std::puts("done");
}
