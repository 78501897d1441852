// Exits in the middle of nested calls, with a handler that still computes.
#include <stdio.h>
#include <stdlib.h>
static int work(int n) {
  int sum = n;
  while (n > 1)
    n = n % 2 ? 3 * n + 1 : n / 2, sum += n;
  return sum;
}
static void last(void) { printf("%d\n", work(27)); }
static int inner(int n) {
  if (n > 40)
    exit(work(n) % 7);
  return work(n) + inner(n + 1);
}
int main(void) {
  atexit(last);
  return inner(3);
}
