__kernel void tiny(__global int *values) { values[__builtin_amdgcn_workitem_id_x()] = 1; }
