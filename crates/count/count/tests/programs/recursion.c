// Deep and mutual recursion, with leaves of constant cost.
#include <stdio.h>
static int one(int a) { return a + 1; }
static int two(int a) { return one(a) * 2 - one(a + 3); }
static int ack(int m, int n) { return m == 0 ? two(n) - two(n) + n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) + two(n) - two(n); }
int main(void) { printf("%d %d\n", ack(2, 30), fib(16)); }
