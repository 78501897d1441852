// A kernel that looks for the host's word again and again, and one that does not.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <thread>

__global__ void looks(volatile int *here, volatile int *word) {
  *here = 1;
  while (!*word)
    ;
}

__global__ void works(int *out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int *here, *word, *out;
  (void)hipHostMalloc((void **)&here, 64, hipHostMallocCoherent);
  (void)hipHostMalloc((void **)&word, 64, hipHostMallocCoherent);
  (void)hipMalloc((void **)&out, 256);
  *here = *word = 0;
  works<<<1, 64>>>(out);
  looks<<<1, 1>>>(here, word);
  while (!*(volatile int *)here)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  *(volatile int *)word = 1;
  return hipDeviceSynchronize() != hipSuccess;
}
