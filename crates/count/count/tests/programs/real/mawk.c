#include "text.h"
#include <unistd.h>
#undef main
int mawk_main(int argc, char **argv);
static char program[] =
    "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }\n"
    "{ for (i = 1; i <= NF; i++) { count[$i]++; n += length($i) }\n"
    "  if ($0 ~ /(wave|lane) +[a-f]+/) hits++\n"
    "  changed += gsub(/[aeiou]+/, \"<&>\"); letters += length($0)\n"
    "  if (match($0, /k[^ ]*l/)) where += RSTART * RLENGTH }\n"
    "END { for (i = 0; i < 300; i++) all = all sprintf(\"%d,\", i * i % 97)\n"
    "  k = split(all, part, \",\")\n"
    "  for (i = 2; i < k; i++) { x = part[i] + 0; for (j = i - 1; j > 0 && part[j] + 0 > x; j--) part[j + 1] = part[j]; part[j + 1] = x }\n"
    "  for (i = 1; i < k; i++) sum = (sum * 31 + part[i]) % 1000003\n"
    "  delete count[\"of\"]; for (word in count) words++\n"
    "  print NR, n, hits, changed, letters, where, sum, words, count[\"kernel\"], fib(15), toupper(substr($0, 1, 12)) }";
int main(int argc, char **argv) {
  size_t size = size_from(argc, argv, 40000);
  unsigned char *text = malloc(size);
  fill_text(text, size);
  FILE *file = tmpfile();
  fwrite(text, 1, size, file);
  rewind(file);
  dup2(fileno(file), 0);
  return mawk_main(2, (char *[]){"mawk", program, NULL});
}
