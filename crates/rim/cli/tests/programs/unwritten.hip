// Prints a register, a word of LDS, one of private memory and one of fresh device memory that nothing has written.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void look(unsigned *out, const unsigned *fresh) {
  __shared__ unsigned shared[64];
  unsigned in_register;
  asm volatile("v_mov_b32 %0, v77" : "=v"(in_register)::"v77");
  volatile unsigned own[64];
  out[0] = in_register;
  out[1] = *(volatile unsigned *)&shared[threadIdx.x];
  out[2] = own[fresh == nullptr ? 3 : 40];
  out[3] = fresh[5000];
}

int main() {
  // Too large for what the runtime has allocated already.
  unsigned *fresh, *out;
  if (hipMalloc(&fresh, 64 << 20) != hipSuccess || hipHostMalloc(&out, 16) != hipSuccess)
    return 90;
  look<<<1, 1>>>(out, fresh);
  if (hipDeviceSynchronize() != hipSuccess)
    return 5;
  printf("%08x %08x %08x %08x\n", out[0], out[1], out[2], out[3]);
}
