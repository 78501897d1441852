// Kernels whose waves access LDS in no order, and with OK their right twins. `@kernel.A` marks a line that races.tsv names.
#define SYNC                                                                   \
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"),                      \
   __builtin_amdgcn_s_barrier(),                                               \
   __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#if OK
#define SYNC_OK SYNC
#else
#define SYNC_OK
#endif
#define ITEM ((int)__builtin_amdgcn_workitem_id_x())
#define ITEMS 256
#define LAST (ITEMS - 1)
// An LDS access of `size` bytes that the compiler neither moves nor leaves out.
#define KEEP(place) (*(volatile __typeof__(place) *)&(place))
#define ADD(place, value) __opencl_atomic_fetch_add(place, value, memory_order_relaxed, memory_scope_work_group)

kernel void missing(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @missing.A
  SYNC_OK;
  out[t] = KEEP(shared[LAST - t]); // @missing.B
}

kernel void write_after_read(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1;
  SYNC;
  int x = KEEP(shared[LAST - t]); // @write_after_read.A
  SYNC_OK;
  KEEP(shared[t]) = x + 3; // @write_after_read.B
  SYNC;
  out[t] = KEEP(shared[t]);
}

kernel void rounds(global int *out) {
  local int shared[ITEMS];
  int t = ITEM, sum = 0;
#pragma unroll 1
  for (int i = 0; i < 5; i++) {
    KEEP(shared[t]) = t + i + 1; // @rounds.A
    SYNC;
    sum += KEEP(shared[LAST - t]); // @rounds.B
    SYNC_OK;
  }
  out[t] = sum;
}

kernel void reduction(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1;
  SYNC;
#pragma unroll 1
  for (int by = ITEMS / 2; by > 0; by /= 2) {
    if (t < by) {
      int other = KEEP(shared[t + by]); // @reduction.A
      KEEP(shared[t]) = KEEP(shared[t]) + other; // @reduction.B
    }
    SYNC_OK;
  }
  SYNC;
  out[t] = KEEP(shared[0]);
}

kernel void two_writers(global int *out) {
  local int one;
  int t = ITEM;
  if (!OK || t == 0)
    KEEP(one) = t; // @two_writers.A
  SYNC;
  out[t] = KEEP(one);
}

kernel void same_value(global int *out) {
  local int one;
  int t = ITEM;
  if (!OK || t == 0)
    KEEP(one) = 7; // @same_value.A
  SYNC;
  out[t] = KEEP(one);
}

kernel void histogram_begin(global int *out) {
  local atomic_int counts[16];
  int t = ITEM;
  if (t < 16)
    KEEP(*(local int *)&counts[t]) = 100; // @histogram_begin.A
  SYNC_OK;
  ADD(&counts[t & 15], 1); // @histogram_begin.B
  SYNC;
  out[t] = KEEP(*(local int *)&counts[t & 15]);
}

kernel void histogram_end(global int *out) {
  local atomic_int counts[16];
  int t = ITEM;
  if (t < 16)
    KEEP(*(local int *)&counts[t]) = 0;
  SYNC;
  if (t < 64)
    ADD(&counts[t & 15], 1); // @histogram_end.A
  SYNC_OK;
  if (t >= 64)
    out[t] = KEEP(*(local int *)&counts[t & 15]); // @histogram_end.B
}

kernel void bytes(global int *out) {
  local char shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @bytes.A
  SYNC_OK;
  out[t] = KEEP(shared[LAST - t]); // @bytes.B
}

// Bytes of one dword belong to different waves.
kernel void interleaved(global int *out) {
  local char shared[ITEMS];
  int t = ITEM, at = 4 * (t % 64) + t / 64;
  KEEP(shared[at]) = t; // @interleaved.A
  out[t] = KEEP(shared[OK ? at : at ^ 1]); // @interleaved.B
}

kernel void words(global long *out) {
  local long shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @words.A
  SYNC_OK;
  out[t] = KEEP(shared[LAST - t]); // @words.B
}

typedef int int4 __attribute__((ext_vector_type(4)));
kernel void quads(global int4 *out) {
  local int4 shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @quads.A
  SYNC_OK;
  out[t] = KEEP(shared[LAST - t]); // @quads.B
}

kernel void halves(global int *out) {
  local short shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @halves.A
  SYNC_OK;
  out[t] = KEEP(shared[t ^ 128]); // @halves.B
}

kernel void transposed(global int *out) {
  local int tile[16][17];
  int t = ITEM, x = t % 16, y = t / 16;
  KEEP(tile[y][x]) = t + 1; // @transposed.A
  SYNC_OK;
  out[t] = KEEP(tile[x][y]); // @transposed.B
}

kernel void stencil(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @stencil.A
  SYNC_OK;
  out[t] = KEEP(shared[t == LAST ? 0 : t + 1]); // @stencil.B
}

// Two buffers by turns need one barrier a round, one buffer needs two.
kernel void buffers(global int *out) {
  local int shared[2][ITEMS];
  int t = ITEM, sum = 0;
#pragma unroll 1
  for (int i = 0; i < 6; i++) {
    KEEP(shared[OK ? i & 1 : 0][t]) = t + i + 1; // @buffers.A
    SYNC;
    sum += KEEP(shared[OK ? i & 1 : 0][LAST - t]); // @buffers.B
  }
  out[t] = sum;
}

kernel void broadcast(global int *out) {
  local int one;
  int t = ITEM;
  if (t == 0)
    KEEP(one) = 5; // @broadcast.A
  SYNC_OK;
  out[t] = KEEP(one); // @broadcast.B
}

kernel void broadcast_rounds(global int *out) {
  local int one;
  int t = ITEM, sum = 0;
#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    if (t == 0)
      KEEP(one) = i + 5; // @broadcast_rounds.A
    SYNC;
    sum += KEEP(one); // @broadcast_rounds.B
    SYNC_OK;
  }
  out[t] = sum;
}

kernel void scan(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = 1;
  SYNC;
#pragma unroll 1
  for (int by = 64; by < ITEMS; by *= 2) {
    int other = t >= by ? KEEP(shared[t - by]) : 0; // @scan.A
    SYNC_OK;
    KEEP(shared[t]) = KEEP(shared[t]) + other + 1; // @scan.B
    SYNC;
  }
  out[t] = KEEP(shared[t]);
}

// A flag that is polled puts accesses in order.
kernel void flag(global int *out) {
  local int data[64];
  local atomic_int ready;
  int t = ITEM;
  if (t == 0)
    KEEP(*(local int *)&ready) = 0;
  SYNC;
  if (t < 32) {
    KEEP(data[t]) = t + 1; // @flag.A
    __opencl_atomic_store(&ready, 1, memory_order_release, memory_scope_work_group);
  } else if (t >= 64 && t < 96) {
#if OK
    while (__opencl_atomic_load(&ready, memory_order_acquire, memory_scope_work_group) == 0)
      ;
#endif
    out[t] = KEEP(data[t - 64]); // @flag.B
  }
}

kernel void locked(global int *out) {
  local int sum;
  local atomic_int lock;
  int t = ITEM;
  if (t == 0) {
    KEEP(sum) = 0;
    KEEP(*(local int *)&lock) = 0;
  }
  SYNC;
  if (t % 64 == 0) {
#if OK
    int none = 0;
    while (!__opencl_atomic_compare_exchange_strong(&lock, &none, 1, memory_order_acquire, memory_order_relaxed, memory_scope_work_group))
      none = 0;
#endif
    KEEP(sum) = KEEP(sum) + t + 1; // @locked.A
#if OK
    __opencl_atomic_store(&lock, 0, memory_order_release, memory_scope_work_group);
#endif
  }
  SYNC;
  out[t] = KEEP(sum);
}

kernel void stack(global int *out) {
  local atomic_int top;
  local int items[ITEMS];
  int t = ITEM;
  if (t == 0)
    KEEP(*(local int *)&top) = 0;
  SYNC;
  int place = ADD(&top, 1);
  KEEP(items[place]) = t + 1; // @stack.A
  SYNC_OK;
  out[t] = KEEP(items[LAST - t]); // @stack.B
}

// Whoever counts last may read, if the count puts accesses in order.
kernel void last_one(global int *out) {
  local atomic_int done;
  local int parts[ITEMS];
  int t = ITEM;
  if (t == 0)
    KEEP(*(local int *)&done) = 0;
  SYNC;
  KEEP(parts[t]) = t + 1; // @last_one.A
#if OK
  SYNC;
#endif
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  int before = ADD(&done, 1);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (before == LAST)
    out[t] = KEEP(parts[0]); // @last_one.B
}

// Each wave works in its own part.
kernel void own_parts(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @own_parts.A
  out[t] = KEEP(shared[OK ? t ^ 31 : t ^ 127]); // @own_parts.B
}

kernel void plain_count(global int *out) {
  local atomic_int count;
  int t = ITEM;
  if (t == 0)
    KEEP(*(local int *)&count) = 0;
  SYNC;
  if (OK || t < 64)
    ADD(&count, 1); // @plain_count.A
  else
    KEEP(*(local int *)&count) = KEEP(*(local int *)&count) + 1; // @plain_count.B
  SYNC;
  out[t] = KEEP(*(local int *)&count);
}

// By a FLAT instruction.
__attribute__((noinline)) static int value(int *place) {
  return *(volatile int *)place; // @by_pointer.B
}

kernel void by_pointer(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @by_pointer.A
  SYNC_OK;
  out[t] = value((int *)&shared[LAST - t]);
}

kernel void pairs(global int *out) {
  local int shared[2 * ITEMS];
  int t = ITEM;
  shared[t] = t + 1, shared[t + ITEMS] = t + 2; // @pairs.A
  SYNC_OK;
  out[t] = shared[LAST - t] + shared[LAST - t + ITEMS]; // @pairs.B
}

// The last rounds need no barrier among 64 lanes, but waves of 32 do.
kernel void tail(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1;
  SYNC;
#pragma unroll 1
  for (int by = ITEMS / 2; by > 0; by /= 2) {
    if (t < by) {
      int other = KEEP(shared[t + by]); // @tail.A
      KEEP(shared[t]) = KEEP(shared[t]) + other; // @tail.B
    }
    if (OK || by > 64)
      SYNC;
  }
  SYNC;
  out[t] = KEEP(shared[0]);
}

// Two buffers by turns, without the one barrier that they need.
kernel void ping_pong(global int *out) {
  local int shared[2][ITEMS];
  int t = ITEM;
  KEEP(shared[0][t]) = 1;
  SYNC;
#pragma unroll 1
  for (int i = 0; i < 6; i++) {
    int x = KEEP(shared[i & 1][LAST - t]); // @ping_pong.A
    KEEP(shared[~i & 1][t]) = x + i + 1; // @ping_pong.B
    SYNC_OK;
  }
  SYNC;
  out[t] = KEEP(shared[0][t]);
}

// Every other round has no barrier at its end.
kernel void odd_rounds(global int *out) {
  local int shared[ITEMS];
  int t = ITEM, sum = 0;
#pragma unroll 1
  for (int i = 0; i < 5; i++) {
    KEEP(shared[t]) = t + i + 1; // @odd_rounds.A
    SYNC;
    sum += KEEP(shared[LAST - t]); // @odd_rounds.B
    if (OK || i & 1)
      SYNC;
  }
  out[t] = sum;
}

// Each arm has a barrier of its own, which whole waves come to.
kernel void arms(global int *out) {
  local int shared[ITEMS / 2];
  int t = ITEM;
  if (t < ITEMS / 2) {
#if OK
    KEEP(shared[t]) = t + 1;
#endif
    SYNC;
#if !OK
    KEEP(shared[t]) = t + 1; // @arms.A
#endif
  } else {
    SYNC;
    out[t] = KEEP(shared[t - ITEMS / 2]); // @arms.B
  }
}

// An atomic of 8 bytes, of which another wave reads four.
kernel void long_count(global int *out) {
  local atomic_long count;
  int t = ITEM;
  if (t == 0)
    KEEP(*(local long *)&count) = 0;
  SYNC;
  if (t < 64)
    ADD(&count, 1L << 32); // @long_count.A
  SYNC_OK;
  if (t >= 64)
    out[t] = KEEP(((local int *)&count)[1]); // @long_count.B
}

// Elements at a distance of 64 dwords, two by one instruction.
kernel void columns(global int *out) {
  local int shared[ITEMS];
  int t = ITEM, c = t % 64;
  KEEP(shared[t]) = t + 1; // @columns.A
  SYNC_OK;
  out[t] = shared[c] + shared[c + 64] + shared[c + 128] + shared[c + 192]; // @columns.B
}

// Only what lies beside the tile is written too late.
kernel void halo(global int *out) {
  local int shared[ITEMS + 2];
  int t = ITEM;
  KEEP(shared[t]) = t + 1;
  SYNC;
  if (t < 2)
    KEEP(shared[ITEMS + t]) = t + 1; // @halo.A
  SYNC_OK;
  out[t] = KEEP(shared[t + 2]); // @halo.B
}

// A member of a large element.
kernel void members(global int *out) {
  local int4 shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @members.A
  SYNC_OK;
  out[t] = KEEP(((local int *)&shared[LAST - t])[1]); // @members.B
}

kernel void bytes_as_words(global int *out) {
  local int words[ITEMS / 4];
  int t = ITEM;
  KEEP(((local char *)words)[t]) = t | 1; // @bytes_as_words.A
  SYNC_OK;
  out[t] = KEEP(words[t % 64]); // @bytes_as_words.B
}

// The same memory, later with elements of another size.
kernel void reused(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1;
  SYNC;
  int x = KEEP(shared[LAST - t]); // @reused.A
  SYNC_OK;
  KEEP(((local short *)shared)[t]) = x + 3; // @reused.B
  SYNC;
  out[t] = KEEP(((local short *)shared)[LAST - t]);
}

// One lane of each wave tells what the wave has, and one adds it all.
kernel void wave_sums(global int *out) {
  local int parts[ITEMS / 32];
  int t = ITEM, sum = 0;
  if (t % 32 == 0)
    KEEP(parts[t / 32]) = t + 1; // @wave_sums.A
  SYNC_OK;
  if (t == 0)
    for (int i = 0; i < ITEMS / 32; i++)
      sum += KEEP(parts[i]); // @wave_sums.B
  out[t] = sum;
}

// The counts of one round are read when the next one begins.
kernel void histograms(global int *out) {
  local atomic_int counts[16];
  int t = ITEM, sum = 0;
#pragma unroll 1
  for (int i = 0; i < 3; i++) {
    if (t < 16)
      KEEP(*(local int *)&counts[t]) = 0; // @histograms.A
    SYNC;
    ADD(&counts[t & 15], 1);
    SYNC;
    sum += KEEP(*(local int *)&counts[t >> 4]); // @histograms.B
    SYNC_OK;
  }
  out[t] = sum;
}

// An atomic by a FLAT instruction.
__attribute__((noinline)) static void count_at(atomic_int *place) {
  __asm__ volatile("" : "+v"(place)); // Hides that the place is in LDS.
  ADD(place, 1); // @count_by_pointer.A
}

kernel void count_by_pointer(global int *out) {
  local atomic_int count;
  int t = ITEM;
  if (t == 0)
    KEEP(*(local int *)&count) = 0;
  SYNC;
  if (t < 64)
    count_at((atomic_int *)&count);
  SYNC_OK;
  if (t >= 64)
    out[t] = KEEP(*(local int *)&count); // @count_by_pointer.B
}

#define RAISE(flag, value) __opencl_atomic_store(flag, value, memory_order_release, memory_scope_work_group)
#define SEEN(flag) __opencl_atomic_load(flag, memory_order_acquire, memory_scope_work_group)
#define TAKES(lock) (__opencl_atomic_exchange(lock, 1, memory_order_acquire, memory_scope_work_group) == 0)
#define CLEAR(flag) (KEEP(*(local int *)&(flag)) = 0)

// The first look at the flag is in front of the loop that waits for it. The flag may have been raised by then.
kernel void first_look(global int *out) {
  local int data[64];
  local atomic_int ready;
  int t = ITEM;
  if (t == 0)
    CLEAR(ready);
  SYNC;
  if (t < 32) {
#if OK
    KEEP(data[t]) = t + 1;
#endif
    RAISE(&ready, 2);
#if !OK
    KEEP(data[t]) = t + 1; // @first_look.A
#endif
  } else if (t >= 64 && t < 96) {
    int seen = SEEN(&ready);
    while (seen == 0)
      seen = SEEN(&ready);
    out[t] = KEEP(data[t - 64]) + seen; // @first_look.B
  }
}

// The flag is raised before the data are there.
kernel void early_flag(global int *out) {
  local int data[64];
  local atomic_int ready;
  int t = ITEM;
  if (t == 0)
    CLEAR(ready);
  SYNC;
  if (t < 32) {
#if !OK
    RAISE(&ready, 1);
#endif
    KEEP(data[t]) = t + 1; // @early_flag.A
#if OK
    RAISE(&ready, 1);
#endif
  } else if (t >= 64 && t < 96) {
    while (SEEN(&ready) == 0)
      ;
    out[t] = KEEP(data[t - 64]); // @early_flag.B
  }
}

// The lock is given back before the guarded store.
kernel void early_unlock(global int *out) {
  local int sum;
  local atomic_int lock;
  int t = ITEM;
  if (t == 0) {
    KEEP(sum) = 0;
    CLEAR(lock);
  }
  SYNC;
  if (t % 64 == 0) {
    int none = 0;
    while (!__opencl_atomic_compare_exchange_strong(&lock, &none, 1, memory_order_acquire, memory_order_relaxed, memory_scope_work_group))
      none = 0;
    int x = KEEP(sum); // @early_unlock.A
#if !OK
    RAISE(&lock, 0);
#endif
    KEEP(sum) = x + t + 1; // @early_unlock.B
#if OK
    RAISE(&lock, 0);
#endif
  }
  SYNC;
  out[t] = KEEP(sum);
}

// The loop that takes the lock gives it back, by an exchange too.
kernel void exchange_lock(global int *out) {
  local int sum;
  local atomic_int lock;
  int t = ITEM, waits = t % 64 == 0;
  if (t == 0) {
    KEEP(sum) = 0;
    CLEAR(lock);
  }
  SYNC;
#pragma unroll 1
  while (waits) {
    if (TAKES(&lock)) {
      int x = KEEP(sum); // @exchange_lock.A
#if OK
      KEEP(sum) = x + t + 1;
#endif
      __opencl_atomic_exchange(&lock, 0, memory_order_acq_rel, memory_scope_work_group);
#if !OK
      KEEP(sum) = x + t + 1; // @exchange_lock.B
#endif
      waits = 0;
    }
  }
  SYNC;
  out[t] = KEEP(sum);
}

// The first try to take the lock is in front of the loop that waits for it, and mostly succeeds.
kernel void first_try(global int *out) {
  local int sum;
  local atomic_int lock;
  int t = ITEM;
  if (t == 0) {
    KEEP(sum) = 0;
    CLEAR(lock);
  }
  SYNC;
  if (t % 64 == 0) {
    if (!TAKES(&lock)) {
#pragma unroll 1
      do
        __builtin_amdgcn_s_sleep(1);
      while (!TAKES(&lock));
    }
    int x = KEEP(sum); // @first_try.A
#if !OK
    RAISE(&lock, 0);
#endif
    KEEP(sum) = x + t + 1; // @first_try.B
#if OK
    RAISE(&lock, 0);
#endif
  }
  SYNC;
  out[t] = KEEP(sum);
}

// A load looks at the lock before an exchange takes it.
kernel void looks_first(global int *out) {
  local int sum;
  local atomic_int lock;
  int t = ITEM;
  if (t == 0) {
    KEEP(sum) = 0;
    CLEAR(lock);
  }
  SYNC;
  if (t % 64 == 0) {
#pragma unroll 1
    do
      while (SEEN(&lock))
        ;
    while (!TAKES(&lock));
    int x = KEEP(sum); // @looks_first.A
#if !OK
    RAISE(&lock, 0);
#endif
    KEEP(sum) = x + t + 1; // @looks_first.B
#if OK
    RAISE(&lock, 0);
#endif
  }
  SYNC;
  out[t] = KEEP(sum);
}

// One wave waits until all have counted.
kernel void arrivals(global int *out) {
  local int parts[ITEMS];
  local atomic_int count;
  int t = ITEM;
  if (t == 0)
    CLEAR(count);
  SYNC;
#if OK
  KEEP(parts[t]) = t + 1;
#endif
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  ADD(&count, 1);
#if !OK
  KEEP(parts[t]) = t + 1; // @arrivals.A
#endif
  if (t < 32) {
    while (SEEN(&count) < ITEMS)
      ;
    out[t] = KEEP(parts[LAST - t]); // @arrivals.B
  }
}

// A wave takes a number and waits for its turn.
kernel void tickets(global int *out) {
  local int sum;
  local atomic_int next, serving;
  int t = ITEM;
  if (t == 0) {
    KEEP(sum) = 0;
    CLEAR(next);
    CLEAR(serving);
  }
  SYNC;
  if (t % 64 == 0) {
    int mine = ADD(&next, 1);
    while (SEEN(&serving) != mine)
      ;
    int x = KEEP(sum); // @tickets.A
#if !OK
    RAISE(&serving, mine + 1);
#endif
    KEEP(sum) = x + t + 1; // @tickets.B
#if OK
    RAISE(&serving, mine + 1);
#endif
  }
  SYNC;
  out[t] = KEEP(sum);
}

// One flag says that the buffer is full, one that it is empty again.
kernel void handshake(global int *out) {
  local int buffer[32];
  local atomic_int full, empty;
  int t = ITEM, sum = 0;
  if (t == 0) {
    CLEAR(full);
    CLEAR(empty);
  }
  SYNC;
  if (t < 32) {
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
      while (SEEN(&empty) != i)
        ;
      KEEP(buffer[t]) = t + i + 1; // @handshake.A
      RAISE(&full, i + 1);
    }
  } else if (t >= 64 && t < 96) {
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
      while (SEEN(&full) != i + 1)
        ;
#if OK
      sum += KEEP(buffer[t - 64]);
#endif
      RAISE(&empty, i + 1);
#if !OK
      sum += KEEP(buffer[t - 64]); // @handshake.B
#endif
    }
    out[t] = sum;
  }
}

// One instruction raises a flag for each of the other waves.
kernel void many_flags(global int *out) {
  local int data[64];
  local atomic_int ready[4];
  int t = ITEM;
  if (t < 4)
    CLEAR(ready[t]);
  SYNC;
  if (t < 32) {
#if OK
    KEEP(data[t]) = t + 1;
#endif
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    if (t < 4)
      RAISE(&ready[t], 1);
#if !OK
    KEEP(data[t]) = t + 1; // @many_flags.A
#endif
  } else if (t >= 64 && t % 64 < 32) {
    while (SEEN(&ready[t / 64]) == 0)
      ;
    out[t] = KEEP(data[t % 64]); // @many_flags.B
  }
}

// The flag tells first of one half of the data, then of the other. A wave that waits for the first may have seen the second.
kernel void second_value(global int *out) {
  local int data[2][64];
  local atomic_int ready;
  int t = ITEM;
  if (t == 0)
    CLEAR(ready);
  SYNC;
  if (t < 32) {
    KEEP(data[0][t]) = t + 1;
    RAISE(&ready, 1);
    KEEP(data[1][t]) = t + 2;
    RAISE(&ready, 2);
  } else if (t >= 64 && t < 96) {
    while (SEEN(&ready) < 1 + OK)
      ;
    out[t] = KEEP(data[0][t - 64]);
    out[t + 1] = KEEP(data[1][t - 64]);
  }
}

// The second wave waits for the first, the third for the second.
kernel void relay(global int *out) {
  local int data[64];
  local atomic_int first, second;
  int t = ITEM;
  if (t == 0) {
    CLEAR(first);
    CLEAR(second);
  }
  SYNC;
  if (t < 32) {
    KEEP(data[t]) = t + 1; // @relay.A
    RAISE(&first, 1);
  } else if (t >= 64 && t < 96) {
#if OK
    while (SEEN(&first) == 0)
      ;
#endif
    RAISE(&second, 1);
  } else if (t >= 128 && t < 160) {
    while (SEEN(&second) == 0)
      ;
    out[t] = KEEP(data[t - 128]); // @relay.B
  }
}

// Each flag guards its own data.
kernel void other_flag(global int *out) {
  local int data[2][64];
  local atomic_int ready[2];
  int t = ITEM;
  if (t < 2)
    CLEAR(ready[t]);
  SYNC;
  if (t < 32) {
    KEEP(data[0][t]) = t + 1; // @other_flag.A
    RAISE(&ready[0], 1);
  } else if (t >= 64 && t < 96) {
    KEEP(data[1][t - 64]) = t + 2;
    RAISE(&ready[1], 1);
  } else if (t >= 128 && t < 160) {
    while (SEEN(&ready[1 - OK]) == 0)
      ;
    out[t] = KEEP(data[0][t - 128]); // @other_flag.B
  }
}

// Bits of a word are flags, which atomics without results set.
kernel void bits(global int *out) {
  local int data[2][64];
  local atomic_int set;
  int t = ITEM;
  if (t == 0)
    CLEAR(set);
  SYNC;
  if (t < 128 && t % 64 < 32) {
    KEEP(data[t / 64][t % 64]) = t + 1; // @bits.A
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    if (t == 64 || (OK && t == 0))
      ADD(&set, 1);
  } else if (t >= 128 && t < 160) {
    while (SEEN(&set) != 1 + OK)
      ;
    out[t] = KEEP(data[0][t - 128]); // @bits.B
  }
}

// A volatile flag without any fence; the hardware keeps the order of a wave's accesses to LDS.
kernel void volatile_flag(global int *out) {
  local int data[64];
  local int ready;
  int t = ITEM;
  if (t == 0)
    KEEP(ready) = 0;
  SYNC;
  if (t < 32) {
#if OK
    KEEP(data[t]) = t + 1;
#endif
    KEEP(ready) = 1;
#if !OK
    KEEP(data[t]) = t + 1; // @volatile_flag.A
#endif
  } else if (t >= 64 && t < 96) {
    while (KEEP(ready) == 0)
      ;
    out[t] = KEEP(data[t - 64]); // @volatile_flag.B
  }
}

// The loop that waits computes the address of the flag anew each time, as LLVM 15 does with the base of LDS.
kernel void computed_flag(global int *out) {
  local int data[64];
  local int ready;
  int t = ITEM;
  if (t == 0)
    KEEP(ready) = 0;
  SYNC;
  if (t < 32) {
#if OK
    KEEP(data[t]) = t + 1;
#endif
    KEEP(ready) = 1;
#if !OK
    KEEP(data[t]) = t + 1; // @computed_flag.A
#endif
  } else if (t >= 64 && t < 96) {
    local int *flag;
    int seen;
    do {
      int base;
      __asm__ volatile("s_mov_b32 %0, %1" : "=s"(base) : "s"(&ready));
      __asm__ volatile("v_mov_b32 %0, %1" : "=v"(flag) : "s"(base));
      seen = KEEP(*flag);
      // The loaded value does not take the address's register.
      __asm__ volatile("" ::"v"(flag));
    } while (seen == 0);
    out[t] = KEEP(data[t - 64]); // @computed_flag.B
  }
}

#ifdef __GFX12__
#define LANDED "s_wait_dscnt 0"
#else
#define LANDED "s_waitcnt lgkmcnt(0)"
#endif

// The value that the loop waits for takes the register of the flag's address, which comes from another one each time.
kernel void overwritten_address(global int *out) {
  local int data[64];
  local int ready;
  int t = ITEM;
  if (t == 0)
    KEEP(ready) = 0;
  SYNC;
  if (t < 32) {
#if OK
    KEEP(data[t]) = t + 1;
#endif
    KEEP(ready) = 1;
#if !OK
    KEEP(data[t]) = t + 1; // @overwritten_address.A
#endif
  } else if (t >= 64 && t < 96) {
    int seen;
    do {
      __asm__ volatile("v_mov_b32 %0, %1\n ds_read_b32 %0, %0\n" LANDED : "=&v"(seen) : "s"(&ready));
    } while (seen == 0);
    out[t] = KEEP(data[t - 64]); // @overwritten_address.B
  }
}

// The loop looks at one word after the other, until one is set: it waits for none of them.
kernel void walked(global int *out) {
  local int words[ITEMS];
  int t = ITEM;
  KEEP(words[t]) = t < 64 ? 0 : 1;
  SYNC;
  if (t == 255)
    KEEP(words[20]) = 1; // @walked.A
  SYNC_OK;
  if (t == 0) {
    local int *word = words;
#pragma unroll 1
    while (KEEP(*word) == 0) // @walked.B
      word++;
    out[t] = word - words;
  }
}

// A loaded value chooses the next word, by VCC: the loop waits for none of them.
kernel void chosen(global int *out) {
  local int words[ITEMS];
  int t = ITEM;
  KEEP(words[t]) = t < 20 ? 1 : 4;
  SYNC;
  if (t == 255)
    KEEP(words[20]) = 2; // @chosen.A
  SYNC_OK;
  if (t == 0) {
    local int *word = words;
    int seen;
#pragma unroll 1
    do {
      seen = KEEP(*word); // @chosen.B
      word = seen & 1 ? words + 20 : words;
    } while (seen != 2);
    out[t] = seen;
  }
}

// The launch says how much memory there is.
kernel void dynamic(global int *out, local int *shared) {
  int t = ITEM;
  KEEP(shared[t]) = t + 1; // @dynamic.A
  SYNC_OK;
  out[t] = KEEP(shared[LAST - t]); // @dynamic.B
}

// The memory of the launch lies behind that of the kernel.
kernel void dynamic_parts(global int *out, local int *shared) {
  local int own[ITEMS];
  int t = ITEM;
  KEEP(own[t]) = t;
  KEEP(shared[t]) = t + 1; // @dynamic_parts.A
#if OK
  out[t] = KEEP(own[t]) + KEEP(shared[t]);
#else
  out[t] = KEEP(own[ITEMS + (LAST - t)]); // @dynamic_parts.B
#endif
}

kernel void butterfly(global int *out) {
  local int shared[ITEMS];
  int t = ITEM, sum = t + 1;
#pragma unroll 1
  for (int by = 1; by < ITEMS; by *= 2) {
    KEEP(shared[t]) = sum; // @butterfly.A
    SYNC;
    sum += KEEP(shared[t ^ by]); // @butterfly.B
    SYNC_OK;
  }
  out[t] = sum;
}

// Each item works on two elements, as in a sorting network.
kernel void two_elements(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t;
  SYNC;
#pragma unroll 1
  for (int by = ITEMS / 2; by > 0; by /= 2) {
    int low = t & (by - 1), at = 2 * (t - low) + low;
    if (t < ITEMS / 2) {
      int a = KEEP(shared[at]), b = KEEP(shared[at + by]); // @two_elements.A
      KEEP(shared[at]) = a + 2 * b + 1, KEEP(shared[at + by]) = b + 2 * a + 1; // @two_elements.B
    }
    if (OK || by != ITEMS / 2)
      SYNC;
  }
  SYNC;
  out[t] = KEEP(shared[t]);
}

// Elements in an order that no row has.
kernel void scattered(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[(t * 77) & LAST]) = t + 1; // @scattered.A
  SYNC_OK;
  out[t] = KEEP(shared[(t * 91) & LAST]); // @scattered.B
}

// One item begins the next round's sum while others still read the last one.
kernel void reset(global int *out) {
  local atomic_int sum;
  int t = ITEM, all = 0;
  if (t == 0)
    CLEAR(sum);
  SYNC;
#pragma unroll 1
  for (int i = 0; i < 3; i++) {
    ADD(&sum, 1);
    SYNC;
    all += KEEP(*(local int *)&sum); // @reset.A
    SYNC_OK;
    if (t == 0)
      KEEP(*(local int *)&sum) = -i; // @reset.B
    SYNC;
  }
  out[t] = all;
}

// Lanes of one wave store to one word by one instruction: the checker says nothing.
kernel void one_instruction(global int *out) {
  local int one;
  int t = ITEM;
  if (OK ? t == 0 : t < 32)
    KEEP(one) = t;
  SYNC;
  out[t] = KEEP(one);
}

#if defined(__GFX9__) || defined(__GFX10__)
// The lanes of a wave load to LDS, one after the other.
#define LOADS(from, place)                                                     \
  __builtin_amdgcn_raw_ptr_buffer_load_lds(                                    \
      __builtin_amdgcn_make_buffer_rsrc(from, 0, 16 * ITEMS, 0x27000), place, 4, 4 * ITEM, 0, 0, 0)
#define WAVE ((int)__builtin_amdgcn_wavefrontsize())

kernel void loaded(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  LOADS(out, &shared[t / WAVE * WAVE]); // @loaded.A
  __builtin_amdgcn_s_waitcnt(0);
  SYNC_OK;
  out[t + ITEMS] = KEEP(shared[LAST - t]); // @loaded.B
}

// What others still read is loaded over.
kernel void loaded_over(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = t + 1;
  SYNC;
  out[t + ITEMS] = KEEP(shared[LAST - t]); // @loaded_over.A
  SYNC_OK;
  LOADS(out, &shared[t / WAVE * WAVE]); // @loaded_over.B
  __builtin_amdgcn_s_waitcnt(0);
  SYNC;
  out[t + 2 * ITEMS] = KEEP(shared[LAST - t]);
}
#endif

#ifdef __gfx942__
kernel void loaded_from_global(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  __builtin_amdgcn_global_load_lds(out + t, &shared[t / WAVE * WAVE], 4, 0, 0); // @loaded_from_global.A
  __builtin_amdgcn_s_waitcnt(0);
  SYNC_OK;
  out[t + ITEMS] = KEEP(shared[LAST - t]); // @loaded_from_global.B
}
#endif

#if SPLIT
// Waves may not write between arriving and waiting what others read after it.
kernel void split(global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
#if OK
  KEEP(shared[t]) = t + 1;
#endif
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier_signal(-1);
#if !OK
  KEEP(shared[t]) = t + 1; // @split.A
#endif
  __builtin_amdgcn_s_barrier_wait(-1);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[t] = KEEP(shared[LAST - t]); // @split.B
}

// What a wave reads between arriving and waiting, others may overwrite after it.
kernel void split_read(global int *out) {
  local int shared[ITEMS];
  int t = ITEM, x;
  KEEP(shared[t]) = t + 1;
  SYNC;
#if OK
  x = KEEP(shared[LAST - t]);
#endif
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier_signal(-1);
#if !OK
  x = KEEP(shared[LAST - t]); // @split_read.A
#endif
  __builtin_amdgcn_s_barrier_wait(-1);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  KEEP(shared[t]) = x + 3; // @split_read.B
  out[t] = KEEP(shared[t]);
}
#endif
