// A child counts what it executes itself, and both report.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int work(int n) {
  unsigned x = 1;
  for (int i = 0; i < n; i++)
    x = x * 1664525u + 1;
  return (int)(x & 63);
}
int main(void) {
  int a = work(1000);
  pid_t child = fork();
  if (child == 0)
    _exit(work(500));
  int status;
  waitpid(child, &status, 0);
  printf("%d %d\n", a, WEXITSTATUS(status));
}
