/* The counter, the threads that have one, the modules that registered. */

#include "internal.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Thread_local int64_t __luthier_count[LANES] __attribute__((aligned(64))) = NO_COUNT;
_Thread_local struct thread luthier_self = {.limit = NO_LIMIT, .share = PARTS / 2, .lease = {.end = UINT64_MAX}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t started = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static struct record *records;
static struct record main_record;
static uint64_t threads;
static struct module *modules;
static struct module *closed;
static bool dormant;
static bool frozen;
static sigset_t holder_mask; /* signals that whoever holds the lock had blocked before */
static uint64_t thread_budget; /* for each thread */
static bool has_thread_budget;

/* No handler interrupts a holder: it could ask for the count, end the process, or never come back. Code of the program that a holder
 * calls, such as a `write` of its own, may lock again. */
static void hold(const sigset_t *mask) {
  holder_mask = *mask;
  luthier_self.holds = 1;
}

static void block_signals(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, before);
}

void luthier_lock(void) {
  sigset_t before;
  if (luthier_self.holds) {
    ++luthier_self.holds;
    return;
  }
  block_signals(&before);
  pthread_mutex_lock(&lock);
  hold(&before);
}

void luthier_unlock(void) {
  sigset_t before = holder_mask;
  if (--luthier_self.holds)
    return;
  pthread_mutex_unlock(&lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool luthier_try_lock(void) {
  sigset_t before;
  /* (A holder has crashed: what it was changing is not to be read.) */
  if (luthier_self.holds)
    return false;
  block_signals(&before);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 5;
  if (pthread_mutex_timedlock(&lock, &until) == 0) {
    hold(&before);
    return true;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return false;
}

struct module *luthier_modules(void) { return modules; }
struct module *luthier_closed_modules(void) { return closed; }
struct record *luthier_records(void) { return records; }
struct record **luthier_records_head(void) { return &records; }
bool luthier_is_dormant(void) { return dormant; }

uint64_t luthier_checked_now(void) {
  int64_t count = luthier_self.limit + luthier_self.signals;
  for (int lane = 0; lane < CHECKED_LANES; ++lane)
    count += __luthier_count[lane];
  return (uint64_t)count;
}

static int64_t plain_count(const struct thread *thread, const volatile int64_t *lanes) {
  int64_t count = thread->limit + thread->signals + thread->signals_unchecked + (int64_t)thread->folded;
  for (int lane = 0; lane < LANES; ++lane)
    count += lanes[lane];
  return count;
}

/* The lock is held, or no other thread is there. */
static uint64_t count_here(void) {
  if (luthier_self.beyond)
    return BEYOND;
  int64_t count = plain_count(&luthier_self, __luthier_count);
  for (struct module *module = modules; module; module = module->next) {
    if (module->also_in_total)
      continue;
    int64_t *slots = module->slots_here();
    for (uint64_t slot = 0; slot < module->count; ++slot)
      count += slots[slot] * (int64_t)module->units[slot];
  }
  return (uint64_t)count;
}

uint64_t luthier_count_now(void) {
  /* A module that is gone has left its share in `folded` before. */
  if (!__atomic_load_n(&modules, __ATOMIC_ACQUIRE))
    return luthier_self.beyond ? BEYOND : (uint64_t)plain_count(&luthier_self, __luthier_count);
  luthier_lock();
  uint64_t count = count_here();
  luthier_unlock();
  return count;
}

/* Another thread's slots. All thread-local storage here has the "initial exec" model: it lies at the same distance from
 * its thread's other variables in every thread. */
static volatile int64_t *slots_of(const struct module *module, const struct thread *thread) {
  return (int64_t *)((char *)module->slots_here() + ((char *)thread - (char *)&luthier_self));
}

/* Moves a thread's slots of a module into the sums; returns what was moved and not in the thread's own counter. */
static uint64_t fold(struct module *module, struct thread *thread) {
  uint64_t moved = 0;
  volatile int64_t *slots = slots_of(module, thread);
  for (uint64_t slot = 0; slot < module->count; ++slot) {
    uint64_t counted = (uint64_t)slots[slot];
    if (!module->also_in_total)
      moved += counted * module->units[slot];
    module->sums[slot] += counted;
    slots[slot] = 0;
  }
  thread->folded += moved;
  return moved;
}

/* The same for all modules and this thread. */
uint64_t luthier_fold_slots(void) {
  uint64_t moved = 0;
  for (struct module *module = modules; module; module = module->next)
    moved += fold(module, &luthier_self);
  return moved;
}

/* What threads that are still running, other than this one, have in a slot. */
uint64_t luthier_running_slot(const struct module *module, uint64_t slot) {
  uint64_t sum = 0;
  for (struct record *record = records; record; record = record->next)
    if (record->running && record->running != &luthier_self)
      sum += (uint64_t)slots_of(module, record->running)[slot];
  return sum;
}

bool luthier_record_beyond(const struct record *record) { return record->running ? record->running->beyond : record->beyond; }

/* Without the lock, modules may vanish: then their slots are left out. */
static uint64_t record_total(const struct record *record, bool locked) {
  if (luthier_record_beyond(record))
    return BEYOND;
  if (frozen)
    return record->frozen;
  if (!record->running)
    return record->total;
  if (record->running == &luthier_self && locked)
    return count_here() - record->birth;
  uint64_t now = (uint64_t)plain_count(record->running, record->counter);
  for (struct module *module = locked ? modules : NULL; module; module = module->next)
    for (uint64_t slot = 0; slot < module->count && !module->also_in_total; ++slot)
      now += (uint64_t)slots_of(module, record->running)[slot] * module->units[slot];
  return now - record->birth;
}

uint64_t luthier_record_total(const struct record *record) { return record_total(record, true); }

static uint64_t plus(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

uint64_t luthier_sum(void) {
  uint64_t sum = 0;
  for (struct record *record = records; record; record = record->next)
    sum = plus(sum, luthier_record_total(record));
  return sum;
}

uint64_t luthier_count_process(void) {
  luthier_lock();
  uint64_t sum = luthier_sum();
  luthier_unlock();
  return sum;
}

/* Other threads go on while a stop is told: message and report say the same. */
uint64_t luthier_freeze(void) {
  bool locked = luthier_try_lock();
  uint64_t sum = 0;
  for (struct record *record = records; record; record = record->next)
    sum = plus(sum, record->frozen = record_total(record, locked));
  frozen = true;
  if (locked)
    luthier_unlock();
  return sum;
}

static void adopt(struct record *record) {
  record->running = &luthier_self;
  record->counter = __luthier_count;
  luthier_self.record = record;
  luthier_begin_stack(&luthier_self);
  luthier_lock();
  record->number = threads++;
  struct record **last = &records;
  while (*last)
    last = &(*last)->next;
  *last = record;
  luthier_unlock();
}

void luthier_set_thread_budget(uint64_t units) {
  thread_budget = units;
  has_thread_budget = true;
}

/* What was asked for from outside. */
void luthier_begin_budget(void) {
  luthier_pool_join();
  if (has_thread_budget)
    luthier_push_own_budget(thread_budget);
}

void luthier_begin_thread(void) {
  if (dormant)
    return;
  struct record *record = calloc(1, sizeof *record);
  if (!record)
    luthier_stop("no memory for a thread's count");
  adopt(record);
  pthread_setspecific(at_thread_end, record);
  luthier_begin_budget();
}

/* Other destructors may run counted code after this one: stay until the last round. */
static void end_thread(void *value) {
  struct record *record = value;
  struct thread *self = &luthier_self;
  luthier_lock();
  luthier_fold_slots();
  record->total = (uint64_t)plain_count(self, __luthier_count) - record->birth;
  record->beyond = self->beyond;
  bool last = ++self->destructor_rounds >= 4; /* PTHREAD_DESTRUCTOR_ITERATIONS */
  if (last)
    record->running = NULL;
  luthier_unlock();
  if (last) {
    luthier_pool_leave();
    luthier_end_stack(self);
  }
  if (!last)
    pthread_setspecific(at_thread_end, record);
}

void luthier_before_fork(void) {
  luthier_pool_share(1);
  luthier_lock();
}
void luthier_after_fork_parent(void) { luthier_unlock(); }

/* A child reports what it executes itself. */
void luthier_begin_copy(void) {
  pthread_mutex_init(&lock, NULL);
  luthier_fold_slots();
  for (struct module *module = modules; module; module = module->next)
    memset(module->sums, 0, module->count * sizeof *module->sums);
  for (struct module *module = closed; module; module = module->next)
    memset(module->sums, 0, module->count * sizeof *module->sums);
  struct record *record = luthier_self.record ? luthier_self.record : &main_record;
  record->running = &luthier_self;
  record->counter = __luthier_count;
  luthier_self.beyond = false;
  luthier_self.many = 0;
  record->birth = count_here();
  record->next = NULL;
  records = record;
  luthier_start();
  luthier_pool_after_fork();
  if (has_thread_budget)
    luthier_self.budgets[0].begin = luthier_checked_now();
  luthier_set_limit();
  if (luthier_self.holds) {
    luthier_self.holds = 0;
    pthread_sigmask(SIG_SETMASK, &holder_mask, NULL);
  }
}

static void after_fork_child(void) {
  luthier_begin_copy();
  luthier_watchdog_after_fork();
}

PUBLIC __attribute__((preserve_most)) void __luthier_count_many(int64_t amount) { luthier_count_many(&luthier_self, amount); }

/* The article's scheme, for comparison (placement=article). */
PUBLIC void __luthier_count_article(int64_t units) { __luthier_count[0] += units; }

/* The same function under a name that no other copy of the runtime can take over. */
extern void this_copy(int64_t units) __attribute__((alias("__luthier_count_article"), visibility("hidden")));

static void start(void) {
  /* Two copies of the runtime can meet: one in the executable, one as a shared library. Symbols bind to the first. */
  void *first = dlsym(RTLD_DEFAULT, "__luthier_count_article");
  luthier_find_next();
  dlerror(); /* The program has not asked for what is missing. */
  dormant = first && first != (void *)&this_copy;
  if (dormant)
    return;
  pthread_key_create(&at_thread_end, end_thread);
  pthread_atfork(luthier_before_fork, luthier_after_fork_parent, after_fork_child);
  luthier_start();
  adopt(&main_record);
  luthier_open_budget();
}

__attribute__((constructor(101))) static void construct(void) { pthread_once(&started, start); }

/* Called by the constructor of every part of the program (executable, shared library) once per contract. The name is what a
   linker prints if this file is missing. */
PUBLIC void __luthier_count_has_no_runtime__link_with_what__luthier_count_flags_link__prints(const char *contract) {
  construct();
  const char *other = luthier_add_contract(contract);
  if (!other)
    return;
  luthier_say("parts of this program count differently: `%s` here, `%s` in a library that was loaded.\n"
              "  Their sum would mean nothing; build all of them with the same preset, point and compiler.",
              other, contract);
  luthier_end_process(EXIT_REFUSED);
}

/* Called by the constructor of every object that counts per function or line. */
PUBLIC void __luthier_count_register_module(struct module *module) {
  construct();
  module->sums = calloc(module->count, sizeof *module->sums);
  if (!module->sums)
    luthier_stop("no memory for the counts of a module");
  luthier_lock();
  module->next = modules;
  __atomic_store_n(&modules, module, __ATOMIC_RELEASE);
  luthier_unlock();
}

/* What stands for a module in the report once it is gone, in one piece of memory. */
static struct module *new_copy(const struct module *module) {
  size_t count = module->count, table = strlen(module->table) + 1;
  struct module *copy = calloc(1, sizeof *copy + 2 * count * sizeof(uint64_t) + table);
  if (!copy)
    luthier_stop("no memory for the counts of a library that is closed");
  uint64_t *sums = (uint64_t *)(copy + 1), *units = sums + count;
  char *text = (char *)(units + count);
  memcpy(units, module->units, count * sizeof *units);
  memcpy(text, module->table, table);
  *copy = (struct module){NULL, NULL, units, text, count, module->also_in_total, sums};
  return copy;
}

/* A library that is opened again and again has one copy. */
static struct module *closed_before(const struct module *module) {
  size_t bytes = module->count * sizeof *module->units;
  struct module *copy = closed;
  while (copy &&
         (copy->count != module->count || memcmp(copy->units, module->units, bytes) != 0 || strcmp(copy->table, module->table) != 0))
    copy = copy->next;
  return copy;
}

/* Called by the last destructor of every such object: a library that is closed takes its slots and its table along. Memory is asked
 * for and given back without the lock, as the program's own functions for it may count. */
PUBLIC void __luthier_count_forget_module(struct module *module) {
  struct module *fresh = dormant || luthier_is_over() ? NULL : new_copy(module);
  luthier_lock();
  struct module **link = &modules;
  while (*link && *link != module)
    link = &(*link)->next;
  bool known = *link != NULL;
  for (struct record *record = records; known && record; record = record->next)
    if (record->running)
      fold(module, record->running);
  struct module *copy = known && fresh ? closed_before(module) : NULL;
  if (known && fresh && !copy) {
    copy = fresh;
    fresh = NULL;
    copy->next = closed;
    closed = copy;
  }
  for (uint64_t slot = 0; copy && slot < module->count; ++slot)
    copy->sums[slot] += module->sums[slot];
  if (known)
    __atomic_store_n(link, module->next, __ATOMIC_RELEASE);
  luthier_unlock();
  free(fresh);
  if (known)
    free(module->sums);
}
