/* The counter, the threads that have one, the modules that registered. */

#include "internal.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
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
static uint64_t thread_budget; /* for each thread */
static bool has_thread_budget;

void luthier_lock(void) { pthread_mutex_lock(&lock); }
void luthier_unlock(void) { pthread_mutex_unlock(&lock); }

bool luthier_try_lock(void) {
  for (int attempt = 0; attempt < 100000; ++attempt) {
    if (pthread_mutex_trylock(&lock) == 0)
      return true;
    sched_yield();
  }
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

uint64_t luthier_count_now(void) {
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

uint64_t luthier_record_total(const struct record *record) {
  if (luthier_record_beyond(record))
    return BEYOND;
  if (frozen)
    return record->frozen;
  if (!record->running)
    return record->total;
  if (record->running == &luthier_self)
    return luthier_count_now() - record->birth;
  uint64_t now = (uint64_t)plain_count(record->running, record->counter);
  for (struct module *module = modules; module; module = module->next)
    for (uint64_t slot = 0; slot < module->count && !module->also_in_total; ++slot)
      now += (uint64_t)slots_of(module, record->running)[slot] * module->units[slot];
  return now - record->birth;
}

static uint64_t plus(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

uint64_t luthier_count_process(void) {
  uint64_t sum = 0;
  luthier_lock();
  for (struct record *record = records; record; record = record->next)
    sum = plus(sum, luthier_record_total(record));
  luthier_unlock();
  return sum;
}

/* Other threads go on while a stop is told: message and report say the same. */
uint64_t luthier_freeze(void) {
  bool locked = luthier_try_lock();
  uint64_t sum = 0;
  for (struct record *record = records; record; record = record->next)
    sum = plus(sum, record->frozen = luthier_record_total(record));
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
  record->birth = luthier_count_now();
  record->next = NULL;
  records = record;
  luthier_start();
  luthier_pool_after_fork();
  if (has_thread_budget)
    luthier_self.budgets[0].begin = luthier_checked_now();
  luthier_set_limit();
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
  modules = module;
  luthier_unlock();
}

/* The copy that stands for a module in the report once it is gone. A library that is opened again and again has one. */
static struct module *copy_of(const struct module *module) {
  size_t bytes = module->count * sizeof *module->units;
  for (struct module *copy = closed; copy; copy = copy->next)
    if (copy->count == module->count && memcmp(copy->units, module->units, bytes) == 0 && strcmp(copy->table, module->table) == 0)
      return copy;
  struct module *copy = malloc(sizeof *copy);
  uint64_t *units = malloc(bytes);
  char *table = strdup(module->table);
  uint64_t *sums = calloc(module->count, sizeof *sums);
  if (!copy || !units || !table || !sums) {
    luthier_unlock();
    luthier_stop("no memory for the counts of a library that is closed");
  }
  memcpy(units, module->units, bytes);
  *copy = (struct module){closed, NULL, units, table, module->count, module->also_in_total, sums};
  return closed = copy;
}

/* Called by the last destructor of every such object: a library that is closed takes its slots and its table along. */
PUBLIC void __luthier_count_forget_module(struct module *module) {
  if (dormant || luthier_has_reported())
    return;
  luthier_lock();
  struct module **link = &modules;
  while (*link && *link != module)
    link = &(*link)->next;
  if (*link) {
    *link = module->next;
    for (struct record *record = records; record; record = record->next)
      if (record->running)
        fold(module, record->running);
    struct module *copy = copy_of(module);
    for (uint64_t slot = 0; slot < module->count; ++slot)
      copy->sums[slot] += module->sums[slot];
    free(module->sums);
  }
  luthier_unlock();
}
