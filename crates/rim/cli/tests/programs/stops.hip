// A kernel whose eighth instruction stops it.
#include <hip/hip_runtime.h>

__global__ void stops() { asm volatile("s_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_trap 2"); }

int main() {
  stops<<<1, 64>>>();
  return hipDeviceSynchronize() == hipSuccess;
}
