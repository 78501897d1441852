// Kernels whose names in the object are not those of the source.
#define KERNEL(NAME, TYPE)                                                                   \
  __attribute__((amdgpu_kernel)) void NAME(__attribute__((address_space(1))) TYPE *values) { \
    values[__builtin_amdgcn_workitem_id_x()] += values[__builtin_amdgcn_workitem_id_x()];    \
  }

KERNEL(doubled, int)
KERNEL(doubled, float)
KERNEL(again, int)
