// Two loops that begin at the same place: what changes in the outer one only makes the optimiser part them.
#include <stdio.h>
#include <string.h>
static const char text[] = "waves of lanes and lanes of waves, counted while they count; nobody looks, nobody waits";
__attribute__((noinline)) static int mix(int kept, int letter) {
  for (int i = letter & 7; i; i--)
    kept = kept * 31 + i;
  return kept & 1023;
}
static int parted(const char *from, int size) {
  int at = 0, sum = 0, kept = 1;
again:
  if (at >= size)
    return sum;
  sum = (sum ^ from[at]) * 3 + kept;
  at++;
  if (from[at - 1] & 4)
    goto again;
  if (sum & 1)
    sum += kept;
  kept = mix(kept, from[at - 1]);
  goto again;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 200; i++)
    sum ^= parted(text + i % 7, (int)strlen(text) - 7);
  printf("%d\n", sum);
}
