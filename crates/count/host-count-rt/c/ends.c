/* Ways a process ends, or becomes another program, without running destructors: each must report first. */

#include "interpose.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef LUTHIER_COUNT_WRAP
int __real_execve(const char *, char *const[], char *const[]);
int __real_execvpe(const char *, char *const[], char *const[]);
int __real_fexecve(int, char *const[], char *const[]);
#endif

typedef int exec_fn(const char *, char *const[], char *const[]);
typedef int fexec_fn(int, char *const[], char *const[]);

void luthier_end_process(int status) {
  for (;;)
    syscall(SYS_exit_group, status);
}

PUBLIC void ENTRY(_exit)(int status) {
  luthier_report(NULL);
  luthier_pool_leave();
  luthier_end_process(status);
}

PUBLIC void ENTRY(_Exit)(int status) {
  luthier_report(NULL);
  luthier_pool_leave();
  luthier_end_process(status);
}

static void at_quick_end(void) { luthier_report(NULL); }
__attribute__((constructor)) static void watch_quick_exit(void) { at_quick_exit(at_quick_end); }

/* Signals without a handler -------------------------------------------------------------------------------------------
 * If the default action would end the process, a handler reports the count first. Then it lets the default action happen,
 * so that the parent sees the same signal and a core is dumped as before. The program sees that the default is set. */

enum { LAST_SIGNAL = 31, STACK_BYTES = 64 * 1024 };

static bool ends_process(int number) {
  switch (number) {
  case SIGKILL: /* cannot be handled */
  case SIGSTOP:
  case SIGCHLD: /* ignored or stopping by default */
  case SIGCONT:
  case SIGTSTP:
  case SIGTTIN:
  case SIGTTOU:
  case SIGURG:
  case SIGWINCH: return false;
  default: return number >= 1 && number <= LAST_SIGNAL;
  }
}

static void last_words(int number, siginfo_t *info, void *context) {
  (void)info, (void)context;
  char text[64];
  const char *name = sigabbrev_np(number);
  snprintf(text, sizeof text, "ended by signal %d (SIG%s)", number, name ? name : "?");
  luthier_report(text);
  struct sigaction usual = {.sa_handler = SIG_DFL};
  luthier_real_sigaction(number, &usual, NULL);
  /* Blocked while it is handled: it comes when this returns, where it came the first time. */
  raise(number);
}

void luthier_set_last_words(int number, struct sigaction *action) {
  if (!ends_process(number) || !luthier_wants_report())
    return;
  memset(action, 0, sizeof *action);
  action->sa_sigaction = last_words;
  action->sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action->sa_mask);
}

void luthier_hide_last_words(struct sigaction *action) {
  if (!(action->sa_flags & SA_SIGINFO) || action->sa_sigaction != last_words)
    return;
  memset(action, 0, sizeof *action);
  action->sa_handler = SIG_DFL;
}

void luthier_watch_signal(int number) {
  struct sigaction action, now;
  /* (SA_RESETHAND leaves the flags as they were.) */
  if (luthier_real_sigaction(number, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
    return;
  action.sa_handler = SIG_DFL;
  luthier_set_last_words(number, &action);
  if (action.sa_handler != SIG_DFL)
    luthier_real_sigaction(number, &action, NULL);
}

void luthier_watch_signals(void) {
  for (int number = 1; number <= LAST_SIGNAL; ++number)
    if (ends_process(number))
      luthier_watch_signal(number);
}

/* A stack that overflowed cannot carry a handler. */
void luthier_begin_stack(struct thread *self) {
  stack_t now;
  if (!luthier_wants_report() || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
    return;
  void *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return; /* only an overflow of the stack would go without a report */
  stack_t own = {.ss_sp = memory, .ss_size = STACK_BYTES};
  if (sigaltstack(&own, NULL) == 0)
    self->signal_stack = memory;
  else
    munmap(memory, STACK_BYTES);
}

void luthier_end_stack(struct thread *self) {
  stack_t now;
  if (!self->signal_stack)
    return;
  /* The program may have set another one meanwhile. */
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == self->signal_stack) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
  }
  munmap(self->signal_stack, STACK_BYTES);
  self->signal_stack = NULL;
}

/* exec -----------------------------------------------------------------------------------------------------------------
 * The count so far is told before; if the other program does not start, it is taken back. */

/* The other program joins the budget of the run itself. A child of `vfork` leaves its parent's share alone, but for what a
 * further process needs. */
static void hand_over(bool told) { told ? luthier_pool_leave() : luthier_pool_share(0); }

static void take_back(bool told) {
  if (!told)
    return;
  int saved = errno;
  luthier_take_back_report();
  luthier_pool_unshare(-1);
  luthier_pool_join();
  errno = saved;
}

static int become(const char *path, char *const arguments[], char *const environment[], bool search) {
  bool told = luthier_report(NULL);
  hand_over(told);
  search ? REAL(execvpe, exec_fn *)(path, arguments, environment) : REAL(execve, exec_fn *)(path, arguments, environment);
  take_back(told);
  return -1;
}

PUBLIC int ENTRY(execve)(const char *path, char *const arguments[], char *const environment[]) {
  return become(path, arguments, environment, false);
}

PUBLIC int ENTRY(execv)(const char *path, char *const arguments[]) { return become(path, arguments, environ, false); }

PUBLIC int ENTRY(execvpe)(const char *file, char *const arguments[], char *const environment[]) {
  return become(file, arguments, environment, true);
}

PUBLIC int ENTRY(execvp)(const char *file, char *const arguments[]) { return become(file, arguments, environ, true); }

PUBLIC int ENTRY(fexecve)(int file, char *const arguments[], char *const environment[]) {
  bool told = luthier_report(NULL);
  hand_over(told);
  REAL(fexecve, fexec_fn *)(file, arguments, environment);
  take_back(told);
  return -1;
}

/* The forms with a list: as many words as there are before the null pointer, and after it, for execle, the environment. */
static int become_list(const char *path, const char *first, va_list list, bool has_environment, bool search) {
  va_list again;
  va_copy(again, list);
  size_t words = 1;
  if (first)
    while (va_arg(again, char *))
      ++words;
  va_end(again);
  char *arguments[words + 1];
  arguments[0] = (char *)first;
  for (size_t index = 1; first && index <= words; ++index)
    arguments[index] = va_arg(list, char *);
  char **environment = has_environment ? va_arg(list, char **) : environ;
  return become(path, arguments, environment, search);
}

#define LIST_FORM(name, has_environment, search)                          \
  PUBLIC int ENTRY(name)(const char *path, const char *first, ...) {      \
    va_list list;                                                         \
    va_start(list, first);                                                \
    int result = become_list(path, first, list, has_environment, search); \
    va_end(list);                                                         \
    return result;                                                        \
  }
LIST_FORM(execl, false, false)
LIST_FORM(execlp, false, true)
LIST_FORM(execle, true, false)
