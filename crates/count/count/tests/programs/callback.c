// Code that does not count calls code that does.
#include <stdio.h>
#include <stdlib.h>
static int calls;
static int compare(const void *a, const void *b) {
  calls++;
  int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
int main(void) {
  int values[257];
  unsigned seed = 1;
  for (int i = 0; i < 257; i++)
    values[i] = (int)((seed = seed * 1103515245u + 12345u) >> 16);
  qsort(values, 257, sizeof *values, compare);
  int key = values[100];
  int *found = bsearch(&key, values, 257, sizeof *values, compare);
  printf("%d %d\n", calls, found == &values[100]);
}
