// Counts launches that come out of order; the first ones take long.
#include <hip/hip_runtime.h>

extern "C" __global__ void ordered(unsigned *state, unsigned number) {
  unsigned value = number;
  if (number % 500 == 0)
    for (int round = 0; round < 100000; round++)
      value = value * 1664525u + 1013904223u;
  state[2] = value;
  if (state[0] != number)
    state[1] += 1;
  state[0] = number + 1;
}
