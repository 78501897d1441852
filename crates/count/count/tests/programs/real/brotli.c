#include "text.h"
#include <brotli/decode.h>
#include <brotli/encode.h>
int main(int argc, char **argv) {
  size_t size = size_from(argc, argv, 40000), bound = BrotliEncoderMaxCompressedSize(size);
  unsigned char *text = malloc(size), *back = malloc(size), *packed = malloc(bound);
  fill_text(text, size);
  for (int quality = 1; quality <= 9; quality += 4) {
    size_t packed_size = bound, back_size = size;
    BrotliEncoderCompress(quality, 20, BROTLI_MODE_TEXT, size, text, &packed_size, packed);
    BrotliDecoderDecompress(packed_size, packed, &back_size, back);
    printf("%d %zu %u %d\n", quality, packed_size, check_sum(packed, packed_size), back_size == size && memcmp(text, back, size) == 0);
  }
}
