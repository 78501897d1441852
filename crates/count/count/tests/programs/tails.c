// Calls in tail position, whose callees leave in all ways.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static volatile unsigned seen;

__attribute__((noinline)) unsigned leaf(unsigned a) {
  seen += a;
  if (a % 64 == 63)
    longjmp(back, 1);
  if (seen > 1u << 20)
    exit(3);
  return a ^ seen;
}

// One return for two calls and a value of its own.
__attribute__((noinline)) unsigned forked(unsigned a) {
  if (a % 3 == 0)
    return leaf(a + 1);
  if (a % 3 == 1)
    return leaf(a * 5);
  return a;
}

__attribute__((noinline)) void nothing(unsigned a) {
  if (a & 1)
    leaf(a);
}

// Through a pointer, from behind a loop.
unsigned (*volatile through)(unsigned) = forked;
__attribute__((noinline)) unsigned looping(unsigned a) {
  for (unsigned i = 0; i < a % 7; ++i)
    seen += leaf(i);
  return through(a);
}

int main(void) {
  unsigned sum = 0;
  for (volatile unsigned i = 0; i < 100000; ++i) {
    if (setjmp(back))
      continue;
    nothing(i);
    sum += looping(i * 7919);
    seen &= 0x1fffff;
  }
  printf("%u %u\n", sum, seen);
}
