__kernel void counts(__global volatile int *values) {
  for (unsigned long i = 0; i < 1ul << 40; i++) values[__builtin_amdgcn_workitem_id_x()] = (int)i;
}
