/* What the files of the runtime share. Nothing here is for programs. */
#ifndef LUTHIER_COUNT_INTERNAL_H
#define LUTHIER_COUNT_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "../include/luthier/count.h"

#ifndef _WIN32
#include <pthread.h>
#endif
#include <stdbool.h>
#include <stdint.h>

#ifdef _WIN32 /* (Nothing is exported, and there is one model of thread-local storage.) */
#define HIDDEN
#define PUBLIC
#define INITIAL_EXEC
#else
#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))
#define INITIAL_EXEC tls_model("initial-exec"),
#endif

/* Without a budget the limit is out of reach. */
#define NO_LIMIT ((int64_t)1 << 62)
/* No thread executes so much, but loops that became products can count more: then it is "more than" this (shim/beyond.cpp in the pass). */
#define BEYOND ((uint64_t)1 << 62)
#define EXIT_STOPPED 124
#define EXIT_REFUSED 126

/* The counter of a thread is the sum of its lanes: additions to one place in memory wait for each other, additions to
 * several do not (shim/lower.cpp spreads them). Code with budget checks adds to two lanes, each of which has a part of the
 * remaining budget and counts up to 0. It takes back from a third, which is never more than 0. Checks test the first lane.
 * Additions to the second lane test it themselves, so it is never more than 0 at a check. While the first is negative, less has
 * been executed than the budget. A lane reaches 0 in time or too early; if too early, the remaining budget is divided anew.
 * Their count is the sum of these lanes, limit and signals. One cache line.
 *
 * Initial-exec: one load, no call, also in shared libraries; linkers turn it into a constant offset in executables. */
enum { LANES = 8, FIRST_LANE = 0, TAKEN_BACK_LANE = 1, SECOND_LANE = 2, CHECKED_LANES = 3, PARTS = 16 };
#define NO_COUNT {[FIRST_LANE] = -NO_LIMIT / 2, [SECOND_LANE] = -NO_LIMIT / 2}
extern PUBLIC _Thread_local int64_t __luthier_count[LANES] __attribute__((INITIAL_EXEC aligned(64)));

struct budget {
  uint64_t begin; /* count when pushed */
  uint64_t units;
  struct luthier_count_action action;
};

struct record;

/* What a budget for a whole run (c/pool.c) has granted to a thread. */
struct lease {
  bool joined;
  bool ended;       /* the report is written: nothing is charged any more */
  uint64_t end;     /* count up to which this thread may go; UINT64_MAX without a pool */
  uint64_t charged; /* count up to which the pool knows what it has executed */
};

/* One per thread, in thread-local storage. */
struct thread {
  int64_t limit;   /* see __luthier_count */
  int64_t parts[2]; /* what the first and the second lane got when they were set */
  int share;        /* the first one's, in so many PARTS of both */
  int64_t signals; /* counted inside signal handlers, in checked lanes */
  int64_t signals_unchecked; /* and in the other lanes */
  uint64_t folded; /* counted in slots that have been emptied */
  int64_t many;    /* what large amounts come to, of which the counted code tells */
  bool beyond;     /* that is BEYOND or more: the rest says nothing */
  struct record *record;
  int destructor_rounds;
  int depth;
  int floor;   /* so many budgets are not the program's: it can neither pop nor refill them */
  struct lease lease;
  int holds;    /* the lock, so many times */
  int settling; /* limit and lanes are being set: they do not agree */
  bool asking; /* a callback decides about more; meanwhile there is no limit */
  struct luthier_count_stop last_stop;
  struct luthier_count_task *task;
  void *signal_stack; /* ours, if the program has none */
  struct budget budgets[LUTHIER_COUNT_MOST_BUDGETS];
};
extern HIDDEN _Thread_local struct thread luthier_self __attribute__((INITIAL_EXEC aligned(16)));

/* Amounts of which the counter could wrap. A signal handler may add to them in between, but does not make them less. */
static inline void luthier_count_many(struct thread *self, int64_t amount) {
  if (__builtin_add_overflow(self->many, amount, &self->many) || self->many >= (int64_t)BEYOND)
    self->beyond = true;
}

/* A thread as the report shows it; outlives the thread. */
struct record {
  struct record *next;
  uint64_t number;
  uint64_t birth; /* count of the parent process at fork */
  uint64_t total;
  struct thread *running;
  int64_t *counter;
  bool beyond; /* and that is more than BEYOND */
  uint64_t frozen; /* the total that a stop has told */
};

/* Emitted by the compiler for modules that count per function or line (shim/apply.cpp). */
struct module {
  struct module *next;
  int64_t *(*slots_here)(void);
  const uint64_t *units;
  const char *table;
  uint64_t count;
  uint64_t also_in_total; /* budgets are checked: the thread's counter holds everything, too */
  uint64_t *sums; /* over threads that were folded */
};

/* runtime.c */
HIDDEN void luthier_begin_thread(void);
HIDDEN void luthier_set_thread_budget(uint64_t units);
HIDDEN void luthier_begin_budget(void);
HIDDEN void luthier_open_budget(void);
HIDDEN uint64_t luthier_fold_slots(void);
/* Both block signals until `luthier_unlock`. */
HIDDEN void luthier_lock(void);
HIDDEN void luthier_unlock(void);
HIDDEN bool luthier_try_lock(void); /* false if the holder does not let go */
HIDDEN uint64_t luthier_running_slot(const struct module *module, uint64_t slot);
/* The following are for holders of the lock: a library that is closed meanwhile takes its module along. */
HIDDEN uint64_t luthier_sum(void);
HIDDEN struct module *luthier_modules(void);
HIDDEN struct module *luthier_closed_modules(void); /* those of libraries that are gone, as copies without slots */
HIDDEN struct record *luthier_records(void);
HIDDEN struct record **luthier_records_head(void);
HIDDEN uint64_t luthier_record_total(const struct record *record); /* BEYOND if it is more */
HIDDEN bool luthier_record_beyond(const struct record *record);
HIDDEN bool luthier_is_dormant(void);
HIDDEN uint64_t luthier_checked_now(void); /* by code with budget checks */
HIDDEN void luthier_start(void);

#ifndef _WIN32
HIDDEN void luthier_before_fork(void);
HIDDEN void luthier_after_fork_parent(void);
HIDDEN void luthier_begin_copy(void); /* a child with memory of its own, made in whatever way */
#endif

HIDDEN uint64_t luthier_freeze(void); /* from now on totals are what they are now; returns their sum */

/* contracts.c */
HIDDEN const char *luthier_contract(int index);               /* NULL behind the last */
HIDDEN const char *luthier_add_contract(const char *contract); /* the one that it contradicts, or NULL */
HIDDEN bool luthier_has_checks(const char *contract);

/* budget.c */
HIDDEN void luthier_set_limit(void);
HIDDEN void luthier_part_anew(void);
HIDDEN void luthier_bind_handler(void); /* a signal handler begins: what handlers have counted before is part of the limit */
HIDDEN void luthier_push_own_budget(uint64_t units); /* that the program cannot pop */

/* pool.c */
HIDDEN bool luthier_pool_open(uint64_t units, const char *file); /* `file` may be null; false if there is no memory */
HIDDEN bool luthier_pool_take(uint64_t now); /* false if nothing is left */
HIDDEN void luthier_pool_join(void);
HIDDEN void luthier_pool_leave(void);
/* The process ends. Code that still runs, such as destructors of libraries, is bound by another budget of the same size. */
HIDDEN void luthier_pool_end(void);
HIDDEN void luthier_pool_share(int more); /* `more` threads of this or another process are about to begin */
HIDDEN void luthier_pool_unshare(int fewer); /* and did not */
HIDDEN void luthier_pool_after_fork(void);
HIDDEN uint64_t luthier_pool_left(uint64_t now);
HIDDEN bool luthier_pool_is_open(void);
HIDDEN void luthier_pool_describe(char *text, size_t size);

/* report.c */
HIDDEN bool luthier_report(const char *stopped); /* true if it was written by this call */
HIDDEN void luthier_take_back_report(void);
HIDDEN bool luthier_is_over(void); /* nothing is reported any more */
HIDDEN bool luthier_wants_report(void);
HIDDEN void luthier_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True in a child of vfork: it runs in the memory of its parent, whose count, share of the budget and report it leaves alone. */
HIDDEN bool luthier_is_borrower(void);
HIDDEN void luthier_stop(const char *reason) __attribute__((noreturn));
HIDDEN void luthier_stop_with(int status, const char *reason) __attribute__((noreturn));

#ifndef _WIN32
/* interpose.c */
struct sigaction;
HIDDEN int luthier_real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
HIDDEN void luthier_find_next(void); /* the functions that the runtime has put itself in front of */
HIDDEN bool luthier_sees_threads(void); /* false if the C library's own functions come first */
HIDDEN int luthier_real_sigaction(int, const struct sigaction *, struct sigaction *);

/* watchdog.c */
HIDDEN void luthier_watchdog_after_fork(void);
HIDDEN void luthier_watchdog_forget(void); /* this process has none */

/* ends.c */
HIDDEN void luthier_end_process(int status) __attribute__((noreturn));
HIDDEN void luthier_watch_signals(void);
HIDDEN void luthier_watch_signal(int number);
HIDDEN void luthier_set_last_words(int number, struct sigaction *action);
HIDDEN void luthier_hide_last_words(struct sigaction *action);
HIDDEN void luthier_begin_stack(struct thread *self);
HIDDEN void luthier_end_stack(struct thread *self);
#endif

#endif
