#include <luthier_device.h>

LUTHIER_GLOBAL luthier_u64 total;
LUTHIER_HOOK void count(luthier_u32 instructions) { luthier::add(&total, instructions); }

// Parameters of hooks that host code inserts.
LUTHIER_TOOL(R"(
about = "counts wave instructions"
hooks = { count = ["scalar"] }
)")
