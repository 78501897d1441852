// Cache lines that each access of a wave touches.
#include <luthier_device.h>

// counters: accesses, lanes, lines.
LUTHIER_INLINE void count(luthier_u64 *counters, luthier_u64 address) {
  luthier_u32 lanes = luthier::active_lanes(), touched = luthier::distinct_blocks(address, 128);
  if (luthier::elected()) {
    luthier::add(&counters[0], 1);
    luthier::add(&counters[1], lanes);
    luthier::add(&counters[2], touched);
  }
}

LUTHIER_HOOK void lines(luthier_u64 *counters) {
  if (luthier::active_lanes() != 0)
    count(counters, luthier::effective_address());
}

// Through a descriptor of four words, which may be reserved.
LUTHIER_HOOK void buffer_lines(luthier_u64 *counters, luthier_u32 word0, luthier_u32 word1, luthier_u32 word2, luthier_u32 word3,
                               luthier_u32 scalar_offset, luthier_u32 index, luthier_u32 offset, luthier_u32 constant, luthier_u32 flags) {
  luthier_u64 address;
  luthier_u32 size;
  if (luthier::active_lanes() != 0 &&
      luthier::buffer_address(&address, &size, word0, word1, word2, word3, scalar_offset, index, offset, constant, flags) && size != 0)
    count(counters, address);
}

// Through a descriptor of eight words. Lanes of which only the image is known, not the texel, are not counted.
LUTHIER_HOOK void image_lines(luthier_u64 *counters, luthier_u32 word0, luthier_u32 word1, luthier_u32 word2, luthier_u32 word3,
                              luthier_u32 word4, luthier_u32 word5, luthier_u32 word6, luthier_u32 at0, luthier_u32 at1, luthier_u32 at2,
                              luthier_u32 at3, luthier_u32 flags) {
  luthier_u64 address;
  luthier_u32 size;
  if (luthier::active_lanes() != 0 &&
      luthier::image_address(&address, &size, word0, word1, word2, word3, word4, word5, word6, at0, at1, at2, at3, flags) && size != 0)
    count(counters, address);
}

LUTHIER_TOOL(R"(
about = "cache lines per global memory access, by source line"
[hooks]
lines = ["scalar"]
buffer_lines = ["scalar", "scalar", "scalar", "scalar", "scalar", "scalar", "vector", "vector", "scalar", "scalar"]
image_lines = ["scalar", "scalar", "scalar", "scalar", "scalar", "scalar", "scalar", "scalar",
               "vector", "vector", "vector", "vector", "scalar"]
)")
