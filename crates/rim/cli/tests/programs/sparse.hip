// One lane accesses memory and LDS; the lane behind it is off and has no address.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void sparse(int *out) {
  __shared__ int tile[192];
  int t = threadIdx.x;
  if (t % 3 == 1 && t > 60) {
    tile[(7 * t) & 127] = t;
    __asm__ volatile("" ::: "memory");
    out[5 * t] = tile[(7 * t) & 127];
  }
}

int main() {
  int *out;
  (void)hipMalloc(&out, 4096);
  sparse<<<1, 64>>>(out);
  std::puts(hipDeviceSynchronize() == hipSuccess ? "done" : "failed");
}
