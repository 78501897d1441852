// Handlers that count, raised inside loops; one leaves by siglongjmp.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static volatile sig_atomic_t seen;
static sigjmp_buf out;
static void plain(int number) {
  for (int i = 0; i < number; i++)
    seen++;
}
static void informed(int number, siginfo_t *info, void *context) {
  (void)info, (void)context;
  for (int i = 0; i < number; i++)
    seen += 2;
}
static void leave(int number) {
  seen += number;
  siglongjmp(out, 1);
}
int main(void) {
  struct sigaction action, old;
  memset(&action, 0, sizeof action);
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = informed;
  sigaction(SIGUSR2, &action, NULL);
  signal(SIGUSR1, plain);
  signal(SIGTERM, leave);
  int sum = 0;
  for (int i = 0; i < 200; i++) {
    sum += i;
    raise(i % 2 ? SIGUSR1 : SIGUSR2);
    sum ^= i;
    if (i % 50 == 0 && sigsetjmp(out, 1) == 0)
      raise(SIGTERM);
  }
  sigaction(SIGUSR2, NULL, &old);
  int kept = old.sa_sigaction == informed && signal(SIGUSR1, SIG_DFL) == plain;
  printf("%d %d %d\n", sum, (int)seen, kept);
}
