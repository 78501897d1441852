// An interpreter loop: jumps that can hold no code.
#include <stdio.h>
int main(void) {
  static const void *const ops[] = {&&add, &&sub, &&mul, &&jump, &&halt};
  static const unsigned char code[] = {0, 2, 1, 3, 4};
  int pc = 0, rounds = 0;
  unsigned x = 1;
#define NEXT goto *ops[code[pc++]]
  NEXT;
add:
  x += 7;
  NEXT;
sub:
  x -= 3;
  NEXT;
mul:
  x = x * 5 % 10007;
  NEXT;
jump:
  if (++rounds < 500)
    pc = 0;
  NEXT;
halt:
  printf("%u\n", x);
}
