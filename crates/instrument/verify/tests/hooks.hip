// The hooks of the tests.
#include <luthier_device.h>

LUTHIER_GLOBAL luthier_u64 total;

LUTHIER_HOOK void count(luthier_u32 instructions) { luthier::count_wave(&total, instructions); }

// For a sum that the wave kept in registers.
LUTHIER_HOOK void add(luthier_u32 low, luthier_u32 high) { luthier::count_wave(&total, (luthier_u64)high << 32 | low); }

LUTHIER_GLOBAL luthier_u64 blocks[4096];

// Sum over lanes of address times a hash of size and kind: independent of order.
LUTHIER_GLOBAL luthier_u64 traced;

LUTHIER_HOOK void trace() {
  luthier_u64 value = luthier::effective_address() * (luthier::access_size() * 512 + luthier::access_kind());
  __scoped_atomic_fetch_add((luthier::global_u64)&traced, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// Takes it back.
LUTHIER_HOOK void untrace() {
  luthier_u64 value = luthier::effective_address() * (luthier::access_size() * 512 + luthier::access_kind());
  __scoped_atomic_fetch_sub((luthier::global_u64)&traced, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// Everything that only a kernel's entry knows.
LUTHIER_GLOBAL luthier_u64 seen[8];

LUTHIER_HOOK void entry_values() {
  if (luthier::elected()) {
    luthier_u32 group = luthier::workgroup_id_x();
    seen[group & 1] = luthier::kernel_argument<luthier_u64>(0);
    seen[2 + (group & 1)] = luthier::kernel_argument<luthier_u32>(16);
    seen[4] = luthier::dispatch_id();
    seen[5] = luthier::workgroup_id_y() + luthier::workgroup_id_z();
  }
}
