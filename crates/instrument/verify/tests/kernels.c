// Kernels that a rewriter has to get right: control flow, divergence, calls, LDS, wide loads.
#define KERNEL __attribute__((amdgpu_kernel))
#define NOINLINE __attribute__((noinline))
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))
typedef unsigned u32;
typedef float f4 __attribute__((ext_vector_type(4)));

// A kernel that sets MODE has this defined.
#ifndef PROLOGUE
#define PROLOGUE
#endif

static u32 me(void) { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }

KERNEL void scale(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me();
  if (i < n)
    out[i] = in[i] * 3 + 1;
}

// Lanes leave the loop one by one, and the whole wave passes places with no lane on.
KERNEL void collatz(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me(), x = in[i], steps = 0;
  while (x != 1 && steps < n) {
    if (x & 1)
      x = 3 * x + 1;
    else
      x >>= 1;
    if ((x & 7) == 5) {
      if (x > 1000)
        steps += 2;
      else
        steps += in[x & 63] & 1;
    }
    steps++;
  }
  out[i] = steps;
}

// Nothing is on in the inner part for most waves.
KERNEL void rare(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me(), x = in[i], y = 0;
  for (u32 k = 0; k < n; k++) {
    if ((x + k) % 97 == 0) {
      y += out[i];
      out[i] = y + k;
    }
    x = x * 1664525 + 1013904223;
  }
  out[i] += x + y;
}

extern LDS u32 tile[];

KERNEL void reduce(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  tile[l] = in[me()] % n;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  for (u32 s = 32; s; s >>= 1) {
    if (l < s)
      tile[l] += tile[l + s];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  if (l == 0)
    __scoped_atomic_fetch_add(&out[__builtin_amdgcn_workgroup_id_x()], tile[0], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

KERNEL void wide(GLOBAL f4 *out, GLOBAL const f4 *in, u32 n) {
  PROLOGUE;
  u32 i = me() / 4;
  f4 a = in[i], b = in[(i + 1) % 16], c = in[(i + 7) % 16], d = {1, 2, 3, 4};
  for (u32 k = 0; k < n; k++) {
    d = a * b + c * d;
    a = b;
    b = c;
    c = d;
    if (d.x > 1e6f)
      d *= 1e-6f;
  }
  if ((me() & 3) == 0)
    out[i] = d;
}

static NOINLINE u32 leaf(u32 x) { return x * 7 + (x >> 3); }
static NOINLINE u32 middle(u32 x, u32 y) {
  u32 first = leaf(x);
  u32 second = leaf(y + first);
  return first * second + x;
}
static NOINLINE u32 recursive(u32 x) { return x < 2 ? x : recursive(x - 1) + leaf(recursive(x - 2)); }

KERNEL void calls(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me();
  out[i] = middle(in[i], n) + leaf(in[i] + n);
}

KERNEL void recurse(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me();
  out[i] = recursive(in[i] % n);
}

static const __attribute__((address_space(4))) u32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

KERNEL void lookup(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me(), sum = 0;
  for (u32 k = 0; k < n; k++)
    sum = sum * 31 + table[(in[i] + k) & 15];
  switch (sum % 7) {
  case 0: sum += in[sum & 63]; break;
  case 1: sum ^= 0x1234; break;
  case 2: sum *= 5; break;
  case 3: sum = leaf(sum); break;
  default: sum -= 9;
  }
  out[i] = sum;
}

typedef u32 v16 __attribute__((ext_vector_type(16)));

// Registers indexed by a scalar: index mode on gfx9.
KERNEL void indexed(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me();
  v16 v;
  for (u32 k = 0; k < 16; k++)
    v[k] = in[(i + k) & 127];
  for (u32 k = 0; k < n; k++) {
    v[(k * 5 + n) & 15] += v[(k * 3) & 15] * 7;
    v[k & 7] ^= k;
  }
  u32 sum = 0;
  for (u32 k = 0; k < 16; k++)
    sum = sum * 3 + v[k];
  out[i] = sum;
}

static NOINLINE u32 triple(u32 x) { return x * 3; }
static NOINLINE u32 square(u32 x) { return x * x + leaf(x); }
static NOINLINE u32 flip(u32 x) { return ~x; }
typedef u32 (*pointer)(u32);
static const __attribute__((address_space(4))) pointer functions[4] = {triple, square, flip, leaf};

// The first lane chooses for all.
KERNEL void indirect(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me(), x = in[i];
  for (u32 k = 0; k < n; k++)
    x = functions[__builtin_amdgcn_readfirstlane(x + k) & 3](x & 7) + k;
  out[i] = x;
}

// Two 16-bit values in a register, floating-point and integer ones, each half changed by itself.
KERNEL void halves(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  typedef _Float16 h2 __attribute__((ext_vector_type(2)));
  typedef unsigned short s2 __attribute__((ext_vector_type(2)));
  u32 i = me();
  h2 sum = {(_Float16)(in[i] & 63), (_Float16)(in[i] >> 6 & 63)};
  s2 bits = {(unsigned short)in[i], (unsigned short)(in[i] >> 16)};
  for (u32 k = 1; k < n; k++) {
    u32 next = in[(i + k) & 63];
    _Float16 part = (_Float16)(float)(next & 7);
    if (next & 8)
      sum.y = sum.y * (_Float16)0.5f + part;
    else
      sum.x += sum.y - part;
    bits.x = bits.x * (unsigned short)k + (next & 1 ? bits.y : (unsigned short)next);
    bits.y ^= bits.x >> (k & 7);
  }
  out[i] = __builtin_bit_cast(u32, sum) ^ __builtin_bit_cast(u32, bits);
}

#ifdef BIG
// Far more than a branch reaches once something is inserted everywhere.
#define STEP(k)                     \
  if (x & (1u << ((k) % 31)))       \
    x = x * 5 + in[(x + (k)) & 63]; \
  else {                            \
    x ^= (k) * 977;                 \
    if ((x & 3) == 1)               \
      goto out;                     \
  }
#define STEPS(k) STEP(k) STEP((k) + 1) STEP((k) + 2) STEP((k) + 3) STEP((k) + 4) STEP((k) + 5) STEP((k) + 6) STEP((k) + 7)
#define MANY(k) STEPS(k) STEPS(k + 8) STEPS(k + 16) STEPS(k + 24) STEPS(k + 32) STEPS(k + 40) STEPS(k + 48) STEPS(k + 56)
KERNEL void big(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me(), x = in[i];
  for (u32 k = 0; k < n; k++) {
    MANY(0) MANY(64)
  }
out:
  out[i] = x;
}
#endif
