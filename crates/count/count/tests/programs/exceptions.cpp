// Throws through frames with destructors, catches and throws again, and one that ends in terminate's neighbour: noexcept.
#include <cstdio>
#include <stdexcept>
#include <string>
static int closed;
struct Guard {
  explicit Guard(int n) : n(n) {}
  ~Guard() {
    for (int i = 0; i < n; i++)
      closed += i;
  }
  int n;
};
static int deep(int n, int at) {
  Guard guard(n);
  if (n == at)
    throw std::runtime_error(std::to_string(n));
  if (n == 0)
    return 0;
  try {
    return deep(n - 1, at) + n;
  } catch (const std::logic_error &) {
    return -1;
  }
}
// No destructor here: a plain call is left in the middle of its block.
static int relay(int n, int at) {
  int sum = deep(n, at);
  for (int i = 0; i < n; i++)
    sum += i * n;
  return sum;
}
static int turn(int at) {
  try {
    Guard guard(at + 1);
    try {
      return relay(6, at);
    } catch (std::runtime_error &error) {
      closed += error.what()[0];
      if (at % 2)
        throw;
      return at;
    }
  } catch (...) {
    return 1000;
  }
}
static int quiet(int n) noexcept {
  Guard guard(n);
  return n + closed % 3;
}
int main() {
  int sum = 0;
  for (int i = 0; i < 60; i++)
    sum += turn(i % 9) + quiet(i % 5);
  std::printf("%d %d\n", sum, closed);
}
