#include "text.h"
#include <zlib.h>
int main(int argc, char **argv) {
  size_t size = size_from(argc, argv, 60000);
  unsigned char *text = malloc(size), *back = malloc(size);
  uLong bound = compressBound(size);
  unsigned char *packed = malloc(bound);
  fill_text(text, size);
  for (int level = 1; level <= 9; level += 4) {
    uLongf packed_size = bound, back_size = size;
    int status = compress2(packed, &packed_size, text, size, level);
    status |= uncompress(back, &back_size, packed, packed_size);
    printf("%d %d %lu %u %d\n", level, status, packed_size, check_sum(packed, packed_size),
           back_size == size && memcmp(text, back, size) == 0);
  }
}
