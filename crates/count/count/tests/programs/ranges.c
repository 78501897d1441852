// Several conditions at once, which the pass computes together: every way out of them costs something else.
#include <stdio.h>
struct place {
  int x, y;
};
static struct place step(struct place from, int dx, int dy) {
  struct place to = {from.x + dx, from.y + dy};
  return to.x < 0 || to.y < 0 || to.x >= 9 || to.y >= 7 ? from : to;
}
static int inside(int x, int y, int z) { return x >= -3 && x < 8 && y > 2 && y <= 40 && z != 5; }
static unsigned walk(int x, int y, int limit) {
  unsigned rounds = 0;
  while (x >= 0 && y >= 0 && x < limit && y < 100 && rounds < 50) {
    rounds++;
    x += 3 - (int)(rounds % 5);
    if (y == 17 || x < 2 || y < 4 || x > 60)
      y += 5;
    else if (!(x > 10 && x < 20 && y != 9))
      y -= 1;
  }
  return rounds * 100 + (unsigned)(x & 31);
}
// Nothing may be computed in vain here: the second condition looks where the first says one may not.
static int careful(const int *list, int index, int size) {
  if (index < 0 || index >= size || list[index] > 9 || list[index] < -9)
    return -1;
  return list[index];
}
static int never_set(int which) {
  int a, b;
  if (which > 2)
    a = which, b = 1;
  return which < 3 || a < 0 || which > 90 || a > 80 || b < 1 ? 4 : a;
}
int main(void) {
  struct place at = {4, 3};
  unsigned sum = 0, random = 7;
  int list[5] = {1, -20, 3, 30, -5};
  for (int round = -40; round < 160; round++) {
    random = random * 1664525u + 1013904223u;
    at = step(at, (int)(random >> 30) - 1, (int)(random >> 28 & 3) - 1);
    sum = sum * 31 + (unsigned)(at.x * 8 + at.y);
    sum += (unsigned)inside(round % 13 - 4, round % 47, round % 6) + walk(round % 20, round % 9, 25 + round % 7);
    sum += (unsigned)careful(list, round % 8, 5) + (unsigned)never_set(round);
  }
  printf("%u\n", sum);
}
