// Recursive functions that can hand the counter to each other in a register, together with reads of the counter, jumps
// out of them, callees that count, signals, large arguments, and pointers to them. The program prints the values that
// it reads, which are the same in every build.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
uint64_t luthier_count_now(void);

static uint64_t looks;
static void look(void) { looks = looks * 31 + luthier_count_now(); }

__attribute__((noinline)) static unsigned tree(unsigned depth, unsigned x) {
  if (depth == 0)
    return x;
  return tree(depth - 1, x * 3) + (x & 1 ? tree(depth - 1, x * 5) : tree(depth - 1, x + 7)) + 1;
}

// By turns.
static unsigned right(unsigned depth, unsigned x);
__attribute__((noinline)) static unsigned left(unsigned depth, unsigned x) {
  if (depth == 0)
    return x & 3;
  return right(depth - 1, x * 3) + right(depth - 1, x ^ 5) + (x % 7 == 0 ? right(depth - 1, x) : 2);
}
__attribute__((noinline)) static unsigned right(unsigned depth, unsigned x) {
  if (depth == 0)
    return x & 7;
  return left(depth - 1, x + 1) * 3 + left(depth - 1, x >> 1);
}

// The counter is read at times before, between and after the calls.
__attribute__((noinline)) static unsigned looking(unsigned depth, unsigned x) {
  if (__builtin_expect(x % 13 == 0, 0))
    look();
  if (depth == 0)
    return x;
  unsigned sum = 0;
  for (unsigned i = 0; i < 3; i++) {
    sum += looking(depth - 1, x * 5 + i);
    if (__builtin_expect(sum % 17 == 0, 0))
      look();
  }
  return sum;
}

// Some ways do not come back.
static jmp_buf out;
__attribute__((noinline)) static unsigned leaving(unsigned depth, unsigned x) {
  if (__builtin_expect(x == 4242, 0))
    longjmp(out, 1);
  if (depth == 0)
    return x;
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; i++)
    sum += leaving(depth - 1, x + i + sum % 3);
  return sum;
}

// More arguments than registers, one of them in memory; seen from outside and called through a pointer.
struct large {
  uint64_t part[5];
};
__attribute__((noinline)) uint64_t wide(struct large at, int a, int b, int c, int d, int e, int f, int g, double h, int depth) {
  uint64_t sum = at.part[a & 3] + (uint64_t)h;
  if (depth == 0)
    return sum;
  for (int i = 0; i < 3; i++)
    sum = sum * 3 ^ wide(at, b, c, d, e, f, g, a + i, h + 0.5, depth - 1) >> 1;
  return sum;
}
static uint64_t (*volatile through)(struct large, int, int, int, int, int, int, int, double, int) = wide;

// A loop with checks of its own in the recursion, and a callee that counts and checks.
__attribute__((noinline)) static unsigned spin(unsigned rounds) {
  unsigned x = 1;
  for (unsigned i = 0; i < rounds; i++)
    x = x * 1664525u + (x >> 7) + i;
  return x;
}
__attribute__((noinline)) static unsigned looping(unsigned depth, const unsigned char *text) {
  unsigned sum = 0;
  for (const unsigned char *at = text; *at; at++)
    sum = sum * 33 + *at;
  if (depth == 0)
    return sum;
  for (unsigned i = 0; i < 4; i++) {
    sum ^= looping(depth - 1, text + (*text && i & 1));
    if (__builtin_expect(sum % 11 == 0, 0))
      sum += spin(sum % 5 + 3);
  }
  return sum;
}

// Seldom more than one call per call: it does not pay here.
static unsigned pong(unsigned n, unsigned sum);
__attribute__((noinline)) static unsigned ping(unsigned n, unsigned sum) {
  if (n % 16 == 15)
    sum += ping(n / 16, 1) + ping(n / 32, 2) + ping(n / 64, 3);
  return n == 0 ? sum : pong(n - 1, sum ^ n);
}
__attribute__((noinline)) static unsigned pong(unsigned n, unsigned sum) { return n == 0 ? sum : ping(n - 1, sum + n); }

// The count of a handler is added to that of the recursion that it interrupts.
static volatile sig_atomic_t handled;
static void handler(int number) { handled += number == SIGUSR1 ? (int)(tree(3, 1) & 1) + 1 : 0; }
__attribute__((noinline)) static unsigned raising(unsigned depth, unsigned x) {
  if (__builtin_expect(x % 29 == 0, 0))
    raise(SIGUSR1);
  if (depth == 0)
    return x;
  unsigned sum = 0;
  for (unsigned i = 0; i < 3; i++)
    sum += raising(depth - 1, x * 7 + i);
  return sum;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "alarm") == 0) { // For ever, but for the signal.
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 100000}}, NULL);
    return (int)tree((unsigned)atoi(argv[2]), 1);
  }
  printf("%u\n", tree(9, 1)), look();
  printf("%u\n", left(8, 3)), look();
  printf("%u\n", looking(6, 1)), look();
  if (setjmp(out) == 0)
    printf("%u\n", leaving(5, 4240));
  look();
  struct large at = {{1, 2, 3, 4, 5}};
  uint64_t sum = wide(at, 1, 2, 3, 4, 5, 6, 7, 1.5, 5);
  sum += through(at, 7, 6, 5, 4, 3, 2, 1, 2.5, 4), look();
  printf("%llu\n", (unsigned long long)sum);
  printf("%u\n", looping(4, (const unsigned char *)"counted")), look();
  printf("%u\n", ping(40, 0)), look();
  signal(SIGUSR1, handler);
  printf("%u\n", raising(5, 1)), look();
  printf("%d %d\n", (int)handled, (int)(looks % 1000003));
}
