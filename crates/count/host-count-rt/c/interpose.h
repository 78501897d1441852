/* How the runtime puts itself in front of functions of the C library.
 *
 * In dynamically linked programs a definition in the executable comes first and finds the library's by RTLD_NEXT. In
 * static programs the linker's --wrap does the same (built with LUTHIER_COUNT_WRAP). */
#ifndef LUTHIER_COUNT_INTERPOSE_H
#define LUTHIER_COUNT_INTERPOSE_H

#include "internal.h"

#include <dlfcn.h>

#ifdef LUTHIER_COUNT_WRAP
#define ENTRY(name) __wrap_##name
#define REAL(name, type) (__real_##name)
#else
#define ENTRY(name) name
#define REAL(name, type) ((type)luthier_next(NEXT_##name))
/* Looked for once, at the start: `dlsym` changes what `dlerror` says, and may neither run in a signal handler nor in a child of vfork. */
#define ALL_REAL(each)                                                                                                             \
  each(pthread_create) each(thrd_create) each(sigaction) each(clone) each(posix_spawn) each(posix_spawnp) each(system) each(popen) \
      each(execve) each(execvpe) each(fexecve)
#define NEXT_INDEX(name) NEXT_##name,
enum next { ALL_REAL(NEXT_INDEX) };
HIDDEN void *luthier_next(enum next which);
#endif

#endif
