// Cache lines that each access of a wave touches.
#include <luthier_device.h>

// counters: accesses, lanes, lines.
LUTHIER_HOOK void lines(luthier_u64 *counters) {
  if (luthier::active_lanes() == 0)
    return;
  luthier_u64 touched = luthier::distinct(luthier::effective_address() / 128);
  luthier::count_wave(&counters[0], 1);
  luthier::count_wave(&counters[1], luthier::active_lanes());
  luthier::count_wave(&counters[2], touched);
}

LUTHIER_TOOL(R"(
about = "cache lines per global memory access, by source line"
[hooks]
lines = ["scalar"]
)")
