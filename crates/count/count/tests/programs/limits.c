// Every way to meet a limit, one after the other; prints what happened. Overruns are bounded by one loop iteration.
#include <luthier/count.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static unsigned state = 1;
static unsigned spin(unsigned rounds) {
  unsigned x = state;
  for (unsigned i = 0; i < rounds; i++)
    x = x * 1664525u + i;
  return state = x;
}
static unsigned descend(unsigned n) { return n == 0 ? state : descend(n - 1) + 1; }
static uint64_t asked;
static uint64_t more(const struct luthier_count_stop *stop, void *context) {
  asked++;
  return stop->used < *(uint64_t *)context ? 500 : 100000;
}
static void forever(void *argument) {
  for (int *n = argument;; ++*n)
    spin(10);
}
static void twice(void *argument) {
  spin(300);
  ++*(int *)argument;
}
static struct luthier_count_action action(enum luthier_count_limit kind) {
  struct luthier_count_action a;
  memset(&a, 0, sizeof a);
  a.struct_size = sizeof a;
  a.kind = kind;
  return a;
}
static void say(const char *what, uint64_t used, uint64_t budget) {
  printf("%s: %s by %llu\n", what, used >= budget ? "over" : "UNDER", (unsigned long long)(used - budget));
}
int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0); // The last limit ends the process at once, like abort.
  // Reading is free.
  uint64_t first = luthier_count_now(), second = luthier_count_now();
  printf("reading: %llu\n", (unsigned long long)(second - first < 10));

  static sigjmp_buf out;
  struct luthier_count_action jump = action(LUTHIER_COUNT_LONGJMP);
  jump.jump = &out;
  for (volatile uint64_t budget = 0; budget <= 3000; budget += 1000) {
    luthier_count_push_budget(budget, &jump);
    if (sigsetjmp(out, 0) == 0)
      for (;;)
        spin(budget % 3 + 20);
    say("longjmp", luthier_count_last_stop().used, budget);
  }
  luthier_count_push_budget(2000, &jump);
  if (sigsetjmp(out, 0) == 0)
    descend(1u << 20);
  say("recursion", luthier_count_last_stop().used, 2000);

  uint64_t enough = 3000;
  struct luthier_count_action ask = action(LUTHIER_COUNT_CALLBACK);
  ask.callback = more;
  ask.context = &enough;
  luthier_count_push_budget(1000, &ask);
  spin(2000);
  uint64_t used = luthier_count_pop_budget();
  printf("callback: asked %llu times, used %d\n", (unsigned long long)asked, used > 3000);

  // The outer budget ends first, although the inner one is larger.
  luthier_count_push_budget(1500, &jump);
  if (sigsetjmp(out, 0) == 0) {
    struct luthier_count_action inner = action(LUTHIER_COUNT_CALLBACK);
    inner.callback = more;
    inner.context = &enough;
    luthier_count_push_budget(1000000, &inner);
    for (;;)
      spin(5);
  }
  say("outer", luthier_count_last_stop().used, 1500);
  printf("none left: %d\n", luthier_count_left() == UINT64_MAX);

  luthier_count_push_budget(800, &jump);
  if (sigsetjmp(out, 0) == 0) {
    luthier_count_refill(1200);
    for (;;)
      spin(5);
  }
  say("refill", luthier_count_last_stop().used, 2000);

  int rounds = 0, ended = 0;
  struct luthier_count_task *task = luthier_count_task_new(forever, &rounds, 64 * 1024);
  for (int turn = 0; turn < 3; turn++) {
    int before = rounds;
    enum luthier_count_task_state how = luthier_count_task_resume(task, 1000);
    say("yield", luthier_count_last_stop().used, 1000);
    printf("turn %d: %d, %d rounds\n", turn, how, rounds - before);
  }
  luthier_count_task_free(task);
  task = luthier_count_task_new(twice, &ended, 64 * 1024);
  int turns = 1;
  while (luthier_count_task_resume(task, 1000) == LUTHIER_COUNT_TASK_YIELDED)
    turns++;
  printf("done: %d in %d turns\n", ended, turns);
  luthier_count_task_free(task);

  struct luthier_count_action wrong = action(LUTHIER_COUNT_CALLBACK);
  printf("refused: %d\n", luthier_count_push_budget(1, &wrong));
  luthier_count_push_budget(700, NULL);
  for (;;)
    spin(3);
}
