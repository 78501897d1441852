// Kernels that leave no SGPR to hooks: ./full NAME; the exit status is 3 if a result is wrong.
#include <hip/hip_runtime.h>

#include <string>

// Writes every SGPR of gfx9 that code may name.
#define USE_ALL_SGPRS asm volatile(".set number, 0\n.rept 102\n s_mov_b32 s[number], 0\n .set number, number + 1\n.endr" ::: SGPRS)
#define SGPRS                                                                                                                              \
  "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", \
      "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31", "s32", "s33", "s34", "s35", "s36", "s37", "s38", "s39", \
      "s40", "s41", "s42", "s43", "s44", "s45", "s46", "s47", "s48", "s49", "s50", "s51", "s52", "s53", "s54", "s55", "s56", "s57", "s58", \
      "s59", "s60", "s61", "s62", "s63", "s64", "s65", "s66", "s67", "s68", "s69", "s70", "s71", "s72", "s73", "s74", "s75", "s76", "s77", \
      "s78", "s79", "s80", "s81", "s82", "s83", "s84", "s85", "s86", "s87", "s88", "s89", "s90", "s91", "s92", "s93", "s94", "s95", "s96", \
      "s97", "s98", "s99", "s100", "s101"

__device__ __attribute__((noinline)) int twice(int value) { return 2 * value; }
__device__ __attribute__((noinline)) int thrice(int value) { return 3 * value; }
__device__ __attribute__((noinline)) int square(int value) { return value * value; }

typedef int (*Function)(int);
__device__ Function functions[] = {twice, thrice};

// Returns of `square` lead to six places.
__global__ void direct(int *out) {
  int t = threadIdx.x;
  out[t] = square(t);
  out[t + 64] = square(t + 1);
  out[t + 128] = square(t + 2);
  if (t % 3)
    out[t] += square(t + 3);
  if (t % 5)
    out[t + 64] += square(t + 4);
  out[t + 128] += square(t + 5);
  USE_ALL_SGPRS;
}

__global__ void pointed(int *out, int number) {
  int t = threadIdx.x;
  out[t] = functions[number](t);
  USE_ALL_SGPRS;
}

static int squared(int value) { return value * value; }

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  int *out, copy[192];
  if (hipMalloc(&out, sizeof(copy)) != hipSuccess)
    return 3;
  bool right = true;
  if (mode == "direct") {
    direct<<<1, 64>>>(out);
    right = hipMemcpy(copy, out, sizeof(copy), hipMemcpyDeviceToHost) == hipSuccess;
    for (int t = 0; t < 64; t++)
      right = right && copy[t] == squared(t) + (t % 3 ? squared(t + 3) : 0) &&
              copy[t + 64] == squared(t + 1) + (t % 5 ? squared(t + 4) : 0) && copy[t + 128] == squared(t + 2) + squared(t + 5);
  } else {
    pointed<<<1, 64>>>(out, 1);
    right = hipMemcpy(copy, out, 256, hipMemcpyDeviceToHost) == hipSuccess;
    for (int t = 0; t < 64; t++)
      right = right && copy[t] == 3 * t;
  }
  return right ? 0 : 3;
}
