// A library, which closes another one at the end of the process, when the program has reported, and then waits for a thread to end.
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static void *closed_last;
static pthread_t joined_last;
static sem_t leave;
static int in_destructor;

static void *waits(void *unused) {
  sem_wait(&leave);
  return unused;
}

int prepare(const char *library, int late) {
  in_destructor = !late;
  sem_init(&leave, 0, 0);
  closed_last = dlopen(library, RTLD_NOW);
  if (!closed_last)
    return 0;
  pthread_create(&joined_last, NULL, waits, NULL);
  return ((int (*)(int))dlsym(closed_last, "spin"))(50);
}

static void end(void) {
  dlclose(closed_last);
  sem_post(&leave);
  pthread_join(joined_last, NULL);
}

// While destructors run, the C library keeps closed libraries in memory. Behind the last one, where this comes, it does not.
static void at_exit(int status, void *unused) {
  (void)status, (void)unused;
  if (!in_destructor)
    end();
}

__attribute__((constructor)) static void begin(void) { on_exit(at_exit, NULL); }

__attribute__((destructor)) static void destroy(void) {
  if (in_destructor)
    end();
}
