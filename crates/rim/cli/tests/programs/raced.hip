// Kernels whose waves race in LDS: ./raced NAME; NAME-ok is the twin without the bug.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <string>

__global__ void missing(int *out, bool ok) {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = t + 1;
  if (ok)
    __syncthreads();
  out[blockIdx.x * 128 + t] = tile[127 - t];
}

__global__ void same(int *out, bool ok) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0 || !ok)
    found = 7;
  __syncthreads();
  out[blockIdx.x * 128 + t] = found;
}

__global__ void counted(int *out, bool ok) {
  __shared__ int counts[16];
  int t = threadIdx.x;
  if (t < 16)
    counts[t] = 5;
  if (ok)
    __syncthreads();
  atomicAdd(&counts[t % 16], 1);
  __syncthreads();
  out[blockIdx.x * 128 + t] = counts[t % 16];
}

int main(int argc, char **argv) {
  std::string name = argc > 1 ? argv[1] : "";
  bool ok = name.size() > 3 && name.substr(name.size() - 3) == "-ok";
  if (ok)
    name.resize(name.size() - 3);
  auto kernel = name == "missing" ? missing : name == "same" ? same : counted;
  int *out;
  if (hipMalloc(&out, 1024) != hipSuccess)
    return 2;
  kernel<<<2, 128>>>(out, ok);
  if (hipDeviceSynchronize() != hipSuccess)
    return 3;
  std::puts("done");
  return 0;
}
