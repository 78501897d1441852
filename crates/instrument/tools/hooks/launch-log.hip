// Launches with their arguments; nothing is inserted.
#include <luthier_device.h>

LUTHIER_TOOL(R"(
about = "every launch with its arguments and times, as text, JSON and a timeline"
)")
