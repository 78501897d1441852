// Memory that kernels allocate themselves: ./heap NAME; NAME-ok is the twin without the bug.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <string>

__device__ int table[10] = {1};

__global__ void end(int *out, bool ok) {
  int t = threadIdx.x;
  char *block = (char *)malloc(16 + t);
  if (!block)
    return;
  for (int i = 0; i < 16 + t; i++)
    block[i] = i;
  if (t == 3)
    ((volatile char *)block)[ok ? 18 : 19] = 5;
  out[t] = block[t % 16];
  free(block);
}

__global__ void freed(int *out, bool ok) {
  int *block = (int *)malloc(24);
  if (!block)
    return;
  block[0] = 3;
  if (!ok)
    free(block);
  ((volatile int *)block)[2] = 4;
  out[0] = block[0];
  if (ok)
    free(block);
}

__global__ void made(int *out, bool ok) {
  int *block = new int[5];
  if (!block)
    return;
  ((volatile int *)block)[ok ? 4 : 5] = 4;
  out[0] = block[0];
  delete[] block;
}

__global__ void far(bool ok) { ((volatile int *)table)[ok ? 9 : 2000] = 3; }

// Legal: blocks of all sizes, which other kernels use and free.
__global__ void make(char **blocks, size_t largest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  size_t size = 1 + i * largest / (gridDim.x * blockDim.x);
  blocks[i] = i % 7 == 0 ? nullptr : (char *)malloc(size);
  if (blocks[i])
    blocks[i][size - 1] = blocks[i][0] = i;
}

__global__ void take(char **blocks, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blocks[i])
    out[i] = blocks[i][0];
  free(blocks[i]);
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  bool ok = mode.size() > 3 && mode.substr(mode.size() - 3) == "-ok";
  if (ok)
    mode.resize(mode.size() - 3);
  int *out;
  char **blocks;
  if (hipMalloc(&out, 4 * 256) != hipSuccess || hipMalloc(&blocks, 8 * 256) != hipSuccess)
    return 3;
  if (mode == "end")
    end<<<1, 64>>>(out, ok);
  else if (mode == "freed")
    freed<<<1, 1>>>(out, ok);
  else if (mode == "made")
    made<<<1, 1>>>(out, ok);
  else if (mode == "far")
    far<<<1, 1>>>(ok);
  else if (mode == "legal")
    for (size_t largest : {20, 3000, 20, 50000}) {
      make<<<2, 128>>>(blocks, largest);
      take<<<2, 128>>>(blocks, out);
    }
  else
    return 9;
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  printf("done\n");
}
