// Kernels whose work-items do not all come to a barrier: ./barred NAME; NAME-ok is the twin without the bug.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <string>

__global__ void branches(int *out, bool ok) {
  __shared__ int shared[128];
  int t = threadIdx.x;
  if (ok) {
    shared[t] = t;
    __syncthreads();
    out[t] = shared[t ^ 1];
  } else if (t < 64) {
    shared[t] = t;
    __syncthreads();
    out[t] = shared[t ^ 1];
  } else {
    shared[t] = 2 * t;
    __syncthreads();
    out[t] = shared[t ^ 2] + 5;
  }
}

__global__ void lanes(int *out, bool ok) {
  __shared__ int shared[128];
  int t = threadIdx.x;
  shared[t] = t;
  if (ok)
    __syncthreads();
  if (t % 2 != 0) {
    shared[t] += 1;
    if (!ok)
      __syncthreads();
    out[t] = shared[t ^ 2];
  }
  __syncthreads();
  out[t] += shared[127 - t];
}

__global__ void returned(int *out, bool ok) {
  __shared__ int shared[128];
  int t = threadIdx.x;
  shared[t] = t;
  if (t >= 100 && !ok)
    return;
  __syncthreads();
  out[t] = shared[127 - t];
}

__global__ void one_line(int *out, bool ok) {
  __shared__ int shared[128];
  int t = threadIdx.x;
  shared[t] = t;
  if (ok) {
    // One barrier, of which the compiler makes two instructions.
#pragma unroll
    for (int turn = 0; turn < 2; turn++) {
      if (t / 64 == turn)
        __syncthreads();
      out[t] += turn;
    }
  } else {
    // clang-format off
    if (t < 64) __syncthreads(); else { out[t] = 1; __syncthreads(); }
    // clang-format on
  }
  out[t] += shared[t ^ 1];
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  bool ok = mode.size() > 3 && mode.substr(mode.size() - 3) == "-ok";
  if (ok)
    mode.resize(mode.size() - 3);
  int *out;
  if (hipMalloc(&out, 4 * 128) != hipSuccess)
    return 3;
  if (mode == "branches")
    branches<<<2, 128>>>(out, ok);
  else if (mode == "lanes")
    lanes<<<2, 128>>>(out, ok);
  else if (mode == "returned")
    returned<<<2, 128>>>(out, ok);
  else if (mode == "one-line")
    one_line<<<2, 128>>>(out, ok);
  else
    return 9;
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  printf("done\n");
}
