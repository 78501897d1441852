// Instructions by wave and by lane.
#include <luthier_device.h>

LUTHIER_HOOK void lanes(luthier_u64 exec, luthier_u32 instructions, luthier_u64 *counter) {
  luthier::add(counter, (luthier_u64)__builtin_popcountll(exec) * instructions);
}

LUTHIER_TOOL(R"(
about = "wave and lane instructions of every kernel"
[hooks]
lanes = ["scalar", "scalar", "scalar"]
)")
