// How many lanes run each stretch of code; lines and branches are worked out by the host code (coverage.rs).
#include <luthier_device.h>

LUTHIER_HOOK void lanes(luthier_u64 exec, luthier_u64 *counter) { luthier::add(counter, (luthier_u64)__builtin_popcountll(exec)); }

LUTHIER_TOOL(R"(
about = "coverage of lines and branches of programs that were not built for it, from their debug information"
[hooks]
lanes = ["scalar", "scalar"]
)")
