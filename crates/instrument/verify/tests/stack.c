// Kernels that a compiler without optimization says have a stack of dynamic size, since they call.
#define KERNEL __attribute__((amdgpu_kernel))
#define NOINLINE __attribute__((noinline))
#define GLOBAL __attribute__((address_space(1)))
typedef unsigned u32;

static NOINLINE u32 leaf(u32 x) { return x * 7 + (x >> 3); }
static NOINLINE u32 middle(u32 x) { return leaf(x) + leaf(x + 1); }
KERNEL void deep(GLOBAL u32 *out, GLOBAL const u32 *in) { *out = middle(*in); }

static NOINLINE u32 itself(u32 x) { return x < 2 ? x : itself(x - 1) + itself(x - 2); }
KERNEL void recursive(GLOBAL u32 *out, GLOBAL const u32 *in) { *out = itself(*in & 7); }

static NOINLINE u32 other(u32 x) { return x ^ 5; }
typedef u32 (*function)(u32);
static function choose(u32 x) { return x & 1 ? leaf : other; }
KERNEL void pointed(GLOBAL u32 *out, GLOBAL const u32 *in) { *out = choose(*in)(*in); }

static NOINLINE u32 computed(u32 x) {
  u32 room[x & 7];
  for (u32 k = 0; k < (x & 7); k++)
    room[k] = leaf(k);
  return x & 7 ? room[x % (x & 7)] : 0;
}
KERNEL void allocates(GLOBAL u32 *out, GLOBAL const u32 *in) { *out = computed(*in); }
