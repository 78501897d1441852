// Loads its arguments, from the first byte on, and stores once.
kernel void put(global int *out, int value) { out[__builtin_amdgcn_workitem_id_x()] = value; }
