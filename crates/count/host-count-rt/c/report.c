/* What is told at the end: one file per process, written aside and renamed, or a line on stderr. */

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 4096 };

static pid_t owner;
static char *lent; /* not 0 for who runs in this process's memory, as children of vfork do */
static char stopped_borrower[240]; /* why a child of vfork was stopped */
static bool reported;
static bool over; /* and that was the last time */
static char directory[BUFFER / 2];
static char written[BUFFER]; /* the report of this process */
static char live[BUFFER];    /* while it has not reported: where its counters are */

struct out {
  int file;
  size_t used;
  bool failed;
  char buffer[BUFFER];
};

void luthier_say(const char *format, ...) {
  char text[1024] = "luthier count: ";
  size_t length = strlen(text), room = sizeof text - length - 1;
  va_list list;
  va_start(list, format);
  int longer = vsnprintf(text + length, room, format, list);
  va_end(list);
  length += longer < 0 ? 0 : longer < (int)room ? (size_t)longer : room - 1;
  text[length++] = '\n';
  /* (`dprintf` needs more than 8 KiB of stack, which a child of clone may not have.) */
  for (size_t done = 0; done < length;) {
    ssize_t part = write(STDERR_FILENO, text + done, length - done);
    if (part < 0 && errno != EINTR)
      return;
    done += part > 0 ? (size_t)part : 0;
  }
}

void luthier_stop(const char *reason) { luthier_stop_with(EXIT_STOPPED, reason); }

static bool blind; /* threads begin unseen */
/* False once there have been several threads. */
extern char __libc_single_threaded __attribute__((weak));

static void tell_of_unseen_threads(void) {
  if (blind && &__libc_single_threaded && !__libc_single_threaded)
    luthier_say("only the first thread is counted: this program does not count itself, a library of it does.\n"
                "  `luthier count run --preload` sees all threads.");
  blind = false; /* once; and threads of this runtime are none of the program's */
}

static void *flush_all(void *done) {
  fflush(NULL);
  sem_post(done);
  return NULL;
}

/* What the program had written and its C library still held. A thread of its own does it, as somebody who will never go on
 * may hold a stream. */
static void flush_output(void) {
  static sem_t done;
  pthread_t thread;
  struct timespec until;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  bool begun = sem_init(&done, 0, 0) == 0 && luthier_real_pthread_create(&thread, NULL, flush_all, &done) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  int result = begun ? sem_timedwait(&done, &until) : -1;
  while (begun && result != 0 && errno == EINTR)
    result = sem_timedwait(&done, &until);
  if (result != 0)
    luthier_say("output that the program had buffered could not be written");
}

bool luthier_is_borrower(void) { return owner != 0 && getpid() != owner && (!lent || *lent); }

/* In a copy of this process there is a zero in its place. Without room for it, every child counts as one of vfork. */
static void mark_memory(void) {
  if (!lent) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
      return;
    if (madvise(page, size, MADV_WIPEONFORK) != 0) {
      munmap(page, size);
      return;
    }
    lent = page;
  }
  *lent = 1;
}

/* The parent goes on when its child has ended, and stops at its own next check, as the count is the same. */
static void stop_borrower(int status, const char *reason) {
  snprintf(stopped_borrower, sizeof stopped_borrower, "%s, in a child of vfork", reason);
  luthier_say("%s", stopped_borrower);
  luthier_end_process(status);
}

void luthier_stop_with(int status, const char *reason) {
  static atomic_flag stopping = ATOMIC_FLAG_INIT;
  static char own[200];
  if (luthier_is_borrower()) {
    if (!reason)
      luthier_pool_describe(own, sizeof own);
    stop_borrower(status, reason ? reason : own);
  }
  if (atomic_flag_test_and_set(&stopping))
    for (;;)
      pause(); /* another thread stops the process already */
  luthier_freeze();
  if (!reason) {
    luthier_pool_describe(own, sizeof own);
    reason = own;
  }
  /* (The watchdog's thread counts nothing, and has nothing to say about itself.) */
  if (luthier_self.record)
    luthier_say("%s; thread %llu had executed %llu", reason, (unsigned long long)luthier_self.record->number,
                (unsigned long long)luthier_record_total(luthier_self.record));
  else
    luthier_say("%s", reason);
  tell_of_unseen_threads();
  flush_output();
  luthier_report(reason);
  luthier_end_process(status);
}

static void flush(struct out *out) {
  for (size_t done = 0; done < out->used && !out->failed;) {
    ssize_t written = write(out->file, out->buffer + done, out->used - done);
    if (written < 0 && errno != EINTR)
      out->failed = true;
    else if (written > 0)
      done += (size_t)written;
  }
  out->used = 0;
}

static void put(struct out *out, const char *text, size_t length) {
  while (length > 0) {
    size_t room = BUFFER - out->used, part = length < room ? length : room;
    memcpy(out->buffer + out->used, text, part);
    out->used += part;
    text += part;
    length -= part;
    if (out->used == BUFFER)
      flush(out);
  }
}

static void put_line(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_line(struct out *out, const char *format, ...) {
  static char text[BUFFER / 2]; /* (One thread writes a report, maybe on a small stack.) */
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  put(out, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

/* A limit on the size of files shall cost the report, not the program: its signal is held, and dropped if it is ours. */
struct size_signal {
  sigset_t mask;
  bool pending;
};

static struct size_signal hold_size_signal(void) {
  struct size_signal kept;
  sigset_t signal;
  kept.pending = sigpending(&signal) == 0 && sigismember(&signal, SIGXFSZ);
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signal, &kept.mask);
  return kept;
}

static void let_size_signal(struct size_signal kept) {
  sigset_t signal;
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  if (!kept.pending)
    sigtimedwait(&signal, NULL, &(struct timespec){0});
  pthread_sigmask(SIG_SETMASK, &kept.mask, NULL);
}

static void put_module(struct out *out, const struct module *module, bool has_slots) {
  put_line(out, "module\n");
  put(out, module->table, strlen(module->table));
  put_line(out, "counts");
  for (uint64_t slot = 0; slot < module->count; ++slot)
    put_line(out, "\t%llu", (unsigned long long)(module->sums[slot] + (has_slots ? luthier_running_slot(module, slot) : 0)));
  put_line(out, "\n");
}

/* docs/count/report-format.md */
static void write_report(struct out *out, const char *stopped) {
  static char program[BUFFER / 4];
  /* (That of the process names nothing once its first thread has ended.) */
  ssize_t length = readlink("/proc/thread-self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = 0;
  /* A tab or the end of a line would end the field. */
  for (char *at = program; *at; ++at)
    if ((unsigned char)*at < ' ' || *at == 127)
      *at = '?';
  put_line(out, "luthier-count\t1\nprocess\t%d\t%d\t%s\n", (int)getpid(), (int)getppid(), program);
  for (int index = 0; luthier_contract(index); ++index)
    put_line(out, "contract\t%s\n", luthier_contract(index));
  if (stopped)
    put_line(out, "stopped\t%s\n", stopped);
  for (struct record *record = luthier_records(); record; record = record->next)
    put_line(out, "thread\t%llu\t%llu\t%s\n", (unsigned long long)record->number, (unsigned long long)luthier_record_total(record),
             !record->running                   ? "ended"
             : record->running == &luthier_self ? "last"
                                                : "running");
  for (struct record *record = luthier_records(); record; record = record->next)
    if (luthier_record_beyond(record))
      put_line(out, "beyond\t%llu\n", (unsigned long long)record->number);
  for (struct module *module = luthier_modules(); module; module = module->next)
    put_module(out, module, true);
  for (struct module *module = luthier_closed_modules(); module; module = module->next)
    put_module(out, module, false);
  put_line(out, "end\n");
  flush(out);
}

static void write_file(const char *stopped) {
  static struct out out;
  static char aside[BUFFER];
  char *final = written;
  out.failed = false;
  /* A process can end as another program than it began: the name must be free. */
  for (int attempt = 0;; ++attempt) {
    snprintf(final, sizeof written, "%s/%d-%d.count", directory, (int)getpid(), attempt);
    snprintf(aside, sizeof aside, "%s/%d-%d.part", directory, (int)getpid(), attempt);
    if (access(final, F_OK) == 0 && attempt < 10000)
      continue;
    out.file = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    break;
  }
  if (out.file < 0) {
    luthier_say("cannot write %s: %s", aside, strerror(errno));
    return;
  }
  write_report(&out, stopped ? stopped : stopped_borrower[0] ? stopped_borrower : NULL);
  if (close(out.file) != 0)
    out.failed = true;
  if (out.failed || rename(aside, final) != 0) {
    luthier_say("cannot write %s: %s; the count of this process is lost", final, strerror(errno));
    unlink(aside);
  }
}

bool luthier_is_over(void) { return over; }
bool luthier_wants_report(void) { return directory[0] && !luthier_is_dormant(); }

static bool wants_file(void) { return luthier_wants_report() && strcmp(directory, "-") != 0; }

bool luthier_report(const char *stopped) {
  /* A child of vfork shares this memory but is not this process. */
  /* A process without a counted part has nothing to say (the library can be preloaded). */
  if (reported || !luthier_wants_report() || getpid() != owner || !luthier_contract(0))
    return false;
  reported = true;
  int saved = errno;
  /* Held until all is written: other threads may close libraries meanwhile. */
  if (!luthier_try_lock()) {
    luthier_say("the process ended inside the counter's own bookkeeping; its count is lost");
    return false;
  }
  luthier_fold_slots();
  tell_of_unseen_threads();
  if (strcmp(directory, "-") == 0) {
    for (struct record *record = luthier_records(); record; record = record->next)
      luthier_say("thread %llu: %s%llu", (unsigned long long)record->number, luthier_record_beyond(record) ? "more than " : "",
                  (unsigned long long)luthier_record_total(record));
    luthier_say("total: %llu", (unsigned long long)luthier_sum());
  } else {
    struct size_signal kept = hold_size_signal();
    write_file(stopped);
    let_size_signal(kept);
    /* `luthier count run` waits for this process no longer, whatever program it becomes. */
    unlink(live);
  }
  luthier_unlock();
  errno = saved;
  return true;
}

/* Ends the process, whose user has set a variable to something that it cannot be. */
static void refuse(const char *name, const char *text, const char *expected) {
  luthier_say("%s=%s is not %s", name, text, expected);
  luthier_end_process(EXIT_REFUSED);
}

/* False if the variable is not set. `what` is what the number should be; none is above `most`. */
static bool number_from(const char *name, const char *what, uint64_t most, uint64_t *number) {
  const char *text = getenv(name);
  if (!text || !*text)
    return false;
  errno = 0;
  unsigned long long value = strtoull(text, NULL, 10);
  if (errno || text[strspn(text, "0123456789")] || value > most)
    refuse(name, text, what);
  *number = value;
  return true;
}

/* Where `luthier count run` finds the counters of this process, in case it is killed (crates/count/count/src/sample.rs). As long as the
 * file is there it waits for this process, also if its parent has ended. */
static void write_live(void) {
  snprintf(live, sizeof live, "%s/%d.live", directory, (int)getpid());
  int file = open(live, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return; /* the report will say why nothing can be written here */
  static char line[BUFFER / 4];
#define AT(type, field) (unsigned)offsetof(struct type, field)
  int length = snprintf(line, sizeof line, "luthier-count-live 1 %d %llu %d %u %u %u %u %u %u %u %u %u %u\n", (int)getpid(),
                        (unsigned long long)(uintptr_t)luthier_records_head(), LANES, AT(record, next), AT(record, number),
                        AT(record, birth), AT(record, total), AT(record, running), AT(record, counter), AT(thread, limit),
                        AT(thread, signals), AT(thread, signals_unchecked), AT(thread, folded));
  struct size_signal kept = hold_size_signal();
  ssize_t done = write(file, line, (size_t)length);
  let_size_signal(kept);
  /* Nothing half-written stays. (Some file systems say only here that there is no room.) */
  if (close(file) != 0 || done != length)
    unlink(live);
}

/* The process goes on after all: it will report again. */
void luthier_take_back_report(void) {
  int saved = errno;
  if (written[0])
    unlink(written);
  reported = false;
  if (wants_file())
    write_live();
  errno = saved;
}

/* At start, and again in a forked child. */
void luthier_start(void) {
  bool child = owner != 0;
  owner = getpid();
  mark_memory();
  reported = over = false;
  if (child) {
    if (wants_file())
      write_live();
    return;
  }
  const char *where = getenv("LUTHIER_COUNT_OUTPUT");
  if (where && strlen(where) >= sizeof directory)
    refuse("LUTHIER_COUNT_OUTPUT", "...", "a directory: the name is too long");
  if (where)
    strcpy(directory, where);
  blind = !luthier_sees_threads();
  if (luthier_wants_report())
    luthier_watch_signals();
  if (wants_file())
    write_live();
}

static bool budget_asked;

/* A budget binds nobody if all parts that count are without checks. */
static void refuse_vain_budget(void) {
  bool checks = !budget_asked || !luthier_contract(0);
  for (int index = 0; luthier_contract(index); ++index)
    checks |= luthier_has_checks(luthier_contract(index));
  if (checks)
    return;
  luthier_say("a budget was asked for, but this program was built without budget checks.\n"
              "  Build it with `luthier count cc --budget` (or LUTHIER_COUNT=budget for the plugin).");
  fflush(NULL);
  luthier_end_process(EXIT_REFUSED);
}

/* Before all other constructors, which run under the budget, too. */
void luthier_open_budget(void) {
  uint64_t budget;
  const char *per = getenv("LUTHIER_COUNT_BUDGET_PER");
  bool by_thread = per && strcmp(per, "thread") == 0;
  if (per && *per && !by_thread && strcmp(per, "process") != 0)
    refuse("LUTHIER_COUNT_BUDGET_PER", per, "`thread` or `process`");
  if (!number_from("LUTHIER_COUNT_BUDGET", "a number of units", UINT64_MAX, &budget))
    return;
  budget_asked = true;
  if (by_thread) {
    luthier_set_thread_budget(budget);
  } else {
    static char file[BUFFER];
    snprintf(file, sizeof file, "%s/budget.pool", directory);
    if (!luthier_pool_open(budget, wants_file() ? file : NULL))
      luthier_stop("no memory for the budget");
  }
  luthier_begin_budget();
}

/* After all other constructors: every part of an executable has registered by now. (Where the runtime is a library of its own,
 * parts begin behind it.) */
__attribute__((constructor(65535))) static void apply_environment(void) {
  if (luthier_is_dormant())
    return;
  uint64_t watchdog;
  refuse_vain_budget();
  /* A deadline in the system's clock has room for more years than anybody waits. */
  if (number_from("LUTHIER_COUNT_WATCHDOG_MS", "a number of milliseconds", INT64_MAX / 1000, &watchdog) && watchdog &&
      luthier_count_watchdog(watchdog) != 0)
    luthier_stop("cannot start the watchdog");
}

static void at_end(void) {
  luthier_report(NULL);
  over = true;
  luthier_pool_end();
  refuse_vain_budget();
}
/* The last destructor: compilers let nobody else name a priority below 101. */
__attribute__((section(".fini_array.00001"), used)) static void (*last_destructor)(void) = at_end;
