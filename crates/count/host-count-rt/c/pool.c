/* A budget that all threads and processes of a run share.
 *
 * Shared memory holds the remaining budget. Each thread takes leases: the number of units that it may count before it looks at
 * the pool again. A lease takes nothing out of the pool; the thread is charged for what it has executed when it comes back.
 * Units that a waiting thread has not used are therefore not lost, and the run is never stopped before the budget is used up. It
 * may be exceeded by what other threads have executed and not been charged for yet, at most their leases.
 *
 * A thread that has always been alone takes everything, so it is stopped where a budget of its own would stop it. As soon as there may
 * be another one, leases become small: at most MOST, and a fraction of what is left.
 *
 * With `--budget-per turn`, `luthier count run` raises `granted` at the begin of each turn to what the run has executed by then, so
 * that every turn begins with the whole budget. A lease of the turn before never reaches beyond the new limit. */

#include "internal.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEAST = 64, MOST = 1 << 18, EMPTY = 0, FILLING = 1, FILLED = 2 };

/* `luthier count run` makes the file, all zeros (POOL_BYTES in crates/count/count/src/run.rs). */
struct pool {
  _Atomic uint32_t state;
  _Atomic uint32_t shared; /* there has been more than one thread */
  _Atomic int32_t threads;
  _Atomic int32_t processes;
  _Atomic int64_t left; /* of the budget, without what has been charged; less than 0 if it is exceeded */
  uint64_t budget;
  /* Written by `luthier count run` while the program waits for input. */
  _Atomic int64_t granted; /* what the run had executed when the present turn began */
  _Atomic uint64_t turn;   /* 0 without turns, and before the first */
  _Atomic uint64_t before; /* executed by all processes before they had this budget */
  uint64_t unused;
};
_Static_assert(sizeof(struct pool) == 64 && offsetof(struct pool, granted) == 32, "turns.rs knows where these are");

static struct pool *pool;
static uint64_t before; /* counted by this process before there was a budget */

bool luthier_pool_is_open(void) { return pool; }

bool luthier_pool_open(uint64_t units, const char *path) {
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void *memory = mmap(NULL, sizeof(struct pool), PROT_READ | PROT_WRITE, MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
  if (file >= 0)
    close(file);
  if (memory == MAP_FAILED)
    return false;
  struct pool *new = memory;
  uint32_t empty = EMPTY;
  if (atomic_compare_exchange_strong(&new->state, &empty, FILLING)) {
    uint64_t most = (uint64_t)NO_LIMIT;
    new->budget = units < most ? units : most;
    atomic_store(&new->left, (int64_t)new->budget);
    atomic_store(&new->state, FILLED);
  } else {
    atomic_store(&new->shared, 1);
  }
  /* (Who fills it does nothing else meanwhile; if it was killed there, the budget is 0.) */
  for (int wait = 0; atomic_load(&new->state) != FILLED && wait < 1000; ++wait)
    usleep(1000);
  atomic_fetch_add(&new->processes, 1);
  atomic_fetch_add(&new->threads, 1);
  before = luthier_count_process();
  atomic_fetch_add(&new->before, before);
  pool = new;
  return true;
}

/* What is left of the budget, without what has not been charged yet. */
static int64_t left_in_pool(void) { return atomic_load(&pool->left) + atomic_load(&pool->granted); }

/* A fair part of what is left. */
static int64_t part_of(int64_t left) {
  if (!atomic_load(&pool->shared))
    return left;
  int32_t threads = atomic_load(&pool->threads);
  int64_t part = left / (4 * (int64_t)(threads > 1 ? threads : 2));
  part = part < LEAST ? LEAST : part > MOST ? MOST : part;
  return part < left ? part : left;
}

/* Charges what this thread has executed since it was here last. A signal handler may do the same in between: the differences
 * still add up to what has been executed. */
static void charge(uint64_t now) {
  int64_t used = (int64_t)(now - __atomic_exchange_n(&luthier_self.lease.charged, now, __ATOMIC_RELAXED));
  atomic_fetch_sub(&pool->left, used);
}

bool luthier_pool_take(uint64_t now) {
  struct lease *lease = &luthier_self.lease;
  if (!pool || !lease->joined)
    return true;
  if (lease->ended)
    return now < lease->end;
  charge(now);
  int64_t left = left_in_pool();
  lease->end = now;
  if (left <= 0)
    return false;
  lease->end += (uint64_t)part_of(left);
  return true;
}

void luthier_pool_join(void) {
  struct lease *lease = &luthier_self.lease;
  if (!pool || lease->joined)
    return;
  uint64_t now = luthier_checked_now();
  lease->charged = now;
  lease->joined = true;
  /* A thread that finds nothing left is stopped by its first check. */
  luthier_pool_take(now);
  luthier_set_limit();
}

void luthier_pool_leave(void) {
  struct lease *lease = &luthier_self.lease;
  if (!pool || !lease->joined || lease->ended || luthier_is_borrower())
    return;
  charge(luthier_checked_now());
  lease->joined = false;
  lease->end = UINT64_MAX;
  atomic_fetch_sub(&pool->threads, 1);
}

void luthier_pool_end(void) {
  struct lease *lease = &luthier_self.lease;
  if (!pool || !lease->joined || lease->ended || luthier_is_borrower())
    return;
  uint64_t now = luthier_checked_now();
  charge(now);
  lease->end = now + pool->budget;
  lease->ended = true;
  luthier_set_limit();
  atomic_fetch_sub(&pool->threads, 1);
}

void luthier_pool_share(int more) {
  if (!pool)
    return;
  atomic_store(&pool->shared, 1);
  atomic_fetch_add(&pool->threads, more);
  if (!luthier_self.lease.joined)
    return;
  /* A thread that begins others may wait for them then: what it has executed is charged, or a chain of such threads would never be stopped. */
  luthier_pool_take(luthier_checked_now());
  luthier_set_limit();
}

void luthier_pool_unshare(int fewer) {
  if (pool)
    atomic_fetch_sub(&pool->threads, fewer);
}

void luthier_pool_after_fork(void) {
  struct lease *lease = &luthier_self.lease;
  if (!pool)
    return;
  before = 0;
  atomic_fetch_add(&pool->processes, 1);
  /* What its parent held stays its parent's. */
  lease->joined = lease->ended = false;
  luthier_pool_join();
}

uint64_t luthier_pool_left(uint64_t now) {
  if (!pool)
    return UINT64_MAX;
  int64_t left = left_in_pool() - (luthier_self.lease.joined ? (int64_t)(now - luthier_self.lease.charged) : 0);
  return left > 0 ? (uint64_t)left : 0;
}

void luthier_pool_describe(char *text, size_t size) {
  unsigned long long used = luthier_count_process() - before, budget = pool->budget, turn = atomic_load(&pool->turn);
  if (turn)
    snprintf(text, size, "budget of %llu units reached in turn %llu, after %llu", budget, turn,
             used - (unsigned long long)atomic_load(&pool->granted));
  else if (atomic_load(&pool->processes) > 1)
    snprintf(text, size, "budget of %llu units for all processes reached, after %llu of this one", budget, used);
  else
    snprintf(text, size, "budget of %llu units reached after %llu", budget, used);
}
