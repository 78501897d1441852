#include <luthier.h>

LUTHIER_GLOBAL luthier_u64 total;
extern "C" __device__ void count(luthier_u32 instructions) { luthier::add(&total, instructions); }
LUTHIER_EXPORT_FUNC(count)
