// Loops whose numbers of iterations are known when they begin, beside one whose number is not.
#include <stdio.h>

static unsigned data[4096];

__attribute__((noinline)) static unsigned mix(unsigned *values, unsigned count, unsigned seed) {
  for (unsigned i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u + (values[i] >> 3);
    values[i] = seed;
  }
  return seed;
}

__attribute__((noinline)) static unsigned steps(unsigned value) {
  unsigned count = 0;
  while (value != 1 && count < 500)
    value = value % 2 ? value * 3 + 1 : value / 2, count++;
  return count;
}

int main(int argc, char **argv) {
  (void)argv;
  unsigned sum = 0;
  for (int round = 0; round < 40; round++)
    sum += mix(data, 4096 - (unsigned)(round * argc), sum) + steps(27 + (unsigned)round);
  printf("%u\n", sum);
}
