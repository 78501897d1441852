// A library is opened and closed again and again while another thread looks at the counts, or while the process reports them.
// Arguments: the way, the library. The functions of the library are called ROUNDS times, but for the ways in which the process ends.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
uint64_t luthier_count_now(void);

enum { ROUNDS = 100, EXECS = 100, UNDER_WAY = 20 };

static const char *library;
static int (*spin)(int);
static sem_t asked, answered;
static atomic_int done, rounds;

static void *opened(void) {
  void *handle = dlopen(library, RTLD_NOW);
  if (!handle)
    abort();
  spin = (int (*)(int))dlsym(handle, "spin");
  return handle;
}

// Its own count never falls, though its calls are in slots of a library that goes.
static void *reads(void *fell) {
  uint64_t before = 0;
  while (!done) {
    if (sem_trywait(&asked) == 0) {
      spin(50);
      sem_post(&answered);
    }
    uint64_t now = luthier_count_now();
    if (now < before)
      *(int *)fell = 1;
    before = now;
  }
  return NULL;
}

static int read_while_closing(void) {
  pthread_t thread;
  int fell = 0;
  pthread_create(&thread, NULL, reads, &fell);
  for (int round = 0; round < ROUNDS; ++round) {
    void *handle = opened();
    sem_post(&asked);
    sem_wait(&answered);
    dlclose(handle);
  }
  done = 1;
  pthread_join(thread, NULL);
  return fell;
}

// Each reports, and takes it back.
static void *fails_to_become(void *unused) {
  for (int exec = 0; exec < EXECS; ++exec)
    execl("/nowhere/to/be/found", "found", NULL);
  return unused;
}

static int exec_while_closing(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, fails_to_become, NULL);
  for (int round = 0; round < ROUNDS; ++round) {
    void *handle = opened();
    spin(50);
    dlclose(handle);
  }
  pthread_join(thread, NULL);
  return 0;
}

static void *closes(void *unused) {
  for (;; ++rounds) {
    void *handle = opened();
    spin(50);
    dlclose(handle);
  }
  return unused;
}

static int end_while_closing(const char *way) {
  static volatile int count;
  pthread_t thread;
  pthread_create(&thread, NULL, closes, NULL);
  while (rounds < UNDER_WAY)
    sched_yield();
  if (strcmp(way, "_exit") == 0)
    _exit(0);
  if (strcmp(way, "signal") == 0)
    raise(SIGTERM);
  while (strcmp(way, "budget") == 0)
    ++count;
  exit(0);
}

int main(int count, char **words) {
  const char *way = words[count - 2];
  library = words[count - 1];
  alarm(300); // instead of never
  sem_init(&asked, 0, 0);
  sem_init(&answered, 0, 0);
  if (strcmp(way, "reads") == 0)
    return read_while_closing();
  if (strcmp(way, "execs") == 0)
    return exec_while_closing();
  return end_while_closing(way);
}
