/* Loops that the optimiser makes products of: beyond WHICH N. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  int which = atoi(words[1]);
  uint64_t n = count > 2 ? strtoull(words[2], 0, 0) : 0, x = 0;
  switch (which) {
  case 0: /* three nested loops */
    for (uint64_t a = 0; a < n; a++)
      for (uint64_t b = 0; b < n; b++)
        for (uint64_t c = 0; c < n; c++)
          x++;
    break;
  case 1: /* one */
    for (uint64_t a = 0; a < n; a++)
      x += 3;
    break;
  case 2: /* int */
    for (int a = 0; a < (int)n; a++)
      for (int b = 0; b < (int)n; b++)
        for (int c = 0; c < (int)n; c++)
          x += 2;
    break;
  }
  printf("%llu\n", (unsigned long long)x);
  return 0;
}
