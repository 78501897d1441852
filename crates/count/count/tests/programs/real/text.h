// Text that compresses like text, the same on every machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned next_random(unsigned *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }
static void fill_text(unsigned char *out, size_t length) {
  static const char *const words[] = {"wave ", "lane ", "kernel ", "count ", "the ", "of ", "and ", "instruction ", "block\n"};
  unsigned state = 42;
  for (size_t at = 0; at < length;) {
    const char *word = words[next_random(&state) % 9];
    if (next_random(&state) % 7 == 0)
      out[at++] = (unsigned char)(next_random(&state) % 96 + 32);
    for (; *word && at < length; word++)
      out[at++] = (unsigned char)*word;
  }
}
static unsigned check_sum(const unsigned char *data, size_t length) {
  unsigned sum = 1;
  for (size_t i = 0; i < length; i++)
    sum = sum * 31 + data[i];
  return sum;
}
static size_t size_from(int argc, char **argv, size_t usual) { return argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : usual; }
