/* Loops that the optimiser makes products of: beyond WHICH N. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static uint64_t far_away(void) {
  uint64_t x = 0;
  for (uint64_t i = 0; i < UINT64_MAX / 2; i++)
    x += 3 * i;
  return x;
}
static inline uint64_t sum_to(uint64_t n) {
  uint64_t x = 0;
  for (uint64_t i = 0; i < n; i++)
    x += 3 * i;
  return x;
}
static inline uint64_t cube(uint64_t n) {
  uint64_t x = 0;
  for (uint64_t a = 0; a < n; a++)
    for (uint64_t b = 0; b < n; b++)
      for (uint64_t c = 0; c < n; c++)
        x += c;
  return x;
}
static inline uint64_t small_only(uint64_t n) { return n > 1000 ? n : sum_to(n * 5); }
static inline uint64_t through(uint64_t n) { return sum_to(n + 7) ^ 5; }
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
  case 3: /* constants: 2^74 rounds */
    for (int a = 0; a < 1 << 20; a++)
      for (uint64_t b = 0; b < 1ull << 44; b++)
        for (int c = 0; c < 1024; c++)
          x += c;
    break;
  case 4: /* eight times 2^63, one constant for clang */
    for (int a = 0; a < 8; a++)
      for (uint64_t b = 0; b < UINT64_MAX / 2; b++)
        x += b;
    break;
  case 5: /* a hundred times 2^54 rounds, in turn */
    for (int a = 0; a < 100; a++) {
      for (uint64_t b = 0; b < 1ull << 54; b++)
        x += b;
      fprintf(stderr, "%d ", (int)x);
    }
    break;
  case 6: /* four calls */ x = far_away() + far_away() + far_away() + far_away(); break;
  case 7: /* a constant in N rounds */
    for (uint64_t a = 0; a < n; a++)
      for (uint64_t b = 0; b < UINT64_MAX / 2; b++)
        x += b;
    break;
  case 8: /* constants that fit: 2^50 rounds */
    for (int a = 0; a < 1 << 10; a++)
      for (uint64_t b = 0; b < 1ull << 40; b++)
        x += b;
    break;
  /* constants that become known when a function is inlined */
  case 9: x = sum_to(UINT64_MAX / 2); break;
  case 10: x = cube(6694329); break;
  case 11: x = through(UINT64_MAX / 3); break;
  case 12: x = sum_to(1ull << 62) + sum_to(1ull << 62); break;
  case 13: x = sum_to(1ull << 50); break;
  case 14: x = small_only(UINT64_MAX / 2); break;
  case 15: x = sum_to(n) + cube(n >> 60) + small_only(n >> 60) + through(n >> 60); break;
  }
  printf("%llu\n", (unsigned long long)x);
  return 0;
}
