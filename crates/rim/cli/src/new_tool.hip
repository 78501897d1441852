#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 total;
LUTHIER_HOOK void count(luthier_u32 instructions) { luthier::add(&total, instructions); }
LUTHIER_TOOL(R"(
about = "counts wave instructions"
insert = [{ hook = "count", at = "block", once = true, arguments = ["block.length"] }]
print = [{ text = "{total} wave instructions" }]
)")
