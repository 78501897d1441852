__kernel void endless(volatile __global int *values) {
  while (values[__builtin_amdgcn_workitem_id_x()] == 0)
    ;
}
