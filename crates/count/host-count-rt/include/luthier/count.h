/* Reading the deterministic instruction counter, budgets, and what happens at the limit.
 *
 * Units are those of the preset the program was built with (docs/count/contract.md). All counts are the calling thread's
 * unless said otherwise. Calls of these functions cost nothing themselves. Nothing here allocates after start-up, except
 * luthier_count_task_new.
 */
#ifndef LUTHIER_COUNT_H
#define LUTHIER_COUNT_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef _WIN32
typedef jmp_buf sigjmp_buf; /* longjmp is used there; tasks and the watchdog are missing */
#endif
#pragma GCC visibility push(default)

/* Units executed by this thread since it began. */
uint64_t luthier_count_now(void);

/* Units executed by all threads, ended and running. Exact for the caller and for threads that ended; a running thread
 * may owe or have paid ahead a few units between two of its calls. */
uint64_t luthier_count_process(void);

/* --- Budgets ---------------------------------------------------------------------------------------------------------
 * A budget is pushed at the beginning of a turn and popped at its end. Budgets nest; an inner one never extends an outer
 * one. Code built with budget checks notices a limit at the next loop latch or function entry. That is never before the
 * budget is used up. It is at most one loop iteration after that, or one stretch of code without loops and without calls of
 * functions that check (docs/count/contract.md, "Budgets", says which functions do not check). */

/* What a thread had done when its budget was reached. */
struct luthier_count_stop {
  uint64_t budget; /* as pushed, refills included */
  uint64_t used;   /* since it was pushed; at least `budget` */
};

enum luthier_count_limit {
  LUTHIER_COUNT_ABORT = 0,    /* message on stderr, report, exit status 124 */
  LUTHIER_COUNT_CALLBACK = 1, /* ask `callback`; it grants more, or 0 for abort */
  LUTHIER_COUNT_LONGJMP = 2,  /* siglongjmp(*jump, 1); the budget is popped */
  LUTHIER_COUNT_RAISE = 3,    /* `raise` must not return: it throws; the budget is popped */
  LUTHIER_COUNT_YIELD = 4     /* for tasks only, see below */
};

struct luthier_count_action {
  size_t struct_size; /* sizeof(struct luthier_count_action) */
  enum luthier_count_limit kind;
  uint64_t (*callback)(const struct luthier_count_stop *stop, void *context);
  void (*raise)(const struct luthier_count_stop *stop, void *context);
  sigjmp_buf *jump;
  void *context;
};

/* Nested budgets per thread, at most. */
#define LUTHIER_COUNT_MOST_BUDGETS 32

/* Pushes a budget of `units` from now on. `action` is copied; NULL means abort. 0, or -1 if the action is not understood,
 * too many budgets are pushed, or a task asks for one. */
int luthier_count_push_budget(uint64_t units, const struct luthier_count_action *action);

/* Pops the innermost budget and returns what was used of it; 0 if there is none. */
uint64_t luthier_count_pop_budget(void);

/* Adds units to the innermost budget. 0, or -1 if there is none. */
int luthier_count_refill(uint64_t units);

/* What is left of the innermost budget; UINT64_MAX without one. */
uint64_t luthier_count_left(void);

/* The stop that led to the last siglongjmp, throw or yield on this thread. */
struct luthier_count_stop luthier_count_last_stop(void);

/* --- Tasks: code that yields at its limit and goes on in the next turn ------------------------------------------------ */

struct luthier_count_task;
enum luthier_count_task_state { LUTHIER_COUNT_TASK_DONE = 0, LUTHIER_COUNT_TASK_YIELDED = 1 };

/* A task on a stack of its own. NULL if there is no memory. */
struct luthier_count_task *luthier_count_task_new(void (*run)(void *argument), void *argument, size_t stack_bytes);

/* Runs the task for `units` more. Must be called on the thread that called it first. */
enum luthier_count_task_state luthier_count_task_resume(struct luthier_count_task *task, uint64_t units);

/* Forgets a task. One that has yielded is dropped where it stands: its destructors do not run. */
void luthier_count_task_free(struct luthier_count_task *task);

/* --- Watchdog: wall-clock time, for calls into code that does not count ----------------------------------------------- */

/* From now on, `milliseconds` of wall-clock time without another call of this function end the process with a message and
 * exit status 124. 0 turns it off. 0, or -1 if no watching thread could be started. */
int luthier_count_watchdog(uint64_t milliseconds);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
