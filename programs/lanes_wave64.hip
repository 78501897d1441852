// until: 5.2, as HIP 5.7 refuses such flags on gfx10
// flags: -mwavefrontsize64 -Xarch_device -U__gfx1030__
// devices: gfx1030
// The lane exchanges again, with 64 lanes on a target whose waves have 32 by default.
#include "lanes.hip"
