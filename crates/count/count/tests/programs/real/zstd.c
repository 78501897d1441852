#include "text.h"
#include <zstd.h>
int main(int argc, char **argv) {
  size_t size = size_from(argc, argv, 60000), bound = ZSTD_compressBound(size);
  unsigned char *text = malloc(size), *back = malloc(size), *packed = malloc(bound);
  fill_text(text, size);
  for (int level = 1; level <= 13; level += 6) {
    size_t packed_size = ZSTD_compress(packed, bound, text, size, level);
    size_t back_size = ZSTD_decompress(back, size, packed, packed_size);
    printf("%d %zu %u %d\n", level, packed_size, check_sum(packed, packed_size), back_size == size && memcmp(text, back, size) == 0);
  }
}
