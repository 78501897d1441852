// Functions that return two integers, which look like pointers to member functions. With -DSECOND=int they look otherwise.
#include <cstdio>

#ifndef SECOND
#define SECOND long
#endif
typedef SECOND Second;
struct Pair {
  long first;
  Second second;
};
typedef _Complex SECOND Both;

__attribute__((noinline)) static Pair next(long n, Second odd) {
  return {odd ? 3 * n + 1 : n / 2, (Second)((odd ? 3 * n + 1 : n / 2) & 1)};
}
__attribute__((noinline)) static Pair less(long a, Second b) { return {a, b}; }
__attribute__((noinline)) static Both both(Second a, Second b) {
  Both value;
  __real__ value = a;
  __imag__ value = b;
  return value;
}

static long collatz(long n) {
  long steps = 0;
  Pair at = {n, (Second)(n & 1)};
  while (at.first != 1) {
    auto [first, second] = next(at.first, at.second);
    at = {first, second};
    steps += (second & 1) + (second >> 1) + (first - 1) % 2 + (first & 1);
  }
  return steps;
}

/* The binary algorithm asks for the lowest bit and shifts. */
static long gcd(long a, Second b) {
  int shift = 0;
  while (b != 0) {
    auto [x, y] = less(a, b);
    bool even = (y & 1) == 0, both_even = ((x | y) & 1) == 0;
    shift += both_even;
    if (even)
      y = y >> 1;
    if ((x & 1) == 0)
      x = x >> 1;
    else if (!even)
      x > y ? x = (x - y) >> 1 : y = (y - x) >> 1;
    a = x, b = y;
  }
  return a << shift;
}

static long parts(Second n) {
  long sum = 0;
  for (Second i = 0; i < n; i++)
    sum += (__imag__ both(i, n) & 1) + ((__real__ both(n, i) - 1) & 1);
  Both value = both(n, 2 * n);
  for (Second i = 0; i < n; i++) {
    Second real = __real__ value, imaginary = __imag__ value;
    sum += (imaginary >> 1) + (imaginary & 1) + (real - 1) + (real & 1) + !((imaginary & 1) == 0);
  }
  return sum;
}

int main() {
  long sum = 0;
  for (int i = 1; i < 100; i++)
    sum += collatz(i) + gcd(i * 12, i * 8 % 90 + 1) + parts((Second)(i % 7));
  std::printf("%ld\n", sum);
}
