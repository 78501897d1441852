// A kernel whose eighth instruction stops it, with as many workgroups as the argument says, or one.
#include <cstdlib>
#include <hip/hip_runtime.h>

__global__ void stops() { asm volatile("s_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_trap 2"); }

int main(int count, char **words) {
  int workgroups = count > 1 ? atoi(words[1]) : 1;
  stops<<<workgroups, 64>>>();
  return hipDeviceSynchronize() == hipSuccess;
}
