/* A budget that all threads and processes of a run share.
 *
 * Each thread takes leases out of a pool in shared memory and looks at the pool again only when its lease is used up. A thread that
 * has always been alone takes everything, so it is stopped where a budget of its own would stop it. As soon as there may be
 * another one, leases become small: at most MOST, and a fraction of what is left.
 *
 * When the pool is empty, other threads may hold leases that they have not used. Then a thread that wants more gets as much again
 * as they hold together, so that the run is never stopped before the budget is used up; it may be exceeded by that. */

#include "internal.h"

#include <fcntl.h>
#include <stdatomic.h>
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
  _Atomic int64_t left;  /* less than 0: what threads that ended had executed beyond their leases */
  _Atomic int64_t held;  /* leases that may not have been used up */
  _Atomic int64_t beyond; /* granted beyond the budget */
  uint64_t budget;
  uint64_t unused[2];
};
_Static_assert(sizeof(struct pool) == 64, "run.rs knows the size");

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
  pool = new;
  return true;
}

/* A fair part of what is left. */
static int64_t part_of(int64_t left) {
  if (!atomic_load(&pool->shared))
    return left;
  int32_t threads = atomic_load(&pool->threads);
  int64_t part = left / (4 * (int64_t)(threads > 1 ? threads : 2));
  part = part < LEAST ? LEAST : part > MOST ? MOST : part;
  return part < left ? part : left;
}

/* Out of the pool, or beyond it; 0 if there is nothing. */
static int64_t grant(int64_t own) {
  for (;;) {
    int64_t left = atomic_load(&pool->left);
    if (left > 0) {
      int64_t part = part_of(left);
      if (!atomic_compare_exchange_strong(&pool->left, &left, left - part))
        continue;
      atomic_fetch_add(&pool->held, part - own);
      luthier_self.lease.held = (uint64_t)part;
      return part;
    }
    int64_t beyond = atomic_load(&pool->beyond), others = atomic_load(&pool->held) - own + left;
    if (beyond >= others)
      return 0;
    int64_t part = part_of(others - beyond);
    if (!atomic_compare_exchange_strong(&pool->beyond, &beyond, beyond + part))
      continue;
    atomic_fetch_sub(&pool->held, own);
    luthier_self.lease.held = 0;
    return part;
  }
}

bool luthier_pool_take(uint64_t now) {
  struct lease *lease = &luthier_self.lease;
  while (now >= lease->end) {
    int64_t part = grant((int64_t)lease->held);
    if (part == 0)
      return false;
    lease->end += (uint64_t)part;
  }
  return true;
}

/* Puts back what this thread has not used, or charges what it has executed beyond. */
static void give_back(uint64_t now) {
  struct lease *lease = &luthier_self.lease;
  int64_t unused = (int64_t)(lease->end - now);
  /* The last part that was granted is not used up; it came out of the pool, or was beyond the budget. */
  if (unused > 0 && lease->held == 0)
    atomic_fetch_sub(&pool->beyond, unused);
  else
    atomic_fetch_add(&pool->left, unused);
  atomic_fetch_sub(&pool->held, (int64_t)lease->held);
  lease->held = 0;
  lease->end = now;
}

void luthier_pool_join(void) {
  struct lease *lease = &luthier_self.lease;
  if (!pool || lease->joined)
    return;
  lease->joined = true;
  lease->held = 0;
  lease->end = luthier_checked_now();
  /* A thread that finds nothing left is stopped by its first check. */
  luthier_pool_take(lease->end);
  luthier_set_limit();
}

void luthier_pool_leave(void) {
  struct lease *lease = &luthier_self.lease;
  if (!pool || !lease->joined)
    return;
  give_back(luthier_checked_now());
  lease->joined = false;
  lease->end = UINT64_MAX;
  atomic_fetch_sub(&pool->threads, 1);
}

void luthier_pool_share(int more) {
  struct lease *lease = &luthier_self.lease;
  if (!pool)
    return;
  bool alone = atomic_exchange(&pool->shared, 1) == 0;
  atomic_fetch_add(&pool->threads, more);
  if (!lease->joined || !alone)
    return;
  uint64_t now = luthier_checked_now();
  give_back(now);
  luthier_pool_take(now);
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
  lease->joined = false;
  luthier_pool_join();
}

uint64_t luthier_pool_left(uint64_t now) {
  if (!pool)
    return UINT64_MAX;
  int64_t left = atomic_load(&pool->left) + (int64_t)(luthier_self.lease.end - now);
  return left > 0 ? (uint64_t)left : 0;
}

void luthier_pool_describe(char *text, size_t size) {
  unsigned long long used = luthier_count_process() - before, budget = pool->budget;
  if (atomic_load(&pool->processes) > 1)
    snprintf(text, size, "budget of %llu units for all processes reached, after %llu of this one", budget, used);
  else
    snprintf(text, size, "budget of %llu units reached after %llu", budget, used);
}
