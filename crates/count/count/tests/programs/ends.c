// Ends the way its first argument says, after work worth more than a thousand units.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
static void work(unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++)
    sink = sink * 3 + i;
}
static unsigned deep(volatile unsigned *above) {
  volatile unsigned here[64] = {*above + 1};
  return deep(here) + here[0];
}
static void reset(int number) {
  work(10);
  (void)number;
}
static volatile unsigned turns;
static void *busy(void *unused) {
  for (;; turns++)
    work(1000);
  return unused;
}
static void *last(void *unused) {
  usleep(20000);
  work(200);
  pthread_exit(unused);
}
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  char *again[] = {argv[0], "return", NULL};
  work(200);
  if (strcmp(how, "abort") == 0)
    abort();
  if (strcmp(how, "fault") == 0)
    *(volatile int *)8 = 1;
  if (strcmp(how, "overflow") == 0)
    return (int)deep(&(volatile unsigned){0});
  if (strcmp(how, "term") == 0)
    raise(SIGTERM);
  if (strcmp(how, "default") == 0) { // What the program sees: the default action, before and after it sets it.
    struct sigaction old, action = {.sa_handler = reset, .sa_flags = (int)SA_RESETHAND};
    int seen = sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL && !(old.sa_flags & SA_SIGINFO);
    sigaction(SIGUSR1, &action, &old);
    seen = seen * 2 + (old.sa_handler == SIG_DFL);
    seen = seen * 2 + (signal(SIGUSR2, SIG_DFL) == SIG_DFL);
    printf("%d\n", seen);
    fflush(stdout);
    raise(SIGUSR1);
    raise(SIGUSR1);
  }
  if (strcmp(how, "first-thread") == 0) { // The others go on, and the last one ends the process.
    pthread_t thread;
    pthread_create(&thread, NULL, last, NULL);
    pthread_exit(NULL);
  }
  if (strcmp(how, "exec") == 0)
    execv(argv[0], again);
  if (strcmp(how, "execl") == 0)
    execl(argv[0], argv[0], "return", (char *)NULL);
  if (strcmp(how, "execle") == 0)
    execle(argv[0], argv[0], "return", (char *)NULL, environ);
  if (strcmp(how, "no-exec") == 0)
    printf("%d %d\n", execlp("/nonexistent/program", "program", (char *)NULL), errno == ENOENT);
  if (strcmp(how, "fork-exec") == 0) {
    int status;
    pid_t child = fork();
    if (child == 0)
      execvp(argv[0], again), _exit(9);
    waitpid(child, &status, 0);
    printf("%d\n", WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  if (strcmp(how, "vfork-exec") == 0) {
    int status;
    pid_t child = vfork();
    if (child == 0) {
      execv(argv[0], again);
      _exit(9);
    }
    waitpid(child, &status, 0);
    printf("%d\n", WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  if (strcmp(how, "kill") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, busy, NULL);
    while (getppid() != 1 && sink < 0xffffffffu)
      work(100000);
  }
  if (strcmp(how, "running") == 0) { // A thread that still runs when the process ends.
    pthread_t thread;
    pthread_create(&thread, NULL, busy, NULL);
    while (turns < 100) // (On a busy machine it may take long to begin.)
      usleep(1000);
    exit(0);
  }
  return 0;
}
