// Calls that must be followed by their return at once.
#include <stdio.h>
static int odd(int n, int sum);
__attribute__((noinline)) static int even(int n, int sum) {
  if (n == 0)
    return sum;
  __attribute__((musttail)) return odd(n - 1, sum + n);
}
__attribute__((noinline)) static int odd(int n, int sum) {
  if (n == 0)
    return -sum;
  if (n % 3)
    sum ^= n;
  __attribute__((musttail)) return even(n - 1, sum - 1);
}
int main(void) { printf("%d %d\n", even(1000, 3), odd(77, 5)); }
