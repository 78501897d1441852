/* The runtime on Windows, in place of all other files but budget.c and contracts.c: threads, totals, budgets of a thread, the report.
 *
 * Threads announce themselves through a callback of thread-local storage, which the system's loader runs when a thread begins and
 * ends, and when the process ends in whatever orderly way. There is no watchdog, no budget for a whole run and no task. */

#ifdef _WIN32

#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

_Thread_local int64_t __luthier_count[LANES] __attribute__((aligned(64))) = NO_COUNT;
_Thread_local struct thread luthier_self = {.limit = NO_LIMIT, .share = PARTS / 2, .lease = {.end = UINT64_MAX}};

enum { LINE = 2048 };

static SRWLOCK lock = SRWLOCK_INIT;
static struct record *records;
static uint64_t threads;
static struct module *modules;
static bool reported;
static const char *stopped;

uint64_t luthier_checked_now(void) {
  int64_t count = luthier_self.limit + luthier_self.signals;
  for (int lane = 0; lane < CHECKED_LANES; ++lane)
    count += __luthier_count[lane];
  return (uint64_t)count;
}

/* A library's thread-local variables lie at the same distance from each other in every thread. */
static volatile int64_t *slots_of(const struct module *module, const struct thread *thread) {
  return (int64_t *)((char *)module->slots_here() + ((char *)thread - (char *)&luthier_self));
}

static uint64_t count_of(const struct thread *thread, const volatile int64_t *lanes) {
  int64_t count = thread->limit + thread->signals + (int64_t)thread->folded;
  for (int lane = 0; lane < LANES; ++lane)
    count += lanes[lane];
  for (struct module *module = modules; module; module = module->next)
    for (uint64_t slot = 0; slot < module->count && !module->also_in_total; ++slot)
      count += slots_of(module, thread)[slot] * (int64_t)module->units[slot];
  return (uint64_t)count;
}

PUBLIC uint64_t luthier_count_now(void) { return luthier_self.beyond ? BEYOND : count_of(&luthier_self, __luthier_count); }

static bool is_beyond(const struct record *record) { return record->running ? record->running->beyond : record->beyond; }

static uint64_t record_total(const struct record *record) {
  if (is_beyond(record))
    return BEYOND;
  return record->running ? count_of(record->running, record->counter) : record->total;
}

PUBLIC uint64_t luthier_count_process(void) {
  uint64_t sum = 0;
  AcquireSRWLockExclusive(&lock);
  for (struct record *record = records; record; record = record->next)
    sum += record_total(record);
  ReleaseSRWLockExclusive(&lock);
  return sum;
}

static void begin_thread(void) {
  struct record *record = HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof *record);
  if (!record || luthier_self.record)
    return;
  record->running = luthier_self.record ? NULL : &luthier_self;
  record->counter = __luthier_count;
  luthier_self.record = record;
  AcquireSRWLockExclusive(&lock);
  record->number = threads++;
  struct record **last = &records;
  while (*last)
    last = &(*last)->next;
  *last = record;
  ReleaseSRWLockExclusive(&lock);
}

static void end_thread(void) {
  struct record *record = luthier_self.record;
  if (!record)
    return;
  AcquireSRWLockExclusive(&lock);
  record->total = luthier_count_now();
  record->beyond = luthier_self.beyond;
  for (struct module *module = modules; module; module = module->next)
    for (uint64_t slot = 0; slot < module->count; ++slot)
      module->sums[slot] += (uint64_t)module->slots_here()[slot];
  record->running = NULL;
  ReleaseSRWLockExclusive(&lock);
}

void luthier_say(const char *format, ...) {
  char text[1024];
  DWORD written;
  va_list list;
  va_start(list, format);
  int length = snprintf(text, sizeof text, "luthier count: ");
  int more = vsnprintf(text + length, sizeof text - (size_t)length - 1, format, list);
  va_end(list);
  length += more < 0 ? 0 : more;
  if (length > (int)sizeof text - 2)
    length = sizeof text - 2;
  text[length] = '\n';
  WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)length + 1, &written, NULL);
}

static void put(HANDLE file, const char *text, size_t length) {
  DWORD written;
  WriteFile(file, text, (DWORD)length, &written, NULL);
}

static void put_line(HANDLE file, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_line(HANDLE file, const char *format, ...) {
  char text[LINE];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  put(file, text, length < LINE ? (size_t)length : LINE - 1);
}

/* docs/count/report-format.md */
static void write_report(HANDLE file) {
  char program[LINE / 2] = "";
  GetModuleFileNameA(NULL, program, sizeof program - 1);
  put_line(file, "luthier-count\t1\nprocess\t%lu\t0\t%s\n", GetCurrentProcessId(), program);
  for (int index = 0; luthier_contract(index); ++index)
    put_line(file, "contract\t%s\n", luthier_contract(index));
  if (stopped)
    put_line(file, "stopped\t%s\n", stopped);
  for (struct record *record = records; record; record = record->next)
    put_line(file, "thread\t%llu\t%llu\t%s\n", (unsigned long long)record->number, (unsigned long long)record_total(record),
             !record->running                   ? "ended"
             : record->running == &luthier_self ? "last"
                                                : "running");
  for (struct record *record = records; record; record = record->next)
    if (is_beyond(record))
      put_line(file, "beyond\t%llu\n", (unsigned long long)record->number);
  for (struct module *module = modules; module; module = module->next) {
    put_line(file, "module\n");
    put(file, module->table, strlen(module->table));
    put_line(file, "counts");
    for (uint64_t slot = 0; slot < module->count; ++slot) {
      uint64_t sum = module->sums[slot];
      for (struct record *record = records; record; record = record->next)
        if (record->running)
          sum += (uint64_t)slots_of(module, record->running)[slot];
      put_line(file, "\t%llu", (unsigned long long)sum);
    }
    put_line(file, "\n");
  }
  put_line(file, "end\n");
}

static void report(void) {
  char directory[LINE / 2], path[LINE];
  DWORD length = GetEnvironmentVariableA("LUTHIER_COUNT_OUTPUT", directory, sizeof directory);
  if (reported || !length || !luthier_contract(0))
    return;
  reported = true;
  if (length >= sizeof directory)
    return luthier_say("LUTHIER_COUNT_OUTPUT is not a directory: the name is too long");
  if (strcmp(directory, "-") == 0) {
    uint64_t sum = 0;
    for (struct record *record = records; record; record = record->next) {
      luthier_say("thread %llu: %s%llu", (unsigned long long)record->number, is_beyond(record) ? "more than " : "",
                  (unsigned long long)record_total(record));
      sum += record_total(record);
    }
    return luthier_say("total: %llu", (unsigned long long)sum);
  }
  snprintf(path, sizeof path, "%s/%lu-0.count", directory, GetCurrentProcessId());
  HANDLE file = CreateFileA(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE)
    return luthier_say("cannot write %s: error %lu", path, GetLastError());
  write_report(file);
  CloseHandle(file);
}

void luthier_stop(const char *reason) {
  luthier_say("%s; thread %llu had executed %llu", reason, luthier_self.record ? (unsigned long long)luthier_self.record->number : 0ULL,
              (unsigned long long)luthier_count_now());
  stopped = reason;
  fflush(NULL);
  report();
  ExitProcess(EXIT_STOPPED);
}

static void NTAPI on_change(void *module, DWORD reason, void *unused) {
  (void)module, (void)unused;
  switch (reason) {
  case DLL_PROCESS_ATTACH:
  case DLL_THREAD_ATTACH: return begin_thread();
  case DLL_THREAD_DETACH: return end_thread();
  case DLL_PROCESS_DETACH: return report();
  }
}
/* Between the C library's first and last entry of the loader's list. */
__attribute__((section(".CRT$XLL"), used)) PIMAGE_TLS_CALLBACK luthier_on_change = on_change;

/* The system calls the above at the end of the process, too, however it ends; wine does not. */
__attribute__((destructor(101))) static void at_end(void) { report(); }

PUBLIC __attribute__((preserve_most)) void __luthier_count_many(int64_t amount) { luthier_count_many(&luthier_self, amount); }

PUBLIC void __luthier_count_article(int64_t units) { __luthier_count[0] += units; }

PUBLIC void __luthier_count_has_no_runtime__link_with_what__luthier_count_flags_link__prints(const char *contract) {
  const char *other = luthier_add_contract(contract);
  if (!other)
    return;
  luthier_say("parts of this program count differently: `%s` here, `%s` there.\n"
              "  Their sum would mean nothing; build all of them with the same preset, point and compiler.",
              other, contract);
  reported = true;
  ExitProcess(EXIT_REFUSED);
}

PUBLIC void __luthier_count_register_module(struct module *module) {
  module->sums = calloc(module->count, sizeof *module->sums);
  if (!module->sums)
    luthier_stop("no memory for the counts of a module");
  AcquireSRWLockExclusive(&lock);
  module->next = modules;
  modules = module;
  ReleaseSRWLockExclusive(&lock);
}

/* One budget for each thread there is when the program begins: the first. Static objects are constructed under it. */
__attribute__((constructor(101))) static void apply_environment(void) {
  char text[40];
  DWORD length = GetEnvironmentVariableA("LUTHIER_COUNT_BUDGET_PER", text, sizeof text);
  if (length && (length >= sizeof text || (strcmp(text, "thread") != 0 && strcmp(text, "process") != 0)))
    luthier_stop("LUTHIER_COUNT_BUDGET_PER is not `thread` or `process`");
  length = GetEnvironmentVariableA("LUTHIER_COUNT_WATCHDOG_MS", text, sizeof text);
  if (length && (length >= sizeof text || strspn(text, "0") != length))
    luthier_stop("LUTHIER_COUNT_WATCHDOG_MS: there is no watchdog on Windows");
  length = GetEnvironmentVariableA("LUTHIER_COUNT_BUDGET", text, sizeof text);
  if (!length)
    return;
  errno = 0;
  unsigned long long units = length < sizeof text ? strtoull(text, NULL, 10) : 0;
  if (length >= sizeof text || errno || text[strspn(text, "0123456789")])
    luthier_stop("LUTHIER_COUNT_BUDGET is not a number of units");
  luthier_push_own_budget(units);
}

/* There is no pool here: leases never end. */
bool luthier_pool_take(uint64_t now) { return (void)now, true; }
uint64_t luthier_pool_left(uint64_t now) { return (void)now, UINT64_MAX; }

#endif
