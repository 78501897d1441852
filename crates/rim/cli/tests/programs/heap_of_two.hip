// Two code objects, of which one allocates what the other one frees. MAKES chooses the one that allocates.
#include <hip/hip_runtime.h>

#include <cstdio>

void make_block(void **block);

#ifdef MAKES
// The block is so large that the host allocates it.
__global__ void make(void **block) { *block = malloc(100000); }

void make_block(void **block) { make<<<1, 1>>>(block); }
#else
__global__ void drop(void **block) { free(*block); }

// The object has both functions of the heap.
__global__ void churn(int *out) {
  volatile int *own = (int *)malloc(100000);
  own[0] = 3;
  out[0] = own[0];
  free((void *)own);
}

int main() {
  void **block;
  if (hipMalloc(&block, 64) != hipSuccess)
    return 3;
  churn<<<1, 1>>>((int *)block + 8);
  make_block(block);
  drop<<<1, 1>>>(block);
  puts(hipDeviceSynchronize() == hipSuccess ? "done" : "failed");
}
#endif
