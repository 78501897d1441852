#include "text.h"
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
int main(int argc, char **argv) {
  static const char *const patterns[] = {"(?<first>[a-z]+) (?:of|and) \\g<first>",
                                         "\\b(\\w)\\w*\\1\\b",
                                         "(?i)KERNEL(?=.*block)",
                                         "^(?:[^\\n]*?wave){2}",
                                         "[^a-z\\s]{1,3}(?!lane)",
                                         "(a|o|e)+n?(?>t|d)\\b"};
  size_t size = size_from(argc, argv, 6000);
  unsigned char *text = malloc(size);
  fill_text(text, size);
  for (unsigned k = 0; k < sizeof patterns / sizeof *patterns; k++) {
    int error;
    PCRE2_SIZE at = 0;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)patterns[k], PCRE2_ZERO_TERMINATED, PCRE2_MULTILINE, &error, &at, NULL);
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    unsigned found = 0, sum = 0;
    for (PCRE2_SIZE from = 0; from < size && pcre2_match(code, text, size, from, 0, match, NULL) > 0; found++) {
      PCRE2_SIZE *where = pcre2_get_ovector_pointer(match);
      sum = sum * 31 + (unsigned)where[0] + (unsigned)where[1];
      from = where[1] > from ? where[1] : from + 1;
    }
    printf("%u %u\n", found, sum);
    pcre2_match_data_free(match);
    pcre2_code_free(code);
  }
}
