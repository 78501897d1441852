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
  // LDS that holds a number again.
  local float shared[ITEMS];
  KEEP(shared[LOCAL]) = q;
  KEEP(shared[LOCAL]) = 5.0f;
  KEEP(out[t]) = KEEP(shared[LOCAL]);
}
