#include "text.h"
#include <zopfli.h>
int main(int argc, char **argv) {
  size_t size = size_from(argc, argv, 3000), packed_size = 0;
  unsigned char *text = malloc(size), *packed = 0;
  fill_text(text, size);
  ZopfliOptions options;
  ZopfliInitOptions(&options);
  options.numiterations = 3;
  ZopfliCompress(&options, ZOPFLI_FORMAT_ZLIB, text, size, &packed, &packed_size);
  printf("%zu %u\n", packed_size, check_sum(packed, packed_size));
}
