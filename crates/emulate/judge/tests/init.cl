// Kernels that use what was never set, and with OK their right twins. `in` is memory that nothing has written, `out` was written by the host.
// `@kernel.A` marks a line that init.tsv names.
#define SYNC                                                                   \
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"),                      \
   __builtin_amdgcn_s_barrier(),                                               \
   __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define ITEM ((int)__builtin_amdgcn_workitem_id_x())
#define ITEMS 256
// An access that the compiler neither moves nor leaves out.
#define KEEP(place) (*(volatile __typeof__(place) *)&(place))
#if OK
#define SET(place, value) (KEEP(place) = (value))
#else
#define SET(place, value) ((void)0)
#endif
#define USE(x) __asm__ volatile("; %0" ::"v"(x))

kernel void branch(global int *in, global int *out) {
  int t = ITEM;
  SET(in[t], t);
  int x = KEEP(in[t]); // @branch.A
  if (x > 3) // @branch.B
    KEEP(out[t]) = 1;
}

kernel void index(global int *in, global int *out) {
  int t = ITEM;
  SET(in[t], t);
  int x = KEEP(in[t]); // @index.A
  KEEP(out[x & 63]) = 1; // @index.B
}

kernel void copied(global int *in, global int *out) {
  int t = ITEM;
  SET(in[t], t);
  KEEP(out[t]) = KEEP(in[t]);
  int x = KEEP(out[t]); // @copied.A
  if (x == 7) // @copied.B
    KEEP(out[t]) = 1;
}

kernel void sum(global int *in, global int *out) {
  int t = ITEM, all = 0;
  for (int i = 0; i < 4; i++)
    KEEP(in[4 * t + i]) = i;
  SET(in[4 * t + 4 * ITEMS], 4);
  for (int i = 0; i < 4; i++)
    all += KEEP(in[4 * t + i]);
  all += KEEP(in[4 * t + 4 * ITEMS]); // @sum.A
  if (all > 9) // @sum.B
    KEEP(out[t]) = all;
}

kernel void local_branch(global int *in, global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  SET(shared[t], t);
  SYNC;
  int x = KEEP(shared[ITEMS - 1 - t]); // @local_branch.A
  if (x > 3) // @local_branch.B
    KEEP(out[t]) = 1;
}

kernel void local_index(global int *in, global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  SET(shared[t], t);
  SYNC;
  int x = KEEP(shared[ITEMS - 1 - t]); // @local_index.A
  KEEP(out[x & 15]) = 1; // @local_index.B
}

kernel void half_local(global int *in, global int *out) {
  local int shared[ITEMS];
  int t = ITEM;
  if (t < ITEMS / 2 || OK)
    KEEP(shared[t]) = t;
  SYNC;
  int x = KEEP(shared[ITEMS - 1 - t]); // @half_local.A
  if (x > 3) // @half_local.B
    KEEP(out[t]) = 1;
}

kernel void counter(global int *in, global int *out) {
  local int count;
  int t = ITEM;
  if (t == 0)
    SET(count, 0);
  SYNC;
  int x = __opencl_atomic_fetch_add((local atomic_int *)&count, 1, memory_order_relaxed, memory_scope_work_group); // @counter.A
  KEEP(out[x & 255]) = t; // @counter.B
}

kernel void private_branch(global int *in, global int *out) {
  int own[16];
  int t = ITEM;
  SET(own[t & 15], 1);
  int x = KEEP(own[t & 15]); // @private_branch.A
  if (x > 3) // @private_branch.B
    KEEP(out[t]) = 1;
}

kernel void private_index(global int *in, global int *out) {
  int own[16];
  int t = ITEM;
  SET(own[t & 15], 1);
  int x = KEEP(own[t & 15]); // @private_index.A
  KEEP(out[x & 15]) = 1; // @private_index.B
}

kernel void never_set(global int *in, global int *out) {
  int t = ITEM, x;
#if OK
  __asm__ volatile("v_mov_b32 %0, 5" : "=v"(x));
#else
  __asm__ volatile("; %0" : "=v"(x));
#endif
  if (x > 3) // @never_set.B
    KEEP(out[t]) = 1;
}

kernel void one_byte(global uchar *in, global int *out) {
  int t = ITEM;
  KEEP(in[4 * t]) = 1;
  KEEP(in[4 * t + 1]) = 2;
  SET(in[4 * t + 2], 3);
  int x = KEEP(((global int *)in)[t]); // @one_byte.A
  if ((x >> 8 & 255) == 3) // known
    KEEP(out[t]) = 1;
  if ((x >> 12 & 255) == 0x30) // @one_byte.B
    KEEP(out[t]) = 2;
}

kernel void half_product(global uchar *in, global int *out) {
  int t = ITEM;
  KEEP(in[2 * t]) = t;
  SET(in[2 * t + 1], 0);
  ushort x = KEEP(((global ushort *)in)[t]); // @half_product.A
  ushort y = x * (ushort)171 + (ushort)85;
  if ((uchar)y < 85) // known
    KEEP(out[t]) = 1;
  if (y < 85 * 256) // @half_product.B
    KEEP(out[t]) = 2;
}

kernel void other_lane(global int *in, global int *out) {
  int t = ITEM;
  SET(in[t], t);
  int x = KEEP(in[t]); // @other_lane.A
  x = __builtin_amdgcn_ds_bpermute(4 * (t ^ 1), x);
  if (x == 3) // @other_lane.B
    KEEP(out[t]) = 1;
}

kernel void chosen(global int *in, global int *out) {
  int t = ITEM;
  int x = KEEP(in[t]); // @chosen.A
  int y = KEEP(out[t]);
  x = y + OK > 0 ? y : x;
  if (x > 3) // @chosen.B
    KEEP(out[t]) = 1;
}

kernel void bound(global int *in, global int *out) {
#if OK
  KEEP(in[0]) = 3;
  int n = KEEP(in[0]);
#else
  int n = in[0]; // @bound.A
#endif
#pragma nounroll
  for (int i = 0; i < n; i++) // @bound.B
    KEEP(out[ITEM]) = i;
}

kernel void for_all(global int *in, global int *out) {
  int t = ITEM;
  SET(in[t], t);
  int x = __builtin_amdgcn_readfirstlane(KEEP(in[t])); // @for_all.A
  if (x == 3) // @for_all.B
    KEEP(out[t]) = 1;
}

kernel void wide(global double *in, global int *out) {
  int t = ITEM;
  SET(in[t], 2.0);
  double x = KEEP(in[t]); // @wide.A
  if (x * 3.0 > 4.0) // @wide.B
    KEEP(out[t]) = 1;
}

// The low half of each word is set. The right twin uses nothing else.
kernel void packed(global ushort *in, global int *out) {
  int t = ITEM, y;
  KEEP(in[2 * t]) = t;
  int x = KEEP(((global int *)in)[t]); // @packed.A
  __asm__ volatile("v_pk_add_u16 %0, %1, %1" : "=v"(y) : "v"(x));
  if ((OK ? y & 0xffff : y >> 16) > 3) // @packed.B
    KEEP(out[t]) = 1;
}

// Both halves of the result take the low half, or both the high one.
kernel void crossed(global ushort *in, global int *out) {
  int t = ITEM, y;
  KEEP(in[2 * t]) = t;
  int x = KEEP(((global int *)in)[t]); // @crossed.A
#if OK
  __asm__ volatile("v_pk_mul_lo_u16 %0, %1, %1 op_sel_hi:[0,0]" : "=v"(y) : "v"(x));
#else
  __asm__ volatile("v_pk_mul_lo_u16 %0, %1, %1 op_sel:[0,1]" : "=v"(y) : "v"(x));
#endif
  if (y > 3) // @crossed.B
    KEEP(out[t]) = 1;
}

// Two numbers become halves of a word, of which one is used.
kernel void converted(global int *in, global int *out) {
  int t = ITEM, y;
  SET(in[t], t);
  int x = KEEP(in[t]); // @converted.A
  int z = KEEP(out[t]);
  __asm__ volatile("v_cvt_pk_u16_u32 %0, %1, %2" : "=v"(y) : "v"(x), "v"(z));
  if (y >> 16 == 7) // known
    KEEP(out[t]) = 2;
  if ((y & 0xffff) == 3) // @converted.B
    KEEP(out[t]) = 1;
}

// The low byte of each word is set. A comparison looks at one bit.
kernel void one_bit(global uchar *in, global int *out) {
  int t = ITEM, y, z;
  KEEP(in[4 * t]) = 3;
  uint x = __builtin_amdgcn_readfirstlane(KEEP(((global int *)in)[t])); // @one_bit.A
  __asm__ volatile("s_bitcmp0_b64 %1, 1\n s_cselect_b32 %0, 1, 0" : "=s"(z) : "s"((ulong)x) : "scc");
  if (z) // known
    KEEP(out[t]) = 2;
  __asm__ volatile("s_bitcmp1_b32 %1, %2\n s_cselect_b32 %0, 1, 0" : "=s"(y) : "s"(x), "n"(OK ? 1 : 9) : "scc");
  if (y) // @one_bit.B
    KEEP(out[t]) = 1;
}

#if __GFX10__ || __GFX11__ || __GFX12__
// Even lanes are set. Each lane takes the value of an even one, or of an odd one.
kernel void permuted(global int *in, global int *out) {
  int t = ITEM;
  if (t % 2 == 0)
    KEEP(in[t]) = t;
  int x = KEEP(in[t]); // @permuted.A
  int low = OK ? 0x66442200 : 0x77553311, high = low | 0x88888888;
  x = __builtin_amdgcn_permlane16(x, x, low, high, false, false);
  if (x == 4) // @permuted.B
    KEEP(out[t]) = 1;
}
#endif

// The low half of each even lane's word is set. Values move between lanes, bit by bit, to where an offset says.
kernel void swizzled(global ushort *in, global int *out) {
  int t = ITEM;
  if (t % 2 == 0)
    KEEP(in[2 * t]) = t;
  int x = KEEP(((global int *)in)[t]); // @swizzled.A
  int y = __builtin_amdgcn_ds_swizzle(x, OK ? 0x1e : 0x3e);
  if ((short)y == 4) // @swizzled.B
    KEEP(out[t]) = 1;
}

kernel void offset_lane(global ushort *in, global int *out) {
  int t = ITEM, y;
  if (t % 2 == 0)
    KEEP(in[2 * t]) = t;
  int x = KEEP(((global int *)in)[t]); // @offset_lane.A
  __asm__ volatile("ds_bpermute_b32 %0, %1, %2 offset:%3\n s_waitcnt lgkmcnt(0)"
                   : "=v"(y) : "v"(OK ? 4 : 0), "v"(x), "n"(124));
  if ((short)y == 4) // @offset_lane.B
    KEEP(out[t]) = 1;
}

// Nothing of it is wrong: undefined bits are copied, masked away and selected away.
kernel void silent(global int *in, global int *out) {
  int t = ITEM;
  // Each workgroup reads back what it wrote itself.
  out += ITEMS * __builtin_amdgcn_workgroup_id_x();
  KEEP(((global uchar *)in)[4 * t]) = 3;
  int x = KEEP(in[t]);
  KEEP(out[t]) = x;
  if ((x & 255) == 3)
    KEEP(out[t]) = 1;
  if (((x | 0x7fffff00) & 0x7fffffff) > 5)
    KEEP(out[t]) = 2;
  if ((uchar)(x << 1) == 6)
    KEEP(out[t]) = 3;
  int y = KEEP(out[t]);
  int z = y > 0 ? y : x;
  if (z == 3)
    KEEP(out[t]) = 4;
  KEEP(out[x & 3]) = 5;
}
