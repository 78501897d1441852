// Lanes that run each stretch of code with one EXEC; waves are counted by the engine (hotspots.rs).
#include <luthier_device.h>

LUTHIER_HOOK void lanes(luthier_u64 exec, luthier_u64 *counter) { luthier::add(counter, (luthier_u64)__builtin_popcountll(exec)); }

LUTHIER_TOOL(R"(
about = "waves and lanes that executed every instruction and every branch, for `luthier report`"
[hooks]
lanes = ["scalar", "scalar"]
)")
