// Executions of every basic block; the counters are the engine's.
#include <luthier_device.h>

LUTHIER_TOOL(R"(
about = "executions of every basic block, by source line"
)")
