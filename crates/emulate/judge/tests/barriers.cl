// Kernels whose waves or lanes do not meet at a barrier, and with OK their right twins. `@kernel.A` marks a line that
// barriers.tsv names.
#define SYNC                                                                   \
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"),                      \
   __builtin_amdgcn_s_barrier(),                                               \
   __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define ITEM ((int)__builtin_amdgcn_workitem_id_x())
#define WAVE                                                                   \
  __builtin_amdgcn_readfirstlane(ITEM / __builtin_amdgcn_wavefrontsize())
#define ITEMS 128

kernel void two_branches(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
#if OK
  shared[t] = t;
  SYNC;
  out[t] = shared[t ^ 1];
#else
  if (WAVE == 0) {
    shared[t] = t;
    SYNC; // @two_branches.A
    out[t] = shared[t ^ 1];
  } else {
    shared[t] = 2 * t;
    SYNC; // @two_branches.B
    out[t] = shared[t ^ 2] + 5;
  }
#endif
}

kernel void some_waves(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  shared[t] = t;
#if OK
  SYNC;
#endif
  if (WAVE == 0) {
#if !OK
    SYNC; // @some_waves.A
#endif
    shared[t] += 3;
  }
  SYNC; // @some_waves.B
  out[t] = shared[ITEMS - 1 - t];
}

kernel void odd_lanes(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  shared[t] = t;
#if OK
  SYNC;
#endif
  if (t & 1) {
    shared[t] += 4;
#if !OK
    SYNC; // @odd_lanes.A
#endif
    out[t] = shared[t ^ 2];
  }
  SYNC; // @odd_lanes.B
  out[t] += shared[ITEMS - 1 - t];
}

kernel void returned_lanes(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  shared[t] = t;
#if OK
  SYNC;
#endif
  if (t % 3 == 0)
    return;
#if !OK
  SYNC; // @returned_lanes.A
#endif
  out[t] = shared[ITEMS - 1 - t];
}

kernel void returned_waves(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  shared[t] = t;
#if OK
  SYNC;
#endif
  if (WAVE == 1)
    return;
#if !OK
  SYNC; // @returned_waves.A
#endif
  out[t] = shared[t ^ 1];
}

kernel void loop_of_waves(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
#if OK
  int rounds = 3;
#else
  int rounds = WAVE == 0 ? 2 : 3;
#endif
#pragma nounroll
  for (int i = 0; i < rounds; i++) {
    shared[t] = i;
    SYNC; // @loop_of_waves.A
    out[t] = shared[t ^ 1];
  }
  SYNC; // @loop_of_waves.B
  out[t] += shared[t ^ 2];
}

kernel void loop_of_lanes(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
#if OK
  int rounds = 3;
#else
  int rounds = 1 + (t & 3);
#endif
#pragma nounroll
  for (int i = 0; i < rounds; i++) {
    shared[t] = i;
    SYNC; // @loop_of_lanes.A
    out[t] = shared[t ^ 1];
  }
  SYNC; // @loop_of_lanes.B
  out[t] += shared[t ^ 2];
}

__attribute__((noinline)) void meet(void) {
  SYNC; // @function.A
}

kernel void function(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  shared[t] = t;
#if OK
  meet();
#else
  if (t % 5 == 0)
    meet();
#endif
  out[t] = shared[t ^ 1];
  SYNC; // @function.B
  out[t] += shared[t ^ 2];
}

kernel void nested(global int *out, global const int *in) {
  local int shared[ITEMS];
  int t = ITEM;
  shared[t] = t;
  if (in[0] == 0) {
#if OK
    SYNC;
#endif
    if (in[t + 1] > t) {
      shared[t] += 1;
#if !OK
      SYNC; // @nested.A
#endif
      out[t] = shared[t ^ 1];
    }
  }
  SYNC; // @nested.B
  out[t] += shared[t ^ 2];
}

kernel void last_part(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  shared[t] = 0;
#if OK
  if (t < 100)
    shared[t] = t;
  SYNC;
  if (t < 100)
    out[t] = shared[99 - t];
#else
  if (t < 100) {
    shared[t] = t;
    SYNC; // @last_part.A
    out[t] = shared[99 - t];
  }
#endif
}

kernel void polls(global int *out) {
  local volatile int flag;
  local int shared[ITEMS];
  int t = ITEM;
  if (t == 0)
    flag = 0;
  shared[t] = t;
  SYNC;
  if (WAVE == 0) {
#if !OK
    SYNC; // @polls.A
#endif
    if (t == 0)
      flag = 1;
    out[t] = shared[t ^ 1];
  } else {
    while (flag == 0)
      ;
    out[t] = shared[t ^ 2] + 1;
  }
#if OK
  SYNC;
#endif
}

kernel void counts(global int *out) {
  local volatile int arrived[ITEMS];
  int t = ITEM;
  arrived[t] = 0;
  SYNC;
  if (WAVE != 0) {
#if !OK
    SYNC; // @counts.A
#endif
    arrived[t] = 1;
  } else {
    while (arrived[ITEMS - 1] == 0)
      __builtin_amdgcn_s_sleep(1);
  }
#if OK
  SYNC;
#endif
  out[t] = arrived[t];
}

// Loads that acquire make the loop empty caches from gfx10 on.
kernel void acquires(global int *out) {
  local atomic_int flag;
  int t = ITEM;
  if (t == 0)
    *(local volatile int *)&flag = 0;
  SYNC;
  if (WAVE == 0) {
#if !OK
    SYNC; // @acquires.A
#endif
    if (t == 0)
      __opencl_atomic_store(&flag, 1, memory_order_release, memory_scope_work_group);
    out[t] = 1;
  } else {
    while (__opencl_atomic_load(&flag, memory_order_acquire, memory_scope_work_group) == 0)
      ;
    out[t] = 2;
  }
#if OK
  SYNC;
#endif
}

// Waves wait for a flag, but not for ever: they give up when they have looked so many times.
kernel void gives_up(global int *out) {
  local volatile int flag;
  int t = ITEM, times = 0;
  if (t == 0)
    flag = 0;
  SYNC;
  if (WAVE != 0) {
#pragma unroll 1
    while (times < 20000 && flag == 0)
      times++;
  }
  SYNC;
  out[t] = times;
}

// Ends in both forms once flag[0] is 1, which the host may write, too.
kernel void polls_memory(global volatile int *flag) {
  if (WAVE == 0) {
#if !OK
    SYNC; // @polls_memory.A
#endif
    flag[0] = 1;
  } else {
    while (flag[0] == 0) // @polls_memory.B
      ;
  }
#if OK
  SYNC;
#else
  if (WAVE != 0)
    SYNC;
#endif
}

#ifdef SPLIT
kernel void arrives_twice(global int *out) {
  int t = ITEM;
  out[t] = t;
#if !OK
  if (WAVE == 0)
    __asm__ volatile("s_barrier_signal -1"); // @arrives_twice.B
#endif
  __asm__ volatile("s_barrier_signal -1"); // @arrives_twice.A
  __asm__ volatile("s_barrier_wait -1");
}

kernel void never_arrives(global int *out) {
  int t = ITEM;
  out[t] = t;
#if !OK
  if (WAVE != 0)
#endif
    __asm__ volatile("s_barrier_signal -1");
  __asm__ volatile("s_barrier_wait -1"); // @never_arrives.A
}
#endif
