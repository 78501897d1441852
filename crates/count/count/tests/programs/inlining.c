// A function that is inlined where it is called, and would be too large with its additions.
#include <stdio.h>
volatile unsigned out[16];
static void step(unsigned x) {
  if (x & 1u)
    out[0] = x;
  if (x & 2u)
    out[1] = x;
  if (x & 4u)
    out[2] = x;
  if (x & 8u)
    out[3] = x;
  if (x & 16u)
    out[4] = x;
  if (x & 32u)
    out[5] = x;
  if (x & 64u)
    out[6] = x;
  if (x & 128u)
    out[7] = x;
  if (x & 256u)
    out[8] = x;
  if (x & 512u)
    out[9] = x;
  if (x & 1024u)
    out[10] = x;
  if (x & 2048u)
    out[11] = x;
  if (x & 4096u)
    out[12] = x;
}
int main(void) {
  for (unsigned i = 0; i < 100; i++) {
    step(i * 77);
    step(i ^ 0x155);
  }
  printf("%u\n", out[3]);
}
