__kernel void tiny(__global int *values) { values[get_local_id(0)] = 1; }
