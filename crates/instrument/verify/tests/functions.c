// Functions whose callers want different things of them.
#define KERNEL __attribute__((amdgpu_kernel))
#define NOINLINE __attribute__((noinline))
#define GLOBAL __attribute__((address_space(1)))
typedef unsigned u32;

static u32 me(void) { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }

static NOINLINE u32 leaf(u32 x) { return x * 7 + (x >> 3); }

// The value of y matters only where x is 1 << 30, which it never is.
static NOINLINE u32 unlikely(u32 x, u32 y) {
  u32 z = leaf(x);
  return x == 1 << 30 ? z + y : z;
}
KERNEL void careless(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me();
  out[i] = unlikely(in[i], n);
}

// One caller keeps a sum over the call, the other keeps as little as it can.
KERNEL void keeps(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me(), sum = 0;
  for (u32 k = 0; k < n; k++)
    sum += leaf(in[i] + k);
  out[i] = sum;
}
KERNEL void forgets(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) { out[leaf(n) & 63] = 1; }

// Calls with all lanes on, then with some off. Where a function keeps its return address, it saves the lanes that are off and leaves the
// others as they come.
static NOINLINE u32 bare(u32 x) { return x ^ x >> 3; }
static NOINLINE float quotient(float a, float b) { return a / b; }
static NOINLINE u32 around(u32 x, u32 y) { return x > y ? bare(x - y) : x; }
static NOINLINE u32 outer(u32 x, u32 y) { return x ? around(x & 1023, y) + 1 : x; }
KERNEL void lanes_off(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = me(), x = outer(in[i], n);
  if (i & 1) {
    x += outer(x, n + 1);
    x += quotient(x, n);
    x += outer(x, n);
  }
  out[i] = x;
}

// Half of its return address goes from one kind of register to the other.
static NOINLINE u32 half(u32 x) {
  u32 low = (u32)(unsigned long)__builtin_return_address(0), copy, first;
  __asm__ volatile("v_mov_b32 %0, %1" : "=v"(copy) : "s"(low));
  __asm__ volatile("v_mov_b32 %0, %0" : "+v"(copy));
  __asm__ volatile("v_readfirstlane_b32 %0, %1" : "=s"(first) : "v"(copy));
  __asm__ volatile("s_and_b32 %0, %0, 0" : "+s"(first) : : "scc");
  __asm__ volatile("v_and_b32 %0, 0, %0" : "+v"(copy));
  return x + first + copy;
}
KERNEL void halves(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) { out[me()] = half(in[me()]); }

// Leaves where it returns to in memory, as functions do that have their stack there.
static NOINLINE u32 remembers(GLOBAL u32 *out, u32 x) {
  unsigned long back = (unsigned long)__builtin_return_address(0);
  out[0] = (u32)back;
  out[1] = (u32)(back >> 32);
  return x * 5;
}
KERNEL void stacked(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 x = remembers(out + 64 + (me() & 15) * 2, in[me()]);
  out[me() & 31] = x + n;
}
