/* Work for ever in which no loop of the program is passed: each way ends only by a budget. */
#define _GNU_SOURCE
#include <ftw.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
static volatile long rounds;
static jmp_buf plain;
static sigjmp_buf with_mask;
static ucontext_t here, other, third;
static void jump(int s) {
  (void)s;
  siglongjmp(with_mask, 1);
}
static void come_back(int s) {
  (void)s;
  rounds++;
}
static int differ(const void *a, const void *b) {
  (void)a, (void)b;
  return ++rounds != 0;
}
/* Both of its ways are short, and one only returns. */
static int seldom(const void *a, const void *b) {
  (void)a;
  if (*(const volatile int *)b != 2)
    return 1;
  for (int i = 0; i < 100; i++)
    rounds++;
  return 1;
}
static int order(const void *a, const void *b) {
  rounds++;
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}
static void last(void) { atexit(last); }
static void again(void) {
  rounds++;
  setcontext(&other);
}
static void to_and_fro(void) {
  swapcontext(&third, &here);
  rounds++;
  setcontext(&here);
}
/* A loop that is a function of its own, and that no way leaves. */
static void for_ever(int s) {
  (void)s;
  for (;;)
    rounds++;
}
static int never(const void *a, const void *b) {
  (void)a, (void)b;
  for (;;)
    if (rounds++ & 1)
      rounds += 3;
  return 0;
}
static int before_main, behind_main;
__attribute__((constructor(101))) static void begin(int count, char **words) {
  before_main = count > 1 ? atoi(words[1]) : 0;
  if (before_main == 13)
    for_ever(0);
}
__attribute__((destructor(101))) static void end(void) {
  if (behind_main == 14)
    for_ever(0);
}
static ssize_t write_for_ever(void *cookie, const char *bytes, size_t size) {
  (void)cookie, (void)bytes, (void)size;
  for_ever(0);
  return 0;
}
int not_static(const void *a, const void *b) {
  (void)a, (void)b;
  return 1;
}
int main(int count, char **words) {
  int which = count > 1 ? atoi(words[1]) : 0, k = 1;
  size_t many = (size_t)-1;
  struct sigaction action = {.sa_handler = jump};
  switch (which) {
  case 0:
    setjmp(plain);
    rounds++;
    longjmp(plain, 1);
  case 1:
    getcontext(&here);
    rounds++;
    setcontext(&here);
    break;
  case 2:
    sigaction(SIGUSR1, &action, 0);
    sigsetjmp(with_mask, 1);
    raise(SIGUSR1);
    break;
  case 3: lfind(&k, &k, &many, 0, differ); break;
  case 4: lfind(&k, &k, &many, 0, seldom); break;
  case 5: lfind(&k, &k, &many, 0, not_static); break;
  case 6: {
    int n = 1000000, *p = malloc(n * sizeof *p);
    memset(p, 1, n * sizeof *p);
    qsort(p, n, sizeof *p, order);
    break;
  }
  case 7: atexit(last); exit(0);
  case 8: /* the instruction is executed again and again */
    action.sa_handler = come_back;
    sigaction(SIGSEGV, &action, 0);
    *(volatile int *)8 = 1;
    break;
  case 9: {
    static char stack[65536];
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = sizeof stack;
    makecontext(&other, again, 0);
    setcontext(&other);
    break;
  }
  case 10: { /* a context that was left by swapcontext is entered again and again */
    static char stack[65536];
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = sizeof stack;
    makecontext(&other, to_and_fro, 0);
    swapcontext(&here, &other);
    rounds++;
    setcontext(&third);
    break;
  }
  case 11:
    action.sa_handler = for_ever;
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
    break;
  case 12: lfind(&k, &k, &many, 0, never); break;
  case 14: behind_main = which; return 0;
  case 15: { /* the C library writes what is left when everything else has ended */
    static char late[4096];
    FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_for_ever});
    setvbuf(file, late, _IOFBF, sizeof late);
    fputs("late", file);
    return 0;
  }
  }
  printf("%ld\n", rounds);
  return 0;
}
