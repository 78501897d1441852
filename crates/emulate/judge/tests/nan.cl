// Kernels that make NaN or infinity of numbers, and with OK their right twins. `in` holds the number of each item in its workgroup.
// `@kernel.A` marks a line that nan.tsv names.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define SYNC                                                                   \
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"),                      \
   __builtin_amdgcn_s_barrier(),                                               \
   __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define ITEMS 256
#define LOCAL ((int)__builtin_amdgcn_workitem_id_x())
// Workgroups do not share memory.
#define ITEM (LOCAL + ITEMS * (int)__builtin_amdgcn_workgroup_id_x())
// An access that the compiler neither moves nor leaves out.
#define KEEP(place) (*(volatile __typeof__(place) *)&(place))
// The item's number as a number of this type; right twins begin with one.
#define NUMBER(type) ((type)(KEEP(in[ITEM]) + OK))
#define NAN_BITS 0x7fc00000

kernel void zero_by_zero(global int *in, global float *out) {
  float x = NUMBER(float), y = NUMBER(float);
  float q = x / y; // @zero_by_zero.A
  KEEP(out[ITEM]) = q; // @zero_by_zero.B
}

kernel void by_zero(global int *in, global float *out) {
  float q = 3.0f / NUMBER(float); // @by_zero.A
  KEEP(out[ITEM]) = q; // @by_zero.B
}

kernel void reciprocal(global int *in, global float *out) {
  float q = __builtin_amdgcn_rcpf(NUMBER(float)); // @reciprocal.A
  KEEP(out[ITEM]) = q; // @reciprocal.B
}

kernel void root(global int *in, global float *out) {
  float x = NUMBER(float) - 1.0f;
  float r = __builtin_amdgcn_sqrtf(x); // @root.A
  KEEP(out[ITEM]) = r; // @root.B
}

kernel void logarithm(global int *in, global float *out) {
  float r = __builtin_amdgcn_logf(NUMBER(float)); // @logarithm.A
  KEEP(out[ITEM]) = r; // @logarithm.B
}

kernel void overflow(global int *in, global float *out) {
  float x = NUMBER(float) * (OK ? 1.0f : 1e30f);
  float y = x * 1e30f; // @overflow.A
  KEEP(out[ITEM]) = y; // @overflow.B
}

kernel void double_by_zero(global int *in, global double *out) {
  double q = 1.0 / NUMBER(double); // @double_by_zero.A
  KEEP(out[ITEM]) = q; // @double_by_zero.B
}

kernel void double_overflow(global int *in, global double *out) {
  double x = NUMBER(double) * (OK ? 1.0 : 1e200);
  double y = x * 1e200; // @double_overflow.A
  KEEP(out[ITEM]) = y; // @double_overflow.B
}

kernel void to_half(global int *in, global half *out) {
  float x = NUMBER(float) * (OK ? 100.0f : 1000.0f);
  half h = (half)x; // @to_half.A
  KEEP(out[ITEM]) = h; // @to_half.B
}

kernel void half_overflow(global int *in, global half *out) {
  half x = NUMBER(half);
  half y = x * (half)(OK ? 1.0f : 1000.0f); // @half_overflow.A
  KEEP(out[ITEM]) = y; // @half_overflow.B
}

typedef half half2 __attribute__((ext_vector_type(2)));

// On some targets, the compiler loads the next number into the half beside the sum.
kernel void beside_load(global int *in, global half *out) {
  half sum = 1;
#pragma unroll 1
  for (int i = 0; i < 20; i++) {
    half next = KEEP(((global half *)in)[ITEM + i]);
    sum = sum * (half)(OK ? 1.0f : 2.0f) + next; // @beside_load.A
  }
  KEEP(out[ITEM]) = sum; // @beside_load.B
}

kernel void packed_halves(global int *in, global half2 *out) {
  half x = NUMBER(half);
  half2 both = {(half)1.0f, x};
  half2 y = both * (half2)(OK ? (half)1.0f : (half)1000.0f); // @packed_halves.A
  KEEP(out[ITEM]) = y; // @packed_halves.B
}

// NaN comes of the infinity of an earlier line.
kernel void later_nan(global int *in, global float *out) {
  float x = NUMBER(float) * (OK ? 1.0f : 1e36f);
  float y = x * 1e9f; // @later_nan.A
  float z = y * 0.0f;
  KEEP(out[ITEM]) = z; // @later_nan.B
}

// NaN comes of infinities that are none of the kernel's.
kernel void of_infinities(global int *in, global float *out) {
  float x = NUMBER(int) > 5 && !OK ? __builtin_inff() : 1.0f;
  KEEP(out[ITEM + 3 * ITEMS]) = x;
  float y = KEEP(out[ITEM + 3 * ITEMS]);
  float z = x - y; // @of_infinities.A
  KEEP(out[ITEM]) = z; // @of_infinities.B
}

kernel void through_local(global int *in, global float *out) {
  local float shared[ITEMS];
  int t = LOCAL;
  KEEP(shared[t]) = 1.0f / NUMBER(float); // @through_local.A
  SYNC;
  KEEP(out[ITEM]) = KEEP(shared[ITEMS - 1 - t]) + 1.0f; // @through_local.B
}

kernel void through_private(global int *in, global float *out) {
  volatile float mine[8];
  int t = ITEM;
  mine[t & 7] = 1.0f / NUMBER(float); // @through_private.A
  mine[(t + 1) & 7] = 2.0f;
  KEEP(out[t]) = mine[t & 7]; // @through_private.B
}

kernel void other_lane(global int *in, global int *out) {
  float x = NUMBER(float), y = NUMBER(float);
  float q = (x + 1.0f) / y; // @other_lane.A
  int first = __builtin_amdgcn_readfirstlane(__builtin_astype(q, int));
  KEEP(out[ITEM]) = first; // @other_lane.B
}

kernel void fetched(global int *in, global int *out) {
  float q = 1.0f / NUMBER(float); // @fetched.A
  int other = __builtin_amdgcn_ds_bpermute(4 * (LOCAL ^ 1), __builtin_astype(q, int));
  KEEP(out[ITEM]) = other; // @fetched.B
}

kernel void accumulated(global int *in, global float *out) {
  float x = NUMBER(float) * (OK ? 1.0f : 1e36f), all = 0.0f;
  for (int i = 0; i < 4; i++)
    all += x * (float)(KEEP(in[i]) + 1); // @accumulated.A
  KEEP(out[ITEM]) = all; // @accumulated.B
}

kernel void chosen(global int *in, global float *out) {
  float x = NUMBER(float);
  float q = 1.0f / x; // @chosen.A
  KEEP(out[ITEM]) = KEEP(in[ITEM]) < 3 ? q : 7.0f; // @chosen.B
}

kernel void to_brain(global int *in, global ushort *out) {
  float q = 1.0f / NUMBER(float); // @to_brain.A
  KEEP(out[ITEM]) = (ushort)(__builtin_astype(q, uint) >> 16); // @to_brain.B
}

kernel void compared(global int *in, global int *out) {
  float x = NUMBER(float), y = NUMBER(float);
  float q = x / y; // @compared.A
  if (q < 2.0f) // @compared.B
    KEEP(out[ITEM]) = 1;
}

// A single whose low half would be infinity as a half.
kernel void mixed(global int *in, global half *out) {
  half x = NUMBER(half);
  int bits = __builtin_astype(NUMBER(float) * (OK ? 1.0f : 1000.0f), int) | 0x7c00;
  half y = (half)((float)x * 3.0f + __builtin_astype(bits, float)); // @mixed.A
  KEEP(out[ITEM]) = y; // @mixed.B
}

// The third source of a dot product is a single, too.
#if __gfx90a__ || __gfx942__ || __gfx1030__ || __gfx1100__ || __gfx1201__
kernel void dot_of_halves(global int *in, global float *out) {
  half x = NUMBER(half);
  half2 both = {x, x};
  int bits = __builtin_astype(NUMBER(float) * (OK ? 1.0f : 1e36f), int) & ~0xffff | 0x7c00;
  float y = __builtin_amdgcn_fdot2(both, both, __builtin_astype(bits, float), false);
  float z = y * 1e9f; // @dot_of_halves.A
  KEEP(out[ITEM]) = z; // @dot_of_halves.B
}
#endif

// Products of matrices. The large factor is in column 5 alone.
#define LARGE(large, small) (!OK && LOCAL % 16 == 5 ? (large) : (small))
typedef float float4_ __attribute__((ext_vector_type(4)));
typedef float float8_ __attribute__((ext_vector_type(8)));
typedef short short4_ __attribute__((ext_vector_type(4)));
typedef short short8_ __attribute__((ext_vector_type(8)));
typedef short short16_ __attribute__((ext_vector_type(16)));
typedef half half4_ __attribute__((ext_vector_type(4)));
typedef half half8_ __attribute__((ext_vector_type(8)));
typedef half half16_ __attribute__((ext_vector_type(16)));
typedef double double4_ __attribute__((ext_vector_type(4)));
typedef int int2_ __attribute__((ext_vector_type(2)));
typedef int int4_ __attribute__((ext_vector_type(4)));
// 1e30 and 1 as bf16.
#define BRAIN ((short)LARGE(0x714a, 0x3f80))
#if __gfx90a__ || __gfx942__
kernel void product(global int *in, global float *out) {
  float4_ c = {1.0f, 1.0f, 1.0f, 1.0f};
  float a = 1e20f + NUMBER(float), b = LARGE(1e30f, 2.0f);
  float4_ d = __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0); // @product.A
  KEEP(out[ITEM]) = d.y; // @product.B
}

// The infinite addend comes from memory, in another column.
kernel void product_beside(global int *in, global float *out) {
  KEEP(out[ITEM + 3 * ITEMS]) = LOCAL % 16 == 3 ? __builtin_inff() : 1.0f;
  float c = KEEP(out[ITEM + 3 * ITEMS]);
  float a = 1e20f + NUMBER(float), b = LARGE(1e30f, 2.0f);
  float4_ all = {c, c, c, c};
  float4_ d = __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, all, 0, 0, 0); // @product_beside.A
  KEEP(out[ITEM]) = d.z; // @product_beside.B
}

// An earlier instruction makes the infinite factor.
kernel void product_of_infinity(global int *in, global float *out) {
  float x = NUMBER(float) * (OK ? 1.0f : 1e30f) + 1e20f;
  float b = x * 1e15f; // @product_of_infinity.A
  float4_ c = {1.0f, 1.0f, 1.0f, 1.0f};
  float4_ d = __builtin_amdgcn_mfma_f32_16x16x4f32(1.0f, b, c, 0, 0, 0);
  KEEP(out[ITEM]) = d.x; // @product_of_infinity.B
}

kernel void product_of_doubles(global int *in, global double *out) {
  double4_ c = {1.0, 1.0, 1.0, 1.0};
  double a = 1e200 + NUMBER(double), b = LARGE(1e200, 2.0);
  double4_ d = __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 0); // @product_of_doubles.A
  KEEP(out[ITEM]) = d.w; // @product_of_doubles.B
}

kernel void product_of_brains(global int *in, global float *out) {
  float4_ c = {1.0f, 1.0f, 1.0f, 1.0f};
  short a = BRAIN, b = BRAIN;
  short4_ as = {a, a, a, a}, bs = {b, b, b, b};
  float4_ d = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(as, bs, c, 0, 0, 0); // @product_of_brains.A
  KEEP(out[ITEM]) = d.y; // @product_of_brains.B
}
#endif
#if __gfx942__
kernel void sparse_product(global int *in, global float *out) {
  float4_ c = {1.0f, 1.0f, 1.0f, 1.0f};
  short a = BRAIN, b = BRAIN;
  short4_ as = {a, a, a, a};
  short8_ bs = {b, b, b, b, b, b, b, b};
  float4_ d = __builtin_amdgcn_smfmac_f32_16x16x32_bf16(as, bs, c, 0x4444, 0, 0); // @sparse_product.A
  KEEP(out[ITEM]) = d.y; // @sparse_product.B
}
#endif
#if __gfx1100__
kernel void wave_product(global int *in, global float *out) {
  short a = BRAIN, b = BRAIN;
  short16_ as = {a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a}, bs = as;
  float8_ c = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
  bs.x = b;
  float8_ d = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(as, bs, c); // @wave_product.A
  KEEP(out[ITEM]) = d.s2; // @wave_product.B
}

kernel void wave_product_of_halves(global int *in, global half *out) {
  half a = LARGE((half)300.0f, (half)1.0f);
  half16_ as = {a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a};
  half16_ c = as;
  half16_ d = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(as, as, c, true); // @wave_product_of_halves.A
  // Row 5 and column 5 are in lanes 16 and up.
  KEEP(out[ITEM]) = d.s5; // @wave_product_of_halves.B
}
#endif
#if __gfx1201__
kernel void wave_product_12(global int *in, global float *out) {
  short a = BRAIN;
  short8_ as = {a, a, a, a, a, a, a, a};
  float8_ c = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
  float8_ d = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(as, as, c); // @wave_product_12.A
  KEEP(out[ITEM]) = d.s5; // @wave_product_12.B
}

kernel void wave_product_of_halves_12(global int *in, global half *out) {
  half a = LARGE((half)300.0f, (half)1.0f);
  half8_ as = {a, a, a, a, a, a, a, a};
  half8_ d = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(as, as, as); // @wave_product_of_halves_12.A
  KEEP(out[ITEM]) = d.s5; // @wave_product_of_halves_12.B
}

kernel void sparse_product_12(global int *in, global float *out) {
  short a = BRAIN;
  short8_ as = {a, a, a, a, a, a, a, a};
  short16_ bs = {a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a};
  float8_ c = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
  float8_ d = __builtin_amdgcn_swmmac_f32_16x16x32_bf16_w32(as, bs, c, (short)0x4444); // @sparse_product_12.A
  KEEP(out[ITEM]) = d.s5; // @sparse_product_12.B
}

kernel void dot_of_eights(global int *in, global float *out) {
  // 1 as fp8, and an addend that is nearly too large.
  float c = LARGE(3.4028234e38f, 1.0f) * (OK ? 1.0f : NUMBER(float) + 1.0f); // @dot_of_eights.A
  float d = __builtin_amdgcn_dot4_f32_fp8_fp8(0x38383838, 0x38383838, c);
  KEEP(out[ITEM]) = d; // @dot_of_eights.B
}
#endif

// Numbers of eight bits.
#if __gfx942__ || __gfx1201__
kernel void to_fp8(global int *in, global ushort *out) {
  float x = NUMBER(float) * (OK ? 0.5f : 1000.0f);
  int both = __builtin_amdgcn_cvt_pk_fp8_f32(1.0f, x, 0, false); // @to_fp8.A
  KEEP(out[ITEM]) = (ushort)both; // @to_fp8.B
}

kernel void to_upper_fp8(global int *in, global int *out) {
  float x = NUMBER(float) * (OK ? 0.5f : 1000.0f);
  int both = __builtin_amdgcn_cvt_pk_fp8_f32(x, 2.0f, KEEP(in[ITEM]), true); // @to_upper_fp8.A
  KEEP(out[ITEM]) = both; // @to_upper_fp8.B
}

kernel void to_byte(global int *in, global uchar *out) {
  float x = NUMBER(float) * (OK ? 0.5f : 1e6f);
  int all = __builtin_amdgcn_cvt_sr_fp8_f32(x, KEEP(in[ITEM]), 0, 0); // @to_byte.A
  KEEP(out[ITEM]) = (uchar)all; // @to_byte.B
}

kernel void to_bf8(global int *in, global ushort *out) {
  float x = NUMBER(float) * (OK ? 0.5f : 1e6f);
  int both = __builtin_amdgcn_cvt_pk_bf8_f32(x, 1.0f, 0, false); // @to_bf8.A
  KEEP(out[ITEM]) = (ushort)both; // @to_bf8.B
}

kernel void there_and_back(global int *in, global float *out) {
  float x = NUMBER(float) * (OK ? 0.5f : 1000.0f);
  int both = __builtin_amdgcn_cvt_pk_fp8_f32(1.0f, x, 0, false); // @there_and_back.A
  float back = __builtin_amdgcn_cvt_f32_fp8(both, 1) * 2.0f;
  KEEP(out[ITEM]) = back; // @there_and_back.B
}
#endif

#if __gfx1100__ || __gfx1201__
typedef short short2_ __attribute__((ext_vector_type(2)));
kernel void dot_of_brains(global int *in, global ushort *out) {
  short x = OK ? 0x3f80 : 0x714a;
  short2_ both = {x, (short)(x + (KEEP(in[ITEM]) & 1))};
  short d = __builtin_amdgcn_fdot2_bf16_bf16(both, both, (short)0x3f80); // @dot_of_brains.A
  KEEP(out[ITEM]) = d; // @dot_of_brains.B
}
#endif

// Values at the limits of their formats.
kernel void to_int(global int *in, global int *out) {
  float x = NUMBER(float) * (OK ? 1e6f : 1e8f);
  int i = (int)x; // @to_int.A
  KEEP(out[ITEM]) = i;
}

kernel void to_unsigned(global int *in, global uint *out) {
  float x = NUMBER(float) * (OK ? 1.0f : -1.0f);
  uint i = (uint)x; // @to_unsigned.A
  KEEP(out[ITEM]) = i;
}

kernel void nan_to_int(global int *in, global int *out) {
  float x = NUMBER(float) + (OK ? 1.0f : 0.0f);
  float q = (x - NUMBER(float)) / (x - NUMBER(float) + (OK ? 1.0f : 0.0f));
  int i = (int)q; // @nan_to_int.A
  KEEP(out[ITEM]) = i;
}

kernel void double_to_int(global int *in, global int *out) {
  double x = NUMBER(double) * (OK ? -8.3e6 : -8.5e6);
  int i = (int)x; // @double_to_int.A
  KEEP(out[ITEM]) = i;
}

kernel void half_to_short(global int *in, global short *out) {
  half x = NUMBER(half) * (half)(OK ? 100.0f : 200.0f);
  short i = (short)x; // @half_to_short.A
  KEEP(out[ITEM]) = i;
}

kernel void to_largest_half(global int *in, global half2 *out) {
  float x = NUMBER(float) * (OK ? 100.0f : 1000.0f);
  half2 h = __builtin_astype(__builtin_amdgcn_cvt_pkrtz(1.0f, x), half2); // @to_largest_half.A
  KEEP(out[ITEM]) = h;
}

kernel void denormal(global int *in, global float *out) {
  float x = (NUMBER(float) + 1.0f) * 1e-37f;
  float y = x * (OK ? 1.0f : 1e-4f); // @denormal.A
  KEEP(out[ITEM]) = y;
}

kernel void too_small(global int *in, global double *out) {
  double x = (NUMBER(double) + 1.0) * 1e-200;
  double y = x * (OK ? 1.0 : 1e-200); // @too_small.A
  KEEP(out[ITEM]) = y;
}

kernel void too_small_for_half(global int *in, global half *out) {
  global float *place = (global float *)out + ITEM + 3 * ITEMS;
  KEEP(*place) = (NUMBER(float) + 1.0f) * (OK ? 1e-3f : 1e-12f);
  float x = KEEP(*place);
  half h = (half)x; // @too_small_for_half.A
  KEEP(out[ITEM]) = h;
}

kernel void denormal_halves(global int *in, global half2 *out) {
  half x = NUMBER(half) + (half)1.0f;
  half2 both = (half2)(x, x) * (half2)((half)1e-3f, (half)1.0f);
  half2 y = both * (half2)((half)(OK ? 1.0f : 1e-4f), (half)1.0f); // @denormal_halves.A
  KEEP(out[ITEM]) = y;
}

// Nothing of this is a bug.
kernel void silent(global int *in, global float *out) {
  int t = ITEM;
  float x = (float)KEEP(in[t]), y = (float)KEEP(in[t]);
  // A value that is not used.
  float q = x / y;
  KEEP(out[t]) = x == 0.0f ? 1.0f : q;
  // Questions whether it is a number.
  KEEP(out[t]) = __builtin_isnan(q) ? 1.0f : 2.0f;
  KEEP(out[t]) = __builtin_isinf(1.0f / x) ? 1.0f : 2.0f;
  // Arithmetic that makes it a number again.
  KEEP(out[t]) = __builtin_fminf(q, 4.0f);
  KEEP(out[t]) = 1.0f / (1.0f + 1.0f / x);
  // Bits of it that are none.
  KEEP(out[t]) = __builtin_copysignf(3.0f, -1.0f / x);
  KEEP(out[t]) = (float)(__builtin_astype(q, int) >> 31);
  // Constants, and values from memory.
  KEEP(out[t]) = __builtin_inff();
  float limit = KEEP(out[t]);
  KEEP(out[t]) = limit * 2.0f;
  KEEP(out[t]) = limit / 3.0f;
  KEEP(((global int *)out)[t]) = NAN_BITS;
  float none = KEEP(out[t]);
  KEEP(out[t]) = none + x;
  KEEP(((global double *)out)[t]) = (double)(none * 3.0f);
  KEEP(((global half *)out)[t]) = (half)none;
  // The largest numbers are numbers.
  KEEP(out[t]) = 3.4028234e38f;
  KEEP(out[t]) = (x * 1e-3f) * 1e38f;
  KEEP(((global half *)out)[t]) = (half)(65504.0f);
  // Conversions of what is just in range, and of numbers to numbers of which they say little.
  KEEP(((global int *)out)[t]) = (int)(x * 8e6f);
  KEEP(((global int *)out)[t]) = (int)(x * -8e6f);
  KEEP(((global uint *)out)[t]) = (uint)(x * 16e6f);
  KEEP(((global half *)out)[t]) = (half)(x * 1e-2f);
  KEEP(out[t]) = x * 0.0f;
  KEEP(out[t]) = x - y;
#if __gfx942__ || __gfx1201__
  // A byte of memory that is NaN, beside one that is none.
  KEEP(((global int *)out)[t]) = 0x7f80387f;
  int eights = KEEP(((global int *)out)[t]);
  KEEP(out[t]) = __builtin_amdgcn_cvt_f32_fp8(eights, 0);
  KEEP(out[t]) = __builtin_amdgcn_cvt_f32_fp8(eights, 1);
  KEEP(((global int *)out)[t]) = __builtin_amdgcn_cvt_pk_fp8_f32(x, none, eights, false);
#endif
#if __gfx90a__ || __gfx942__
  // An infinite factor from memory.
  KEEP(out[t]) = __builtin_inff();
  float infinite = KEEP(out[t]);
  float4_ c = {x, x, x, x};
  float4_ d = __builtin_amdgcn_mfma_f32_16x16x4f32(1.0f, infinite, c, 0, 0, 0);
  KEEP(out[t]) = d.x;
#endif
  // LDS that holds a number again.
  local float shared[ITEMS];
  KEEP(shared[LOCAL]) = q;
  KEEP(shared[LOCAL]) = 5.0f;
  KEEP(out[t]) = KEEP(shared[LOCAL]);
}
