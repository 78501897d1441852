__kernel void endless(volatile __global int *values) {
  while (values[get_local_id(0)] == 0)
    ;
}
