// Eleven megabytes of private memory for each lane.
__kernel void deep(__global int *values) {
  volatile int own[2800000];
  own[values[get_local_id(0)]] = 1;
  values[get_local_id(0)] = own[values[get_local_id(0)] + 1];
}
