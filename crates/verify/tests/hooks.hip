// The hooks of the tests.
#include <luthier_device.h>

LUTHIER_GLOBAL luthier_u64 total;

LUTHIER_HOOK void count(luthier_u32 instructions) { luthier::count_wave(&total, instructions); }

// For a sum that the wave kept in registers.
LUTHIER_HOOK void add(luthier_u32 low, luthier_u32 high) {
  luthier::count_wave(&total, (luthier_u64)high << 32 | low);
}

LUTHIER_GLOBAL luthier_u64 blocks[512];
