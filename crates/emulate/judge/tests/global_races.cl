// Kernels whose waves access global memory in no order, and with OK their right twins. `@kernel.A` marks a line that
// global_races.tsv names.
#if OK
#define IF_OK(right, wrong) right
#else
#define IF_OK(right, wrong) wrong
#endif
#define FENCE(order, scope) __builtin_amdgcn_fence(order, scope)
#define SYNC                                                                   \
  (FENCE(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(),         \
   FENCE(__ATOMIC_ACQUIRE, "workgroup"))
#define ITEM ((int)__builtin_amdgcn_workitem_id_x())
#define GROUP ((int)__builtin_amdgcn_workgroup_id_x())
#define ITEMS 256
#define GROUPS 3
// An access that the compiler neither moves nor leaves out.
#define LOAD(p)                                                                \
  __opencl_atomic_load(p, memory_order_relaxed, memory_scope_sub_group)
#define STORE(p, value)                                                        \
  __opencl_atomic_store(p, value, memory_order_relaxed, memory_scope_sub_group)
// Accesses for others, by order and scope.
#define GET(p, order, scope)                                                   \
  __opencl_atomic_load(p, memory_order_##order, memory_scope_##scope)
#define PUT(p, value, order, scope) PUT_AS(p, value, order, scope)
#define PUT_AS(p, value, order, scope)                                         \
  __opencl_atomic_store(p, value, memory_order_##order, memory_scope_##scope)
#define ADD(p, value, order)                                                   \
  __opencl_atomic_fetch_add(p, value, memory_order_##order, memory_scope_device)
typedef global atomic_int *Memory;

kernel void neighbours(Memory out) {
  int t = GROUP * ITEMS + ITEM;
  STORE(&out[t], t + 1); // @neighbours.A
  int other = (t + ITEMS) % (GROUPS * ITEMS) + IF_OK(4096, 0);
  STORE(&out[8192 + t], LOAD(&out[other])); // @neighbours.B
}

// Two waves have parts of a row of 32 dwords.
kernel void shifted(Memory out) {
  int t = GROUP * ITEMS + ITEM;
  STORE(&out[t + 5], t); // @shifted.A
  STORE(&out[8192 + t], LOAD(&out[t + IF_OK(5, 6)])); // @shifted.B
}

// 16 lanes lie side by side.
kernel void tiles(Memory out) {
  int t = GROUP * ITEMS + ITEM, at = t / 16 * 48 + t % 16;
  STORE(&out[at], t); // @tiles.A
  STORE(&out[8192 + t], LOAD(&out[at + IF_OK(0, 48)])); // @tiles.B
}

kernel void two_writers(Memory out) {
  if (ITEM == 0 && (GROUP == 0 || IF_OK(0, 1)))
    STORE(&out[7], GROUP + 1); // @two_writers.A
}

kernel void same_value(Memory out) {
  if (ITEM == 0 && (GROUP == 0 || IF_OK(0, 1)))
    STORE(&out[7], 5); // @same_value.A
}

kernel void write_after_read(Memory out) {
  int x = LOAD(&out[5]); // @write_after_read.A
  STORE(&out[64 + GROUP * ITEMS + ITEM], x);
  if (GROUP == 2 && ITEM == 0)
    STORE(&out[IF_OK(6, 5)], x + 1); // @write_after_read.B
}

// All waves execute one scalar load, and none has written its dwords before.
kernel void repeated_scalar(Memory out) {
  int2 x = *(constant int2 *)(ulong)(out + 8); // @repeated_scalar.A
  STORE(&out[64 + GROUP * ITEMS + ITEM], x.x + x.y);
  if (GROUP == 2 && ITEM == 0)
    STORE(&out[IF_OK(10, 9)], x.x + 1); // @repeated_scalar.B
}

kernel void counter(Memory out) {
  if (ITEM == 0)
    IF_OK(ADD(out, 1, relaxed), STORE(out, LOAD(out) + 1)); // @counter.A
}

// Compilers give neighbours the same line.
#define ADD_AND_GET(p)                                                         \
  (ADD(p, 1, relaxed), IF_OK(GET(p, relaxed, device), LOAD(p)))
kernel void histogram(Memory out) {
  int x = ADD_AND_GET(&out[ITEM % 7]); // @histogram.A
  STORE(&out[64 + GROUP * ITEMS + ITEM], x);
}

kernel void bytes(global char *out) {
  if (ITEM == 0)
    out[IF_OK(GROUP, 1)] = GROUP + 1; // @bytes.A
}

kernel void wide(global int4 *out) {
  if (ITEM == 0 && GROUP == 0)
    *out = (int4)(1, 2, 3, 4); // @wide.A
  if (ITEM == 0 && GROUP == 1)
    STORE(&((Memory)out)[IF_OK(4, 3)], 9); // @wide.B
}

kernel void in_workgroup(Memory out) {
  Memory own = out + GROUP * ITEMS;
  STORE(&own[ITEM], ITEM + 1); // @in_workgroup.A
  IF_OK(SYNC, (void)0);
  STORE(&out[4096 + GROUP * ITEMS + ITEM], LOAD(&own[ITEMS - 1 - ITEM])); // @in_workgroup.B
}

// Workgroup 0 passes data by a flag to workgroup 1.
#define FLAG(name)                                                   \
  kernel void name(Memory out) {                                               \
    Memory flag = out + 1024;                                                  \
    if (ITEM != 0)                                                             \
      return;                                                                  \
    if (GROUP == 0) {

#define READER(get)                                                            \
  }                                                                            \
  if (GROUP == 1) {                                                            \
    while (!get)

#define END                                                                    \
  }                                                                            \
  }

FLAG(relaxed_writer)
STORE(out, 5); // @relaxed_writer.A
PUT(flag, 1, IF_OK(release, relaxed), device);
READER(GET(flag, acquire, device));
STORE(&out[9], LOAD(out)); // @relaxed_writer.B
END

FLAG(volatile_writer)
STORE(out, 5); // @volatile_writer.A
IF_OK(PUT(flag, 1, release, device), *(volatile global int *)flag = 1);
READER(GET(flag, acquire, device));
STORE(&out[9], LOAD(out)); // @volatile_writer.B
END

FLAG(workgroup_writer)
STORE(out, 5); // @workgroup_writer.A
IF_OK(PUT(flag, 1, release, device), PUT(flag, 1, release, work_group)); // @workgroup_writer.C
READER(GET(flag, acquire, device)); // @workgroup_writer.D
STORE(&out[9], LOAD(out)); // @workgroup_writer.B
END

FLAG(relaxed_reader)
STORE(out, 5); // @relaxed_reader.A
PUT(flag, 1, release, device);
READER(IF_OK(GET(flag, acquire, device), GET(flag, relaxed, device)));
STORE(&out[9], LOAD(out)); // @relaxed_reader.B
END

FLAG(volatile_reader)
STORE(out, 5); // @volatile_reader.A
PUT(flag, 1, release, device);
READER(IF_OK(GET(flag, acquire, device), *(volatile global int *)flag));
STORE(&out[9], LOAD(out)); // @volatile_reader.B
END

FLAG(workgroup_reader)
STORE(out, 5); // @workgroup_reader.A
PUT(flag, 1, release, device); // @workgroup_reader.C
READER(IF_OK(GET(flag, acquire, device), GET(flag, acquire, work_group))); // @workgroup_reader.D
STORE(&out[9], LOAD(out)); // @workgroup_reader.B
END

// The flag before the data. Compilers give neighbours the same line.
#define EARLY_FLAG                                                             \
  (IF_OK(STORE(out, 5), (void)0), PUT(flag, 1, release, device),               \
   IF_OK((void)0, STORE(out, 5)))
FLAG(early_flag)
EARLY_FLAG; // @early_flag.A
READER(GET(flag, acquire, device));
STORE(&out[9], LOAD(out)); // @early_flag.B
END

// Flag and data in scoped accesses: their order needs a wait, their values need nothing.
FLAG(scoped_data)
IF_OK(PUT(out, 5, relaxed, device), STORE(out, 5)); // @scoped_data.A
PUT(flag, 1, relaxed, device);
READER(GET(flag, relaxed, device));
STORE(&out[9], IF_OK(GET(out, relaxed, device), LOAD(out))); // @scoped_data.B
END

// The store is waited for before the release. clang 22 then leaves out the wait behind gfx94x's write-back.
FLAG(write_back)
IF_OK((void)0, STORE(out, 5)); // @write_back.A
STORE(&out[8], GET(&out[700], acquire, device));
IF_OK(STORE(out, 5), __builtin_amdgcn_s_waitcnt(0));
PUT(flag, 1, release, device);
READER(GET(flag, acquire, device));
STORE(&out[9], LOAD(out)); // @write_back.B
END

// The order of relaxed accesses comes from fences.
FLAG(fences)
STORE(out, 5); // @fences.A
IF_OK(FENCE(__ATOMIC_RELEASE, "agent"), (void)0);
PUT(flag, 1, relaxed, device);
READER(GET(flag, relaxed, device));
IF_OK(FENCE(__ATOMIC_ACQUIRE, "agent"), (void)0);
STORE(&out[9], LOAD(out)); // @fences.B
END

// The flag is changed and asked for by atomics that read and write.
FLAG(exchanged)
STORE(out, 5); // @exchanged.A
__opencl_atomic_exchange(flag, 1, IF_OK(memory_order_release, memory_order_relaxed), memory_scope_device);
READER(__opencl_atomic_fetch_or(flag, 0, memory_order_acquire, memory_scope_device));
STORE(&out[9], LOAD(out)); // @exchanged.B
END

// A loop of compare-and-swap begins with a plain load. An addition does not ask whether the loaded value was the newest one.
kernel void swap_loop(Memory out) {
  int seen = LOAD(&out[3]); // @swap_loop.A
#if OK
  while (!__opencl_atomic_compare_exchange_strong(&out[3], &seen, seen * 3 + 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
    ;
#else
  ADD(&out[3], seen + 1, relaxed); // @swap_loop.B
#endif
}

// A plain load says whether there is anything to do.
kernel void tested_maximum(Memory out) {
  int t = GROUP * ITEMS + ITEM;
  if (IF_OK(GET(&out[3], relaxed, device), LOAD(&out[3])) <= t) // @tested_maximum.A
    __opencl_atomic_fetch_max(&out[3], t, memory_order_relaxed, memory_scope_device); // @tested_maximum.B
}

// All waves of a workgroup write, all waves of another one read; one wave of each has the flag.
kernel void for_all(Memory out) {
  Memory flag = out + 1024;
  if (GROUP == 0) {
    STORE(&out[ITEM], ITEM + 1); // @for_all.A
    SYNC;
    if (ITEM == 0)
      PUT(flag, 1, release, device);
  } else if (GROUP == 1) {
    if (ITEM == 0)
      while (!IF_OK(GET(flag, acquire, device), GET(flag, relaxed, device)))
        ;
    SYNC;
    STORE(&out[2048 + ITEM], LOAD(&out[ITEMS - 1 - ITEM])); // @for_all.B
  }
}

// Each workgroup adds to what the one before has handed on.
kernel void look_back(Memory out) {
  Memory flags = out + 1024;
  if (ITEM == 0) {
    int sum = GROUP;
    if (GROUP > 0) {
      while (!GET(&flags[GROUP - 1], acquire, device))
        ;
      sum += LOAD(&out[GROUP - 1]); // @look_back.B
    }
    STORE(&out[GROUP], sum); // @look_back.A
    PUT(&flags[GROUP], 1, IF_OK(release, relaxed), device);
  }
}

// Workgroups know all that was before them through the one before.
kernel void chain(Memory out) {
  Memory flags = out + 1024;
  if (ITEM != 0)
    return;
  if (GROUP > 0)
    while (!GET(&flags[GROUP - 1], acquire, device))
      ;
  STORE(&out[GROUP], GROUP + 1); // @chain.A
  PUT(&flags[GROUP], 1, release, device);
  int sum = 0;
  for (int i = 0; i < IF_OK(GROUP, GROUPS); i++)
    sum += LOAD(&out[i]); // @chain.B
  STORE(&out[512 + GROUP], sum);
}

kernel void ticket_lock(Memory out) {
  Memory next = out + 1024, serving = out + 1025;
  if (ITEM != 0)
    return;
  int ticket = ADD(next, 1, relaxed);
  while (GET(serving, acquire, device) != ticket)
    ;
  STORE(out, LOAD(out) + 1); // @ticket_lock.A
  PUT(serving, ticket + 1, IF_OK(release, relaxed), device);
}

kernel void spin_lock(Memory out) {
  Memory lock = out + 1024;
  if (ITEM != 0)
    return;
  while (__opencl_atomic_exchange(lock, 1, memory_order_acquire, memory_scope_device))
    ;
  IF_OK(STORE(out, LOAD(out) + 1), (void)0);
  PUT(lock, 0, release, device);
  IF_OK((void)0, STORE(out, LOAD(out) + 1)); // @spin_lock.A
}

// Who has waited for a flag takes it back by a plain store.
kernel void taken_back(Memory out) {
  if (GROUP == 0 && ITEM == 0)
    PUT(out, 1, release, device); // @taken_back.A
  if (GROUP == 1 && ITEM == 0) {
    while (IF_OK(GET(out, acquire, device) != 1, false))
      ;
    STORE(out, 2); // @taken_back.B
  }
}

// The same by two stores that each write a half.
kernel void taken_back_in_halves(Memory out) {
  global short *halves = (global short *)out;
  if (GROUP == 0 && ITEM == 0)
    PUT(out, 1, release, device); // @taken_back_in_halves.A
  if (GROUP == 1 && ITEM == 0) {
    while (IF_OK(GET(out, acquire, device) != 1, false))
      ;
    for (int i = 0; i < 2; i++)
      __scoped_atomic_store_n(&halves[i], 2, __ATOMIC_RELAXED, __MEMORY_SCOPE_WVFRNT); // @taken_back_in_halves.B
  }
}

// The same by another wave, behind a barrier.
kernel void taken_back_beside(Memory out) {
  if (GROUP == 0 && ITEM == 0)
    PUT(out, 1, release, device); // @taken_back_beside.A
  if (GROUP == 1) {
    while (IF_OK(ITEM == 0 && GET(out, acquire, device) != 1, false))
      ;
    SYNC;
    if (ITEM == ITEMS - 1)
      STORE(out, 2); // @taken_back_beside.B
  }
}

// The last workgroup adds up what all have written.
kernel void last_block(Memory out) {
  Memory done = out + 4096;
  local int is_last;
  STORE(&out[GROUP * ITEMS + ITEM], ITEM); // @last_block.A
  SYNC;
  if (ITEM == 0) {
    IF_OK(FENCE(__ATOMIC_SEQ_CST, "agent"), (void)0);
    is_last = ADD(done, 1, relaxed) == GROUPS - 1;
    IF_OK(FENCE(__ATOMIC_SEQ_CST, "agent"), (void)0);
  }
  SYNC;
  if (is_last) {
    int sum = 0;
    for (int i = 0; i < GROUPS; i++)
      sum += LOAD(&out[i * ITEMS + ITEM]); // @last_block.B
    STORE(&out[8192 + ITEM], sum);
  }
}

kernel void grid_barrier(Memory out) {
  Memory arrived = out + 4096;
  int t = GROUP * ITEMS + ITEM;
  STORE(&out[t], t); // @grid_barrier.A
  FENCE(__ATOMIC_RELEASE, "agent");
  SYNC;
  if (ITEM == 0) {
    ADD(arrived, 1, acq_rel);
    while (IF_OK(GET(arrived, acquire, device) != GROUPS, 0))
      ;
  }
  SYNC;
  FENCE(__ATOMIC_ACQUIRE, "agent");
  STORE(&out[8192 + t], LOAD(&out[(t + ITEMS) % (GROUPS * ITEMS)])); // @grid_barrier.B
}

#ifndef SPLIT // gfx12 has no barriers of the device.
#define BEGIN_BARRIERS                                                         \
  if (GROUP == 0 && ITEM == 0) {                                               \
    __builtin_amdgcn_ds_gws_init(GROUPS - 1, 0);                               \
    PUT(&out[4096], 1, release, device);                                       \
  }                                                                            \
  if (ITEM == 0)                                                               \
    while (!GET(&out[4096], acquire, device))                                  \
      ;                                                                        \
  SYNC;
#define DEVICE_BARRIER                                                         \
  SYNC;                                                                        \
  if (ITEM == 0)                                                               \
    __builtin_amdgcn_ds_gws_barrier(GROUPS - 1, 0);                            \
  SYNC;

kernel void device_barrier(Memory out) {
  int t = GROUP * ITEMS + ITEM;
  BEGIN_BARRIERS
  STORE(&out[t], t); // @device_barrier.A
  FENCE(__ATOMIC_SEQ_CST, "agent");
#if OK
  DEVICE_BARRIER
#endif
  STORE(&out[8192 + t], LOAD(&out[(t + ITEMS) % (GROUPS * ITEMS)])); // @device_barrier.B
}

// Without an invalidation, the first loads leave old values in caches.
kernel void stale_behind_barriers(Memory out) {
  int t = GROUP * ITEMS + ITEM, other = (t + ITEMS) % (GROUPS * ITEMS);
  BEGIN_BARRIERS
  int x = LOAD(&out[other]);
  FENCE(IF_OK(__ATOMIC_SEQ_CST, __ATOMIC_RELEASE), "agent");
  DEVICE_BARRIER
  STORE(&out[t], x + 1); // @stale_behind_barriers.A
  FENCE(IF_OK(__ATOMIC_SEQ_CST, __ATOMIC_RELEASE), "agent");
  DEVICE_BARRIER
  STORE(&out[8192 + t], LOAD(&out[other])); // @stale_behind_barriers.B
}

// Code that is not optimised loads between its invalidation and the barrier. Only the lines that it loads may be old then.
kernel void loaded_lines(Memory out) {
  int t = GROUP * ITEMS + ITEM, other = (t + ITEMS) % (GROUPS * ITEMS);
  BEGIN_BARRIERS
  STORE(&out[2 * t], t); // @loaded_lines.A
  FENCE(__ATOMIC_SEQ_CST, "agent");
  int x = LOAD(&out[IF_OK(12288 + t, 2 * other + 1)]);
  DEVICE_BARRIER
  STORE(&out[8192 + t], x + LOAD(&out[2 * other])); // @loaded_lines.B
}
#endif

// Both workgroups store the same bytes, each lane another one.
kernel void same_bytes(global char *out) {
  if (GROUP == 0 || IF_OK(0, 1))
    out[ITEM] = ITEM * 3; // @same_bytes.A
}

// Either half of a dword, and one of them from the high half of a register.
kernel void same_halves(global short *out) {
  if (ITEM == 0 && (GROUP == 0 || IF_OK(0, 1))) {
    int both = ((global int *)out)[0x2000] ^ 0x12345678;
    out[1] = both, out[4] = both >> 16; // @same_halves.A
  }
}

// One lane's byte is another one in each workgroup.
kernel void other_bytes(global char *out) {
  if (ITEM < 32 && (GROUP == 0 || IF_OK(0, 1)))
    out[ITEM] = ITEM == 17 ? GROUP + 1 : 3; // @other_bytes.A
}

// Each workgroup has a byte of one dword for its flag, and raises it before it looks at the one of the last workgroup.
kernel void byte_flags(Memory out) {
  global char *flags = (global char *)out + 0x4000;
  if (ITEM == 0) {
    STORE(&out[GROUP], 3 + GROUP); // @byte_flags.A
    if (IF_OK(1, 0))
      FENCE(__ATOMIC_RELEASE, "agent");
    __scoped_atomic_store_n(&flags[GROUP], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    if (GROUP > 0) {
      while (!__scoped_atomic_load_n(&flags[GROUP - 1], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
        ;
      FENCE(__ATOMIC_ACQUIRE, "agent");
      STORE(&out[64 + GROUP], LOAD(&out[GROUP - 1])); // @byte_flags.B
    }
  }
}

// Two workgroups write different bytes of a dword, and a third one reads the byte of the first.
kernel void earlier_byte(global char *out) {
  if (ITEM == 0 && GROUP < 2)
    out[GROUP] = GROUP + 1; // @earlier_byte.A
  if (ITEM == 0 && GROUP == 2)
    out[64] = out[IF_OK(2, 0)]; // @earlier_byte.B
}

// A heap of one block, whose functions have no more order than they need for themselves: the next owner of the block need not know what
// the last one did. The header is theirs alone.
global atomic_int held, header;
global int block[16];
__attribute__((noinline)) unsigned long allocate(unsigned long size) {
  int none = 0;
  while (!__opencl_atomic_compare_exchange_strong(&held, &none, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
    none = 0;
  STORE(&header, LOAD(&header) + size);
  return (unsigned long)block;
}
__attribute__((noinline)) void release(unsigned long address) { PUT(&held, 0, relaxed, device); }

kernel void heap_blocks(Memory out) {
  if (ITEM == 0) {
    Memory own = (Memory)allocate(64);
    STORE(&own[3], GROUP);
    ADD(&own[4], GROUP, relaxed);
    STORE(&out[64 * GROUP], LOAD(&own[3]));
    release((unsigned long)own);
  }
}

// The block is freed by the workgroup that got it from another one.
kernel void heap_passed(Memory out) {
  if (ITEM == 0 && GROUP == 0) {
    Memory own = (Memory)allocate(64);
    STORE(&own[3], 5); // @heap_passed.A
    PUT(&out[4096], 1, IF_OK(release, relaxed), device);
  }
  if (ITEM == 0 && GROUP == 1) {
    while (!GET(&out[4096], acquire, device))
      ;
    STORE(&out[9], LOAD((Memory)block + 3)); // @heap_passed.B
    release((unsigned long)block);
  }
}
