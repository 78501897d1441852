/* Starting other programs: they share the budget of the run, so nobody may hold all of it any longer. */

#include "interpose.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef LUTHIER_COUNT_WRAP
int __real_posix_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
int __real_posix_spawnp(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
int __real_system(const char *);
FILE *__real_popen(const char *, const char *);
#endif

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
typedef int system_fn(const char *);
typedef FILE *popen_fn(const char *, const char *);

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
