// Work by threads, children and other programs, as the argument says; every way to get round a budget of the first thread.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static unsigned work(int n) {
  unsigned x = 1;
  for (int i = 0; i < n; i++)
    x = x * 1664525u + (i & 1 ? 1013904223u : 5u);
  return x >> 31;
}
static void *run(void *n) {
  work(*(int *)n);
  return NULL;
}
static char stack[64 * 1024] __attribute__((aligned(16)));
static int copy(void *n) {
  work(*(int *)n);
  return 0;
}
/* The C library calls it when everything else has ended. */
static ssize_t write_late(void *cookie, const char *bytes, size_t size) {
  (void)cookie, (void)bytes;
  work(100);
  return system("true") == 0 ? (ssize_t)size : -1;
}
static int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "alone";
  int n = count > 2 ? atoi(words[2]) : 2000, result = 0;
  printf("begun %s\n", how);
  if (strcmp(how, "alone") == 0) {
    work(4 * n);
  } else if (strcmp(how, "threads") == 0) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
      pthread_create(&threads[i], NULL, run, &n);
    for (int i = 0; i < 4; i++)
      pthread_join(threads[i], NULL);
  } else if (strcmp(how, "sequence") == 0) {
    for (int i = 0; i < 200; i++) {
      int part = n / 50;
      pthread_t thread;
      pthread_create(&thread, NULL, run, &part);
      pthread_join(thread, NULL);
    }
  } else if (strcmp(how, "late") == 0) {
    work(4 * n);
    static char buffer[4096];
    FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_late});
    setvbuf(file, buffer, _IOFBF, sizeof buffer);
    fputs("late", file);
  } else if (strcmp(how, "copied") == 0) { /* a copy of the process that the C library does not know of */
    pid_t child = (pid_t)syscall(SYS_fork);
    if (child == 0) {
      work(100 * n);
      _exit(0);
    }
    result = status_of(child);
  } else if (strcmp(how, "daemon") == 0) {
    fflush(stdout);
    work(n / 4);
    result = daemon(1, 1);
    work(4 * n);
  } else if (strcmp(how, "killed") == 0) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
      raise(SIGKILL);
    result = status_of(child) == 128 + SIGKILL ? 0 : 1;
  } else {
    fflush(stdout);
    for (int i = 0; i < 4 && result == 0; i++) {
      char number[20], command[200];
      snprintf(number, sizeof number, "%d", n / 4);
      char *other[] = {words[0], "alone", number, NULL};
      pid_t child = 0;
      if (strcmp(how, "fork") == 0 || strcmp(how, "ignored") == 0) {
        if ((child = fork()) == 0) {
          work(n);
          return 0;
        }
      } else if (strcmp(how, "exec") == 0) {
        if ((child = fork()) == 0) {
          execv(words[0], other);
          return 1;
        }
      } else if (strcmp(how, "vfork") == 0) {
        if ((child = vfork()) == 0) {
          work(n);
          _exit(0);
        }
      } else if (strcmp(how, "clone") == 0) {
        child = clone(copy, stack + sizeof stack, SIGCHLD, &n);
      } else if (strcmp(how, "after") == 0) { /* a child borrows the parent's memory, but not its share */
        if ((child = vfork()) == 0)
          _exit(0);
        work(n);
      } else if (strcmp(how, "spawn") == 0) {
        posix_spawn(&child, words[0], NULL, NULL, other, environ);
      } else {
        snprintf(command, sizeof command, "%s alone %d", words[0], n / 4);
        int status = system(command);
        result = WEXITSTATUS(status);
        continue;
      }
      int status = status_of(child);
      result = strcmp(how, "ignored") == 0 ? 0 : status;
    }
  }
  return result;
}
