// Compressed and decompressed as pigz does it by default for one processor, and with its own zopfli.
#include "text.h"
#include <unistd.h>
#undef main
int pigz_main(int argc, char **argv);
// The output of pigz for the input `in`.
static FILE *pass(FILE *in, char *option, char *more) {
  FILE *out = tmpfile();
  rewind(in);
  lseek(fileno(in), 0, SEEK_SET);
  int standard = dup(1);
  dup2(fileno(in), 0);
  dup2(fileno(out), 1);
  char *words[] = {"pigz", "-p", "1", "-n", "-c", option, more, NULL};
  int status = pigz_main(more ? 7 : 6, words);
  dup2(standard, 1);
  close(standard);
  if (status)
    exit(status);
  return out;
}
static size_t read_back(FILE *file, unsigned char *to, size_t size) {
  rewind(file);
  return fread(to, 1, size, file);
}
int main(int argc, char **argv) {
  static char *const ways[][2] = {{"-1", NULL}, {"-9", NULL}, {"-9", "-z"}, {"-11", "-I1"}};
  size_t size = size_from(argc, argv, 20000);
  unsigned char *text = malloc(size), *back = malloc(2 * size);
  fill_text(text, size);
  FILE *file = tmpfile();
  fwrite(text, 1, size, file);
  fflush(file);
  for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++) {
    FILE *packed = pass(file, ways[way][0], ways[way][1]);
    size_t packed_size = read_back(packed, back, 2 * size);
    printf("%s %zu %u ", ways[way][0], packed_size, check_sum(back, packed_size));
    FILE *unpacked = pass(packed, "-d", NULL);
    size_t back_size = read_back(unpacked, back, 2 * size);
    printf("%d\n", back_size == size && memcmp(text, back, size) == 0);
    fflush(stdout);
  }
}
