// The hooks of the tests.
#include <luthier_device.h>

LUTHIER_GLOBAL luthier_u64 total;

LUTHIER_HOOK void count(luthier_u32 instructions) { luthier::count_wave(&total, instructions); }
