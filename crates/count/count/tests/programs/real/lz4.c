#include "text.h"
#include <lz4.h>
#include <lz4hc.h>
int main(int argc, char **argv) {
  int size = (int)size_from(argc, argv, 200000), bound = LZ4_compressBound(size);
  char *text = malloc(size), *back = malloc(size), *packed = malloc(bound);
  fill_text((unsigned char *)text, size);
  for (int level = 0; level <= 9; level += 3) {
    int packed_size = level ? LZ4_compress_HC(text, packed, size, bound, level) : LZ4_compress_default(text, packed, size, bound);
    int back_size = LZ4_decompress_safe(packed, back, packed_size, size);
    printf("%d %d %d\n", level, packed_size, back_size == size && memcmp(text, back, size) == 0);
  }
}
