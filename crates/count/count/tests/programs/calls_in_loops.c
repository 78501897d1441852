// Loops that call what costs differently from call to call, but so little that it checks no budget.
#include <stdio.h>
#include <string.h>

static unsigned data[512];

__attribute__((noinline)) static unsigned fold(unsigned value) {
  if (value & 1)
    value = value * 2654435761u ^ value >> 7;
  if (value & 2)
    value = (value << 5) - value;
  return value;
}

__attribute__((noinline)) static unsigned search(unsigned key) {
  unsigned steps = 0;
  while (key != 1 && steps < 500)
    key = fold(key) % 1021, steps++;
  return steps;
}

__attribute__((noinline)) static unsigned all(unsigned *values, unsigned count) {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; i++)
    sum += fold(values[i]);
  return sum;
}

int main(int argc, char **argv) {
  (void)argv;
  unsigned sum = 0;
  for (unsigned i = 0; i < 512; i++)
    data[i] = i * 40503u;
  for (unsigned round = 0; round < 30; round++)
    sum = sum * 31 + search(round + 2) + all(data, 512 - round * (unsigned)argc);
  printf("%u\n", sum);
}
