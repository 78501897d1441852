// A hook that does nothing, at every instruction: whatever changes then is our doing.
#include <luthier_device.h>

LUTHIER_HOOK void nothing() {}

LUTHIER_TOOL(R"(
about = "inserts a hook that does nothing at every instruction"
[[insert]]
hook = "nothing"
)")
