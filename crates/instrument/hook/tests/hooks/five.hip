// The hooks of the code generation tests.
#include <luthier_device.h>

LUTHIER_GLOBAL luthier_u64 total;
LUTHIER_GLOBAL luthier_u64 lanes = 5;
LUTHIER_GLOBAL luthier::ring stream;

struct access_record {
  luthier_u64 address;
  luthier_u32 site;
  luthier_u32 lane;
};

LUTHIER_HOOK void empty() {}

LUTHIER_HOOK void count(luthier_u32 instructions) { luthier::count_wave(&total, instructions); }

LUTHIER_HOOK void count_lanes(luthier_u32 instructions) { luthier::count_lanes(&lanes, instructions); }

LUTHIER_HOOK void trace(luthier_u32 site) { luthier::emit(&stream, access_record{luthier::effective_address(), site, luthier::lane()}); }

LUTHIER_HOOK void clamp(float &value, float limit) {
  if (value > limit)
    value = limit;
}

LUTHIER_HOOK void divide(float a, float b, float *result) { *result = a / b; }

LUTHIER_HOOK void where(luthier_u32 *out) {
  if (luthier::elected())
    *out = luthier::workgroup_id_x() + luthier::sgpr(4) * luthier::kernel_argument<luthier_u32>(8);
}

LUTHIER_HOOK void shift_register() { luthier::write_vgpr(7, luthier::vgpr(3) + 1); }
