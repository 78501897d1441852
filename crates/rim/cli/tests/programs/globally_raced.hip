// Kernels whose workgroups access the same global memory in no order, and right twins.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h> // needs the one above

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

__global__ void grid(int *data, bool right) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  if (right)
    cooperative_groups::this_grid().sync();
  data[256 + i] = data[(i + 64) % 128];
}

int main(int, char **arguments) {
  const char *mode = arguments[1];
  bool right = std::strstr(mode, "-ok");
  int *data;
  if (hipMalloc(&data, 4096) != hipSuccess || hipMemset(data, 0, 4096) != hipSuccess)
    return 1;
  if (!std::strncmp(mode, "neighbours", 10))
    neighbours<<<2, 64>>>(data, right);
  else if (!std::strncmp(mode, "grid", 4)) {
    void *values[] = {&data, &right};
    if (hipLaunchCooperativeKernel(reinterpret_cast<void *>(grid), dim3(2), dim3(64), values, 0, nullptr) != hipSuccess)
      return 1;
  } else
    counter<<<4, 64>>>(data, right);
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  std::puts("done");
}
