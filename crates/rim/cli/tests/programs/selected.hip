// A register that M0 selects, and one that the instruction names.
#include <hip/hip_runtime.h>

#include <cstring>

__global__ void selects(int *out) {
  int result, number = threadIdx.x;
  asm volatile("s_mov_b32 m0, 0\n\tv_movrels_b32 %0, %1" : "=v"(result) : "v"(number));
  out[threadIdx.x] = result;
}

__global__ void moves(int *out) {
  int result, number = threadIdx.x;
  asm volatile("v_mov_b32 %0, %1" : "=v"(result) : "v"(number));
  out[threadIdx.x] = result;
}

int main(int, char **arguments) {
  int *out;
  if (hipMalloc(&out, 256) != hipSuccess)
    return 1;
  if (std::strcmp(arguments[1], "moves") == 0)
    moves<<<1, 64>>>(out);
  else
    selects<<<1, 64>>>(out);
  if (hipDeviceSynchronize() != hipSuccess)
    return 2;
  return std::strcmp(arguments[1], "fails") == 0 ? 5 : 0;
}
