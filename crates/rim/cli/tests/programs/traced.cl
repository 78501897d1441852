// Each lane loads a number, gives it to the opposite lane through LDS, and stores twice of what it gets.
kernel void moves(global const float *from, global float *to, local float *between) {
  int item = __builtin_amdgcn_workitem_id_x();
  between[item] = from[item];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  float other = between[63 - item];
  if (item < 48)
    to[item] = other * 2.0f;
}

#ifdef STRUCTURED
// A descriptor decides on the address. This one has no elements, so the load gives 0.
kernel void structured(global int *to) {
  int item = __builtin_amdgcn_workitem_id_x(), value;
  uint __attribute__((ext_vector_type(4))) none = 0;
  __asm volatile("buffer_load_dword %0, %1, %2, 0 idxen\n\ts_waitcnt vmcnt(0)" : "=v"(value) : "v"(item), "s"(none));
  to[item] = value;
}
#endif
