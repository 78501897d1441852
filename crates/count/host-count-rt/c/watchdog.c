/* Wall-clock time, for what cannot be counted: blocking calls into code that is not instrumented. */

#include "internal.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static bool running;
static uint64_t allowed; /* milliseconds; 0: off */
static struct timespec deadline;

static void *watch(void *unused) {
  (void)unused;
  pthread_mutex_lock(&guard);
  for (;;) {
    if (allowed == 0) {
      pthread_cond_wait(&changed, &guard);
      continue;
    }
    struct timespec until = deadline, now;
    pthread_cond_timedwait(&changed, &guard, &until);
    clock_gettime(CLOCK_MONOTONIC, &now);
    bool late = now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
    if (allowed && late)
      break;
  }
  char text[240];
  struct timespec used = {0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  /* A loop that calls nothing may keep its sum in a register until it ends: what is seen from here is a lower bound. */
  snprintf(text, sizeof text,
           "watchdog: %llu ms of wall-clock time passed; the program has used %llu ms of processor time and counted at"
           " least %llu units (loops add theirs when they end)",
           (unsigned long long)allowed, (unsigned long long)used.tv_sec * 1000 + (unsigned long long)used.tv_nsec / 1000000,
           (unsigned long long)luthier_freeze());
  luthier_stop(text);
}

/* Starts the thread that watches, in this process; called with the guard held. */
static bool begin(void) {
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &clock);
  pthread_condattr_destroy(&clock);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  bool begun = luthier_real_pthread_create(&thread, &detached, watch, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&detached);
  return begun;
}

/* A child has none of its parent's other threads; the time that is left is its parent's. */
void luthier_watchdog_after_fork(void) {
  pthread_mutex_init(&guard, NULL);
  if (running && allowed && !begin())
    luthier_stop("cannot start the watchdog in a child");
}

void luthier_watchdog_forget(void) {
  pthread_mutex_init(&guard, NULL);
  running = false;
  allowed = 0;
}

int luthier_count_watchdog(uint64_t milliseconds) {
  int result = 0;
  pthread_mutex_lock(&guard);
  allowed = milliseconds;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += (time_t)(milliseconds / 1000);
  deadline.tv_nsec += (long)(milliseconds % 1000) * 1000000;
  if (deadline.tv_nsec >= 1000000000) {
    deadline.tv_sec++;
    deadline.tv_nsec -= 1000000000;
  }
  if (milliseconds && !running) {
    running = begin();
    result = running ? 0 : -1;
  } else if (running) {
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&guard);
  return result;
}
