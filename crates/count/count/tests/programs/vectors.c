// Loops that become vectors, counted or not: the number of iterations follows from two pointers, and what is inlined counts for itself.
#include <stdio.h>

__attribute__((noinline)) static void fill(unsigned *at, const unsigned *end, unsigned n) {
  for (; at != end; at++) {
    n += 7;
    *at = n * n % 1009;
  }
}

static unsigned square(unsigned n) { return n * n + 3; }

static inline void each(unsigned *at, const unsigned *end, unsigned (*change)(unsigned)) {
  for (; at != end; at++)
    *at = change(*at);
}

__attribute__((noinline)) static void squares(unsigned *at, const unsigned *end) { each(at, end, square); }

int main(void) {
  unsigned values[200], sum = 0;
  for (unsigned from = 0; from < 40; from++) {
    fill(values + from, values + 200 - from, from);
    squares(values + from, values + 160);
    for (unsigned i = from; i < 160; i++)
      sum = sum * 31 + values[i];
  }
  printf("%u\n", sum);
}
