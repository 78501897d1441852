// Leaves three frames at once, a hundred times; the frames owe different amounts when they are left.
#include <setjmp.h>
#include <stdio.h>
static jmp_buf home;
static int depth(int n, int leave) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i * n;
  if (n == leave)
    longjmp(home, n + 1);
  return n == 0 ? sum : sum + depth(n - 1, leave);
}
int main(void) {
  volatile int total = 0;
  for (volatile int round = 0; round < 100; round++) {
    int how = setjmp(home);
    total += how == 0 ? depth(7, round % 8) : how;
  }
  printf("%d\n", total);
}
