/* Starting other programs: they share the budget of the run, so nobody may hold all of it any longer. Copies of the process stand here,
 * too, if the C library makes them without telling the handlers of `pthread_atfork`. */

#include "interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifdef LUTHIER_COUNT_WRAP
int __real_posix_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
int __real_posix_spawnp(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
int __real_system(const char *);
int __real_clone(int (*)(void *), void *, int, void *, ...);
FILE *__real_popen(const char *, const char *);
#endif

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
typedef int system_fn(const char *);
typedef FILE *popen_fn(const char *, const char *);
typedef int clone_fn(int (*)(void *), void *, int, void *, ...);

PUBLIC int ENTRY(posix_spawn)(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                              char *const arguments[], char *const environment[]) {
  luthier_pool_share(0);
  return REAL(posix_spawn, spawn_fn *)(pid, path, actions, attributes, arguments, environment);
}

PUBLIC int ENTRY(posix_spawnp)(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                               char *const arguments[], char *const environment[]) {
  luthier_pool_share(0);
  return REAL(posix_spawnp, spawn_fn *)(pid, file, actions, attributes, arguments, environment);
}

PUBLIC int ENTRY(system)(const char *command) {
  luthier_pool_share(0);
  return REAL(system, system_fn *)(command);
}

PUBLIC FILE *ENTRY(popen)(const char *command, const char *mode) {
  luthier_pool_share(0);
  return REAL(popen, popen_fn *)(command, mode);
}

struct copy_start {
  int (*run)(void *);
  void *argument;
};

static bool is_alone(void) {
  for (struct record *record = luthier_records(); record; record = record->next)
    if (record->running && record->running != &luthier_self)
      return false;
  return true;
}

/* On the program's stack, which may be small. A watchdog would be a thread, and the C library knows nothing of this process.
 * At the end the C library ends this thread. Others may go on; the process reports when they have ended. */
static int copy_main(void *pointer) {
  struct copy_start start = *(struct copy_start *)pointer;
  luthier_begin_copy();
  luthier_watchdog_forget();
  int status = start.run(start.argument);
  if (is_alone())
    luthier_report(NULL);
  luthier_pool_leave();
  return status;
}

/* A child in the same memory is one of vfork, or a thread that nobody here knows. */
PUBLIC int ENTRY(clone)(int (*run)(void *), void *stack, int flags, void *argument, ...) {
  va_list more;
  va_start(more, argument);
  void *parent_number = va_arg(more, void *), *storage = va_arg(more, void *), *child_number = va_arg(more, void *);
  va_end(more);
  clone_fn *real = REAL(clone, clone_fn *);
  if (!run || !stack || (flags & CLONE_VM) != 0)
    return real(run, stack, flags, argument, parent_number, storage, child_number);
  struct copy_start start = {run, argument};
  /* This thread may wait until the child ends, but the others need the lock. */
  bool waits = (flags & CLONE_VFORK) != 0;
  luthier_before_fork();
  if (waits)
    luthier_after_fork_parent();
  int child = real(copy_main, stack, flags, &start, parent_number, storage, child_number);
  int saved = errno;
  if (!waits)
    luthier_after_fork_parent();
  if (child < 0)
    luthier_pool_unshare(1);
  errno = saved;
  return child;
}

/* False, with errno as the C library sets it, if there is no such device. */
static bool forget_terminal(void) {
  int nothing = open("/dev/null", O_RDWR);
  struct stat status;
  if (nothing < 0)
    return false;
  bool known = fstat(nothing, &status) == 0;
  if (!known || !S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 3)) {
    int saved = known ? ENODEV : errno;
    close(nothing);
    errno = saved;
    return false;
  }
  for (int file = 0; file < 3; ++file)
    dup2(nothing, file);
  if (nothing > 2)
    close(nothing);
  return true;
}

/* The library's own ends the parent by a system call. Like it, this one goes on where `/` cannot be entered. */
PUBLIC int ENTRY(daemon)(int stays, int keeps_files) {
  pid_t child = fork();
  if (child > 0) {
    luthier_report(NULL);
    luthier_pool_leave();
    luthier_end_process(0);
  }
  if (child < 0 || setsid() < 0)
    return -1;
  if (!stays)
    (void)!chdir("/");
  return keeps_files || forget_terminal() ? 0 : -1;
}
