// Launches a kernel that takes its time, of 2 to the power of an argument rounds.
#include <hip/hip_runtime.h>

#include <cstdlib>

__global__ void lengthy(unsigned *values, unsigned rounds) {
  unsigned value = values[threadIdx.x];
  for (unsigned round = 0; round < rounds; round++)
    value = value * 1664525u + (value >> 7) + round;
  values[threadIdx.x] = value;
}

int main(int count, char **arguments) {
  unsigned *values;
  if (hipMalloc(&values, 256) != hipSuccess || hipMemset(values, 1, 256) != hipSuccess)
    return 3;
  lengthy<<<1, 64>>>(values, 1u << (count > 1 ? std::atoi(arguments[1]) : 24));
  return hipDeviceSynchronize() == hipSuccess ? 0 : 4;
}
