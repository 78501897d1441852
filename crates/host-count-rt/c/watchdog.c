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
  char text[200];
  snprintf(text, sizeof text,
           "watchdog: %llu ms of wall-clock time passed, %llu units counted by all threads;"
           " the program is waiting or busy in code that does not count",
           (unsigned long long)allowed, (unsigned long long)luthier_count_process());
  luthier_stop(text);
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
    result = luthier_real_pthread_create(&thread, &detached, watch, NULL) == 0 ? 0 : -1;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&detached);
    running = result == 0;
  } else if (running) {
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&guard);
  return result;
}
