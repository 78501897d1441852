/* A host program or library with two fat binaries, as clang makes them, that looks at them through its own records. */
#include <stdio.h>
#include <string.h>

__asm__(".section .hip_fatbin,\"a\",@progbits\n"
        ".p2align 12\n" VISIBLE "fat1: .incbin \"" FIRST "\"\n"
        ".p2align 12\n" VISIBLE "fat2: .incbin \"" SECOND "\"\n"
        ".text\n");

extern const char fat1[], fat2[];
struct wrapper {
  unsigned magic, version;
  const char *binary;
  void *unused;
};
__attribute__((section(".hipFatBinSegment"), used)) static struct wrapper wrappers[2] = {{0x48495046, 1, fat1, 0},
                                                                                         {0x48495046, 1, fat2, 0}};
static char zero[1 << 20];

/* Prints length and checksum of every entry of the two bundles. */
int show(void) {
  for (int wrapper = 0; wrapper < 2; ++wrapper) {
    const char *binary = *(const char *volatile *)&wrappers[wrapper].binary;
    if (memcmp(binary, "CCOB", 4) == 0) {
      printf("packed\n");
      continue;
    }
    unsigned long count, row[3];
    memcpy(&count, binary + 24, 8);
    const char *at = binary + 32;
    for (; count--; at += 24 + row[2]) {
      memcpy(row, at, 24);
      unsigned long sum = 0;
      for (unsigned long i = 0; i < row[1]; ++i)
        sum = sum * 31 + (unsigned char)binary[row[0] + i];
      printf("%lu %lu\n", row[1], sum);
    }
  }
  for (unsigned i = 0; i < sizeof zero; ++i)
    if (((volatile char *)zero)[i])
      return 1;
  return 0;
}

#ifdef PROGRAM
int main(void) { return show(); }
#endif
