/* Functions of the C library that the runtime must see: thread starts, signal handlers, ways to end without destructors.
 *
 * In dynamically linked programs a definition in the executable comes first and finds the library's by RTLD_NEXT. In
 * static programs the linker's --wrap does the same (built with LUTHIER_COUNT_WRAP). */

#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#ifdef LUTHIER_COUNT_WRAP
#define ENTRY(name) __wrap_##name
#define REAL(name, type) (__real_##name)
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_sigaction(int, const struct sigaction *, struct sigaction *);
int __real_thrd_create(thrd_t *, thrd_start_t, void *);
#else
#define ENTRY(name) name
#define REAL(name, type) ((type)next(#name))
static void *next(const char *name) {
  void *address = dlsym(RTLD_NEXT, name);
  if (!address) {
    luthier_say("the C library has no %s", name);
    luthier_end_process(EXIT_REFUSED);
  }
  return address;
}
#endif

typedef int pthread_create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);
typedef int thrd_create_fn(thrd_t *, thrd_start_t, void *);

void luthier_end_process(int status) {
  for (;;)
    syscall(SYS_exit_group, status);
}

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

PUBLIC int ENTRY(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                                 void *argument) {
  struct thread_start *start = malloc(sizeof *start);
  if (!start)
    return EAGAIN;
  *start = (struct thread_start){.run = run, .argument = argument};
  int result = luthier_real_pthread_create(thread, attributes, thread_main, start);
  if (result != 0)
    free(start);
  return result;
}

PUBLIC int ENTRY(thrd_create)(thrd_t *thread, thrd_start_t run, void *argument) {
  struct thread_start *start = malloc(sizeof *start);
  if (!start)
    return thrd_nomem;
  *start = (struct thread_start){.run_c11 = run, .argument = argument};
  int result = REAL(thrd_create, thrd_create_fn *)(thread, thread_main_c11, start);
  if (result != thrd_success)
    free(start);
  return result;
}

/* Signal handlers ------------------------------------------------------------------------------------------------------
 * The interrupted code may hold the counter in a register, or be between a load and a store of it. What a handler counts
 * is therefore taken out of the counter when it returns and kept beside it. */

static struct {
  void (*plain)(int);
  void (*informed)(int, siginfo_t *, void *);
  int flags;
} handlers[NSIG];

static void on_signal(int number, siginfo_t *info, void *context) {
  int64_t counter = __luthier_count, limit = luthier_self.limit;
  if (handlers[number].flags & SA_SIGINFO)
    handlers[number].informed(number, info, context);
  else
    handlers[number].plain(number);
  /* Slots per function or line keep what the handler added to them. */
  luthier_self.signals += __luthier_count + luthier_self.limit - (counter + limit);
  /* A budget changed by the handler moves the split between counter and limit. */
  __luthier_count = counter + (limit - luthier_self.limit);
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
    }
  }
  int result = real(number, action ? &changed : NULL, &before);
  if (result != 0) {
    handlers[number].plain = plain;
    handlers[number].informed = informed;
    handlers[number].flags = flags;
  } else if (old) {
    *old = before;
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

/* Ends without destructors --------------------------------------------------------------------------------------------- */

PUBLIC void ENTRY(_exit)(int status) {
  luthier_report(NULL);
  luthier_end_process(status);
}

PUBLIC void ENTRY(_Exit)(int status) {
  luthier_report(NULL);
  luthier_end_process(status);
}

static void at_quick_end(void) { luthier_report(NULL); }
__attribute__((constructor)) static void watch_quick_exit(void) { at_quick_exit(at_quick_end); }
