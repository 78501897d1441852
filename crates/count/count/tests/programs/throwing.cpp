// A limit that throws out of a turn: through frames with destructors, from an entry and from a latch.
#include <cstdio>
#include <luthier/count.hpp>
static int closed;
struct Guard {
  ~Guard() { closed++; }
};
__attribute__((noinline)) static int leaf(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i ^ n;
  return sum;
}
__attribute__((noinline)) static int middle(int n) {
  Guard guard;
  return leaf(n) + 1;
}
static int turn(uint64_t budget, int rounds) {
  int sum = 0;
  try {
    auto limit = luthier::Budget::throwing(budget);
    for (int i = 0; i < rounds; i++)
      sum += middle(i);
    return sum;
  } catch (const luthier::BudgetExceeded &exceeded) {
    std::printf("over %d by less than 60: %d\n", int(exceeded.stop.budget), exceeded.stop.used - exceeded.stop.budget < 60);
    return -1;
  }
}
int main() {
  luthier::CountScope scope;
  int rich = turn(1000000, 50), poor = turn(900, 50), again = turn(1000000, 50);
  std::printf("%d %d %d %d\n", rich == again, poor, closed > 100, luthier_count_left() == UINT64_MAX);
  std::printf("%d\n", scope.units() > 900);
}
