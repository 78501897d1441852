// How late limits are noticed: for many budgets, the most by which each kind of code overran, beside what one iteration of it
// costs at most.
#include <luthier/count.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static volatile unsigned state = 1;

// No loop, no recursion, little cost: checks nothing.
__attribute__((noinline)) static unsigned cheap(unsigned x) {
  if (x % 3 == 0)
    return x * 7 + state;
  if (x % 5 == 0)
    return (x ^ state) + 11;
  return x + 1;
}
static void straight(void) {
  unsigned x = state;
  x = cheap(x), x = cheap(x), x = cheap(x), x = cheap(x), x = cheap(x), x = cheap(x);
  state = x;
}

// Returns at once most of the time.
__attribute__((noinline)) static unsigned tree(unsigned depth, unsigned x) {
  if (depth == 0)
    return x;
  return tree(depth - 1, x * 3) + tree(depth - 1, x * 5) + 1;
}
static void recursive(void) { state = tree(1, state); }

// No loop, but dear: checks.
#define TEN(x) x x x x x x x x x x
__attribute__((noinline)) static unsigned dear(unsigned x) {
  if (x % 2)
    state = x;
  TEN(TEN(x = x * 1664525u + state;))
  TEN(TEN(x = x * 22695477u + state;))
  TEN(TEN(x = x * 134775813u + state;))
  return x;
}
static void long_way(void) { state = dear(dear(dear(state))); }

static void looping(void) {
  for (unsigned i = 0; i < 9; i++)
    state = state * 3 + i;
}

static sigjmp_buf out;

static void report(const char *name, void (*work)(void)) {
  struct luthier_count_action jump;
  memset(&jump, 0, sizeof jump);
  jump.struct_size = sizeof jump;
  jump.kind = LUTHIER_COUNT_LONGJMP;
  jump.jump = &out;
  static uint64_t dearest, most, early;
  dearest = most = early = 0;
  for (int i = 0; i < 200; i++) {
    uint64_t begin = luthier_count_now();
    work();
    uint64_t cost = luthier_count_now() - begin;
    dearest = cost > dearest ? cost : dearest;
  }
  static volatile uint64_t budget;
  for (budget = 0; budget < 6000; budget += 7) {
    luthier_count_push_budget(budget, &jump);
    if (sigsetjmp(out, 0) == 0)
      for (;;)
        work();
    struct luthier_count_stop stop = luthier_count_last_stop();
    early += stop.used < stop.budget;
    most = stop.used - stop.budget > most ? stop.used - stop.budget : most;
  }
  printf("%s: early %llu, over by %llu, one iteration %llu\n", name, (unsigned long long)early, (unsigned long long)most,
         (unsigned long long)dearest);
}

int main(void) {
  report("straight", straight);
  report("recursive", recursive);
  report("long_way", long_way);
  report("looping", looping);
}
