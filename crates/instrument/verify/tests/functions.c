// Functions whose callers want different things of them.
#define KERNEL __attribute__((amdgpu_kernel))
#define NOINLINE __attribute__((noinline))
#define GLOBAL __attribute__((address_space(1)))
typedef unsigned u32;

static u32 me(void) { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }

static NOINLINE u32 leaf(u32 x) { return x * 7 + (x >> 3); }

// What is in y matters only where x is 1 << 30, which it never is.
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
    for (u32 k = 0; k < n; k++) sum += leaf(in[i] + k);
    out[i] = sum;
}
KERNEL void forgets(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) { out[leaf(n) & 63] = 1; }
