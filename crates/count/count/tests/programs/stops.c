// A program is stopped at the first check at which the budget is used up, whatever the budget is. Linked with a counted
// `work`; this file itself does not count.
//
// With one unit more after each stop, every check asks for more: so they are found. Then the program runs anew with budgets
// around what has been executed at a check, and the place where it is stopped must be the next one.
#include <luthier/count.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

extern void reset(void);
extern unsigned work(void);

enum { MOST_CHECKS = 1 << 20 };
static const uint64_t most_units = 200000000; // of all runs of a thread, which are so many at least:
enum { LEAST_RUNS = 60 };

struct found {
  size_t checks, runs, wrong;
  uint64_t total, at[MOST_CHECKS]; // executed at each check
};

static uint64_t one_more(const struct luthier_count_stop *stop, void *context) {
  struct found *found = context;
  if (found->checks < MOST_CHECKS)
    found->at[found->checks++] = stop->used;
  return 1;
}

// The count at which a budget of `units` stops `work`; UINT64_MAX if it does not.
static uint64_t stop_of(uint64_t units) {
  sigjmp_buf out;
  struct luthier_count_action jump = {.struct_size = sizeof jump, .kind = LUTHIER_COUNT_LONGJMP, .jump = &out};
  reset();
  if (sigsetjmp(out, 0) != 0)
    return luthier_count_last_stop().used;
  luthier_count_push_budget(units, &jump);
  work();
  luthier_count_pop_budget();
  return UINT64_MAX;
}

static void try(struct found *found, uint64_t units) {
  size_t next = 0;
  for (size_t last = found->checks; next < last;) {
    size_t middle = (next + last) / 2;
    if (found->at[middle] < units)
      next = middle + 1;
    else
      last = middle;
  }
  uint64_t expected = next < found->checks ? found->at[next] : UINT64_MAX, stop = stop_of(units);
  ++found->runs;
  if (stop != expected && found->wrong++ == 0)
    fprintf(stderr, "budget %llu: stopped after %llu instead of %llu\n", (unsigned long long)units, (unsigned long long)stop,
            (unsigned long long)expected);
}

static void *search(void *result) {
  struct found *found = calloc(1, sizeof *found);
  *(struct found **)result = found;
  struct luthier_count_action ask = {.struct_size = sizeof ask, .kind = LUTHIER_COUNT_CALLBACK, .callback = one_more, .context = found};
  reset();
  luthier_count_push_budget(0, &ask);
  work();
  found->total = luthier_count_pop_budget();
  size_t runs = most_units / (found->total + 1), checks = found->checks;
  runs = runs < LEAST_RUNS ? LEAST_RUNS : runs;
  size_t step = 3 * checks > runs ? 3 * checks / runs : 1;
  for (size_t check = 0; check < checks; check += step)
    for (int more = -1; more <= 1; ++more)
      try(found, found->at[check] + (uint64_t)more);
  return NULL;
}

int main(void) {
  struct found *alone, *both[2];
  pthread_t threads[2];
  search(&alone);
  for (int thread = 0; thread < 2; ++thread)
    pthread_create(&threads[thread], NULL, search, &both[thread]);
  for (int thread = 0; thread < 2; ++thread) {
    pthread_join(threads[thread], NULL);
    alone->wrong += both[thread]->wrong + (both[thread]->total != alone->total || both[thread]->checks != alone->checks);
  }
  uint64_t sum = 0; // names the places
  for (size_t check = 0; check < alone->checks; ++check)
    sum = sum * 31 + alone->at[check];
  printf("%llu %zu %zu %llu %zu\n", (unsigned long long)alone->total, alone->checks, alone->runs, (unsigned long long)sum, alone->wrong);
}
