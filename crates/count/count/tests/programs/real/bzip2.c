#include "text.h"
#include <bzlib.h>
void bz_internal_error(int code) { exit(code); }
int main(int argc, char **argv) {
  size_t size = size_from(argc, argv, 30000);
  unsigned packed_size = size + size / 100 + 600, back_size = size;
  char *text = malloc(size), *back = malloc(size), *packed = malloc(packed_size);
  fill_text((unsigned char *)text, size);
  int status = BZ2_bzBuffToBuffCompress(packed, &packed_size, text, size, 9, 0, 30);
  status |= BZ2_bzBuffToBuffDecompress(back, &back_size, packed, packed_size, 0, 0);
  printf("%d %u %u %d\n", status, packed_size, check_sum((unsigned char *)packed, packed_size),
         back_size == size && memcmp(text, back, size) == 0);
}
