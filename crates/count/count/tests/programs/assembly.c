// Inline assembly, a switch, a naked function.
#include <stdio.h>
#if defined(__x86_64__)
__attribute__((naked)) static int seven(void) { __asm__("movl $7, %eax\n\tret"); }
#else
static int seven(void) { return 7; }
#endif
static int pick(int n) {
  switch (n % 9) {
  case 0:
  case 4: return n + 1;
  case 1: return n * 3;
  case 2:
  case 3:
  case 5: return n - 2;
  case 7: return seven();
  default: return n;
  }
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 300; i++) {
    int x = pick(i);
    __asm__ volatile("" : "+r"(x));
    sum += x;
  }
  printf("%d\n", sum);
}
