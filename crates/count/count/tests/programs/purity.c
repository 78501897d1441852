// Pure functions that count: the optimiser may neither merge nor drop their calls.
#include <stdio.h>
__attribute__((pure, noinline)) static int length(const char *text) {
  int n = 0;
  while (text[n])
    n++;
  return n;
}
__attribute__((const, noinline)) static int square(int x) {
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum += x;
  return sum;
}
int main(int argc, char **argv) {
  const char *text = argc > 5 ? argv[1] : "a text of some length";
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += length(text) + length(text) + square(9);
  for (int i = 0; i < 50; i++)
    square(i);
  printf("%d\n", sum);
}
