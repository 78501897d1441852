// Compiled for every target: loops, divergence, LDS, atomics, scratch, calls, 16-bit, 64-bit and packed arithmetic.
#define AS(n) __attribute__((address_space(n)))
typedef unsigned int u32;
typedef _Float16 half2_t __attribute__((ext_vector_type(2)));
typedef short short2_t __attribute__((ext_vector_type(2)));

static u32 index(void) {
    return __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
}

__attribute__((noinline)) static float callee(float a, int n) {
    float r = a;
    for (int i = 0; i < n; ++i) r = r * a + (float)i;
    return r;
}

kernel void arithmetic(global float *out, global const float *a, global const double *d, global const long *l, int n) {
    u32 i = index();
    if (i >= (u32)n) return;
    float x = a[i], y = a[i + 1];
    double e = d[i];
    long m = l[i];
    out[i] = x / y + __builtin_sqrtf(x) + (float)(e * e + 1.5) + (float)(m / (l[i + 1] | 1)) + callee(x, n);
    if (x > y) out[i] += __builtin_fabsf(x) - (float)(m << (i & 63)) + (float)(m > l[i + 1]);
}

kernel void sixteen(global half2_t *h, global short2_t *s, global _Float16 *one, global short *shorts, global char *c) {
    u32 i = index();
    h[i] = h[i] * h[i + 1] + (half2_t)(1.0f16, 2.0f16);
    s[i] = s[i] + s[i + 1] * s[i + 2];
    one[i] = one[i] * one[i + 3] + (_Float16)c[i] - (one[i] > one[i + 1] ? one[i] : (_Float16)3);
    shorts[i] = shorts[i] * shorts[i + 5] + c[i + 3] + (shorts[i] >> 3);
    c[i] = c[i] + (char)shorts[i + 1];
}

kernel void shared(global int *out, global const int *in) {
    local int tile[512];
    u32 t = __builtin_amdgcn_workitem_id_x();
    tile[t] = in[index()];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    int sum = 0;
    for (u32 k = 0; k < 512; k += 7) sum += tile[(t + k) & 511];
    __opencl_atomic_fetch_add((volatile global atomic_int *)out, sum, memory_order_relaxed, memory_scope_device);
    out[index() + 1] = __opencl_atomic_fetch_max((volatile global atomic_int *)(out + t), sum, memory_order_acq_rel,
                                                 memory_scope_all_svm_devices);
    out[index() + 2] = __builtin_amdgcn_ds_bpermute(t * 4, sum) + __builtin_amdgcn_readfirstlane(sum);
    out[index() + 3] = __builtin_amdgcn_mov_dpp(sum, 0x11, 0xf, 0xf, 1);
}

kernel void scratch(global int *out, global const int *in, int n) {
    volatile int stack[64];
    for (int k = 0; k < n; ++k) stack[in[k] & 63] += in[k + 1];
    out[index()] = stack[n & 63] + stack[(n + 3) & 63];
}

kernel void generic_pointers(global int *out, global int *in, int n) {
    local int tile[64];
    int mine[8];
    mine[n & 7] = n;
    tile[n & 63] = n;
    int *p = n > 3 ? (n > 9 ? (int *)tile : (int *)mine) : (int *)in;
    for (int k = 0; k < n; ++k) *p++ = k;
    out[index()] = mine[(n + 1) & 7] + tile[n & 3];
}
