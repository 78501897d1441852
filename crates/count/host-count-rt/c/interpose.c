/* Functions of the C library that the runtime must see: thread starts and signal handlers. How a process ends is told in
 * ends.c. */

#include "interpose.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#ifdef LUTHIER_COUNT_WRAP
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_sigaction(int, const struct sigaction *, struct sigaction *);
int __real_thrd_create(thrd_t *, thrd_start_t, void *);
#else
/* A sanitizer stands between the program and the C library, in the program itself, and gives its functions names of their own. Hidden: these
 * are those of the object that the runtime is in. A sanitizer in another object calls the runtime, or is found behind it. */
#define DECLARE_OF_SANITIZER(name) extern void __interceptor_##name(void) __attribute__((weak, visibility("hidden")));
ALL_REAL(DECLARE_OF_SANITIZER)

#define NEXT_ENTRY(name) {#name, (void *)__interceptor_##name},
static struct {
  const char *name;
  void *address;
} next[] = {ALL_REAL(NEXT_ENTRY)};

/* (A program that does not count, linked with a library that does, has its C library in front of this runtime.) */
static void *look_for(enum next which) {
  void *address = dlsym(RTLD_NEXT, next[which].name);
  return address ? address : dlsym(RTLD_DEFAULT, next[which].name);
}

void *luthier_next(enum next which) {
  void *address = __atomic_load_n(&next[which].address, __ATOMIC_RELAXED);
  /* (Libraries begin before the runtime does.) */
  if (!address)
    address = look_for(which);
  if (!address) {
    luthier_say("the C library has no %s", next[which].name);
    luthier_end_process(EXIT_REFUSED);
  }
  return address;
}
#endif

void luthier_find_next(void) {
#ifndef LUTHIER_COUNT_WRAP
  for (size_t which = 0; which < sizeof next / sizeof *next; ++which)
    if (!next[which].address)
      __atomic_store_n(&next[which].address, look_for((enum next)which), __ATOMIC_RELAXED);
#endif
}

typedef int pthread_create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);
typedef int thrd_create_fn(thrd_t *, thrd_start_t, void *);

int luthier_real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  return REAL(pthread_create, pthread_create_fn *)(thread, attributes, run, argument);
}

struct thread_start {
  void *(*run)(void *);
  int (*run_c11)(void *);
  void *argument;
};

static void *thread_main(void *pointer) {
  struct thread_start start = *(struct thread_start *)pointer;
  free(pointer);
  luthier_begin_thread();
  return start.run(start.argument);
}

static int thread_main_c11(void *pointer) {
  struct thread_start start = *(struct thread_start *)pointer;
  free(pointer);
  luthier_begin_thread();
  return start.run_c11(start.argument);
}

PUBLIC int ENTRY(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  struct thread_start *start = malloc(sizeof *start);
  if (!start)
    return EAGAIN;
  *start = (struct thread_start){.run = run, .argument = argument};
  luthier_pool_share(1);
  int result = luthier_real_pthread_create(thread, attributes, thread_main, start);
  if (result != 0) {
    luthier_pool_unshare(1);
    free(start);
  }
  return result;
}

PUBLIC int ENTRY(thrd_create)(thrd_t *thread, thrd_start_t run, void *argument) {
  struct thread_start *start = malloc(sizeof *start);
  if (!start)
    return thrd_nomem;
  *start = (struct thread_start){.run_c11 = run, .argument = argument};
  luthier_pool_share(1);
  int result = REAL(thrd_create, thrd_create_fn *)(thread, thread_main_c11, start);
  if (result != thrd_success) {
    luthier_pool_unshare(1);
    free(start);
  }
  return result;
}

bool luthier_sees_threads(void) {
#ifdef LUTHIER_COUNT_WRAP
  return true;
#else
  bool sees = dlsym(RTLD_NEXT, "pthread_create") != NULL;
  dlerror();
  return sees;
#endif
}

/* Signal handlers ------------------------------------------------------------------------------------------------------
 * The interrupted code may hold the counter in a register, or be between a load and a store of it. The count of a
 * handler is therefore taken out of the counter when the handler returns, and kept beside it. */

static struct {
  void (*plain)(int);
  void (*informed)(int, siginfo_t *, void *);
  int flags;
} handlers[NSIG];

static void on_signal(int number, siginfo_t *info, void *context) {
  /* The kernel has put the default action back already. */
  if (handlers[number].flags & SA_RESETHAND)
    luthier_watch_signal(number);
  struct thread *self = &luthier_self;
  int64_t lanes[LANES], limit = self->limit, parts[2] = {self->parts[0], self->parts[1]};
  int share = self->share;
  memcpy(lanes, __luthier_count, sizeof lanes);
  /* (The interrupted code may be about to look at what it has added.) */
  if (lanes[SECOND_LANE] > 0)
    luthier_part_anew();
  /* What handlers before this one have counted brings the limit nearer, or a program could work in handlers for ever. */
  luthier_bind_handler();
  if (handlers[number].flags & SA_SIGINFO)
    handlers[number].informed(number, info, context);
  else
    handlers[number].plain(number);
  /* Slots per function or line keep what the handler added to them. */
  self->signals += self->limit - limit;
  for (int lane = 0; lane < LANES; ++lane)
    *(lane < CHECKED_LANES ? &self->signals : &self->signals_unchecked) += __luthier_count[lane] - lanes[lane];
  /* A budget changed by the handler would move the split between counter and limit; that waits until the counter is in its
   * place: at the limit that stands, or when a budget is changed next. */
  self->limit = limit;
  self->parts[0] = parts[0];
  self->parts[1] = parts[1];
  self->share = share;
  memcpy(__luthier_count, lanes, sizeof lanes);
}

int luthier_real_sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  return REAL(sigaction, sigaction_fn *)(number, action, old);
}

PUBLIC int ENTRY(sigaction)(int number, const struct sigaction *action, struct sigaction *old) {
  sigaction_fn *real = REAL(sigaction, sigaction_fn *);
  if (number <= 0 || number >= NSIG || luthier_is_dormant())
    return real(number, action, old);
  struct sigaction before, changed;
  void (*plain)(int) = handlers[number].plain;
  void (*informed)(int, siginfo_t *, void *) = handlers[number].informed;
  int flags = handlers[number].flags;
  if (action) {
    changed = *action;
    bool is_function = (action->sa_flags & SA_SIGINFO) ||
                       (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN && action->sa_handler != SIG_ERR);
    if (is_function) {
      handlers[number].flags = action->sa_flags;
      if (action->sa_flags & SA_SIGINFO)
        handlers[number].informed = action->sa_sigaction;
      else
        handlers[number].plain = action->sa_handler;
      changed.sa_flags |= SA_SIGINFO;
      changed.sa_sigaction = on_signal;
    } else if (action->sa_handler == SIG_DFL) {
      luthier_set_last_words(number, &changed);
    }
  }
  int result = real(number, action ? &changed : NULL, &before);
  if (result != 0) {
    handlers[number].plain = plain;
    handlers[number].informed = informed;
    handlers[number].flags = flags;
  } else if (old) {
    *old = before;
    luthier_hide_last_words(old);
    if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction == on_signal) {
      old->sa_flags = flags | (before.sa_flags & ~SA_SIGINFO);
      if (flags & SA_SIGINFO)
        old->sa_sigaction = informed;
      else
        old->sa_handler = plain;
    }
  }
  return result;
}

PUBLIC __sighandler_t ENTRY(signal)(int number, __sighandler_t handler) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  sigemptyset(&action.sa_mask);
  return ENTRY(sigaction)(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
