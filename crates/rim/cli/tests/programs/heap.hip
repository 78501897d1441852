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

// The right twin frees a second block.
__global__ void twice(size_t size, bool ok) {
  volatile char *block = (char *)malloc(size), *other = (char *)malloc(size);
  if (!block || !other)
    return;
  block[0] = other[0] = 1;
  free((void *)block);
  free(ok ? (void *)other : (void *)block);
}

__global__ void lanes(void **shared, bool ok) {
  int t = threadIdx.x;
  if (t == 0)
    shared[0] = malloc(24);
  __syncthreads();
  if (ok ? t == 5 : t == 5 || t == 9)
    free(shared[0]);
}

__global__ void inside(bool ok) {
  char *block = (char *)malloc(48);
  free(ok ? block : block + 16);
}

__global__ void foreign(void *block, bool ok) { free(ok ? nullptr : block); }

__global__ void local(int *out, bool ok) {
  int numbers[4];
  for (int i = 0; i < 4; i++)
    ((volatile int *)numbers)[i] = out[i];
  int *own = ok ? (int *)malloc(16) : numbers;
  free(own);
}

__global__ void deleted(bool ok) {
  int *block = new int[5];
  delete[] block;
  if (!ok)
    delete[] block;
}

// Memory so large that the host allocates it.
__global__ void large(int *out, bool ok) {
  volatile int *block = (int *)malloc(100000);
  if (!block)
    return;
  block[0] = 3;
  if (!ok)
    free((void *)block);
  block[2] = 4;
  out[0] = block[0];
  if (ok)
    free((void *)block);
}

__global__ void nothing(void **out) {
  out[0] = malloc(0);
  free(out[0]);
  free(nullptr);
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

__global__ void drop(char **blocks) { free(blocks[threadIdx.x]); }

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
  else if (mode == "twice")
    twice<<<1, 1>>>(24, ok);
  else if (mode == "twice-large")
    twice<<<1, 1>>>(100000, ok);
  else if (mode == "later")
    for (int i = 0; i < 2; i++) {
      if (i == 0 || ok)
        make<<<1, 2>>>(blocks, 20);
      drop<<<1, 2>>>(blocks);
    }
  else if (mode == "lanes")
    lanes<<<1, 64>>>((void **)blocks, ok);
  else if (mode == "inside")
    inside<<<1, 1>>>(ok);
  else if (mode == "foreign")
    foreign<<<1, 1>>>(out, ok);
  else if (mode == "local")
    local<<<1, 1>>>(out, ok);
  else if (mode == "deleted")
    deleted<<<1, 1>>>(ok);
  else if (mode == "large")
    large<<<1, 1>>>(out, ok);
  else if (mode == "nothing")
    nothing<<<1, 1>>>((void **)blocks);
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
