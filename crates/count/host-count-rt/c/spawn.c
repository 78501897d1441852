/* Starting other programs: they share the budget of the run, so nobody may hold all of it any longer. And copies of the process that
 * the C library makes without telling the handlers of `pthread_atfork`. */

#include "interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

static void leave(int status) {
  luthier_report(NULL);
  luthier_pool_leave();
  luthier_end_process(status);
}

struct copy_start {
  int (*run)(void *);
  void *argument;
};

static int copy_main(void *pointer) {
  struct copy_start start = *(struct copy_start *)pointer;
  luthier_after_fork_child();
  leave(start.run(start.argument));
  return 0;
}

/* A child in the same memory is one of vfork, or a thread that nobody here knows. */
PUBLIC int ENTRY(clone)(int (*run)(void *), void *stack, int flags, void *argument, ...) {
  va_list more;
  va_start(more, argument);
  void *parent_number = va_arg(more, void *), *storage = va_arg(more, void *), *child_number = va_arg(more, void *);
  va_end(more);
  clone_fn *real = REAL(clone, clone_fn *);
  if (!run || (flags & CLONE_VM) != 0)
    return real(run, stack, flags, argument, parent_number, storage, child_number);
  struct copy_start start = {run, argument};
  luthier_before_fork();
  int child = real(copy_main, stack, flags, &start, parent_number, storage, child_number);
  int saved = errno;
  luthier_after_fork_parent();
  if (child < 0)
    luthier_pool_unshare(1);
  errno = saved;
  return child;
}

/* The library's own ends the parent by a system call. */
PUBLIC int ENTRY(daemon)(int stays, int keeps_files) {
  pid_t child = fork();
  if (child > 0)
    leave(0);
  if (child < 0 || setsid() < 0)
    return -1;
  if (!stays && chdir("/") != 0)
    return -1;
  if (keeps_files)
    return 0;
  int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0)
    return -1;
  for (int file = 0; file < 3; ++file)
    dup2(nothing, file);
  if (nothing > 2)
    close(nothing);
  return 0;
}
