// Kernels of the session tests: without data of their own, and with.
#define KERNEL extern "C" __attribute__((global))

KERNEL void scale(float *values, float factor) { values[__builtin_amdgcn_workitem_id_x()] *= factor; }

KERNEL void tile(float *values) {
  static __attribute__((shared)) float lds[64];
  unsigned lane = __builtin_amdgcn_workitem_id_x();
  lds[lane] = values[lane];
  __builtin_amdgcn_s_barrier();
  values[lane] = lds[63 - lane];
}

#ifdef WITH_DATA
__attribute__((device)) int hits = 3;
KERNEL void count(int *out) { *out = hits++; }
#endif
