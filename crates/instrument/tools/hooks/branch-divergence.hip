// How often a wave splits where lanes are taken out of EXEC.
#include <luthier_device.h>

// before, after: EXEC around the instruction. counters: executions, splits.
LUTHIER_HOOK void split(luthier_u64 before, luthier_u64 after, luthier_u64 *counters) {
  luthier::add(&counters[0], 1);
  luthier::add(&counters[1], after != 0 && after != before ? 1 : 0);
}

LUTHIER_HOOK void split_32(luthier_u32 before, luthier_u32 after, luthier_u64 *counters) { split(before, after, counters); }

// mask: lanes that stay, or those that go if it is negated.
LUTHIER_HOOK void part(luthier_u64 before, luthier_u64 mask, luthier_u32 negated, luthier_u64 *counters) {
  split(before, before & (negated ? ~mask : mask), counters);
}

LUTHIER_HOOK void part_32(luthier_u32 before, luthier_u32 mask, luthier_u32 negated, luthier_u64 *counters) {
  split(before, before & (negated ? ~mask : mask), counters);
}

LUTHIER_TOOL(R"(
about = "how often branches split a wave, by source line"
[hooks]
split = ["scalar", "scalar", "scalar"]
split_32 = ["scalar", "scalar", "scalar"]
part = ["scalar", "scalar", "scalar", "scalar"]
part_32 = ["scalar", "scalar", "scalar", "scalar"]
)")
