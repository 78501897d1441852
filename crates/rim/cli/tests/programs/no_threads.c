// LD_PRELOAD: pthread_create fails when a process has made as many threads as THREADS says, as at the end of RLIMIT_NPROC (which root
// does not have).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int made;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
  const char *most = getenv("THREADS");
  if (most && atomic_fetch_add(&made, 1) >= atoi(most))
    return EAGAIN;
  return next(thread, attributes, run, argument);
}
