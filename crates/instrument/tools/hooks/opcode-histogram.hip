// Executed instructions by mnemonic; the counters are the engine's.
#include <luthier_device.h>

LUTHIER_TOOL(R"(
about = "executed wave instructions by mnemonic"
)")
