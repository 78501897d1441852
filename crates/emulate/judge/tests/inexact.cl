// Kernels whose results a GPU may compute otherwise, and with OK their twins with exact arithmetic. `@kernel.A` marks a line that
// inexact.tsv names.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SYNC                                                                   \
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"),                      \
   __builtin_amdgcn_s_barrier(),                                               \
   __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define ITEM ((int)__builtin_amdgcn_workitem_id_x())
#define ITEMS 256
// An access that the compiler neither moves nor leaves out.
#define KEEP(place) (*(volatile __typeof__(place) *)&(place))
#define USE(x) __asm__ volatile("; %0" ::"v"(x))
#if OK
#define EXP(x) ((x) * 3.0f)
#define ADD(place, value) __builtin_amdgcn_sched_barrier(0)
#define TIME(in) KEEP(*(global ulong *)(in))
#define ROOT(x) __builtin_sqrtf(x)
#define DOUBLE_ROOT(x) __builtin_sqrt(x)
#define QUOTIENT(a, b) ((a) / (b))
#define DOUBLE_QUOTIENT(a, b) ((a) / (b))
#else
#define EXP(x) __builtin_amdgcn_exp2f(x)
#define ADD(place, value) __builtin_amdgcn_ds_faddf(&(place), value, 0, 0, 0)
#define TIME(in) __builtin_readcyclecounter()
#define ROOT(x) __builtin_amdgcn_sqrtf(x)
#define DOUBLE_ROOT(x) ((x) * __builtin_amdgcn_rsq(x))
#define QUOTIENT(a, b) ((a) * __builtin_amdgcn_rcpf(b))
#define DOUBLE_QUOTIENT(a, b) ((a) * __builtin_amdgcn_rcp(b))
#endif

kernel void address(global float *in, global float *out) {
  int t = ITEM;
  float x = EXP(KEEP(in[t])); // @address.A
  KEEP(out[(int)x & 63]) = 1; // @address.B
}

kernel void branch(global float *in, global float *out) {
  int t = ITEM;
  float x = EXP(KEEP(in[t])); // @branch.A
  if (x > 3) // @branch.B
    KEEP(out[t]) = 1;
}

kernel void output(global float *in, global float *out) {
  int t = ITEM;
  float x = EXP(KEEP(in[t])); // @output.A
  KEEP(out[t]) = x * 2 + 1; // @output.B
}

kernel void through_lds(global float *in, global float *out) {
  local float shared[ITEMS];
  int t = ITEM;
  KEEP(shared[t]) = EXP(KEEP(in[t]));
  SYNC;
  float x = KEEP(shared[ITEMS - 1 - t]); // @through_lds.A
  KEEP(out[t]) = x; // @through_lds.B
}

kernel void order(global float *in, global float *out) {
  local float sum;
  int t = ITEM;
  KEEP(sum) = 0;
  SYNC;
  ADD(sum, KEEP(in[t]));
  SYNC;
  float x = KEEP(sum); // @order.A
  KEEP(out[t]) = x; // @order.B
}

kernel void clock(global float *in, global float *out) {
  int t = ITEM;
  ulong now = TIME(in); // @clock.A
  if (now & 1) // @clock.B
    KEEP(out[t]) = 1;
}

kernel void root(global float *in, global float *out) {
  int t = ITEM;
  float x = ROOT(KEEP(in[t])); // @root.A
  KEEP(out[t]) = x; // @root.B
}

kernel void double_root(global double *in, global double *out) {
  int t = ITEM;
  double x = DOUBLE_ROOT(KEEP(in[t])); // @double_root.A
  KEEP(out[t]) = x; // @double_root.B
}

kernel void quotient(global float *in, global float *out) {
  int t = ITEM;
  float x = QUOTIENT(KEEP(in[t]), KEEP(in[t + ITEMS])); // @quotient.A
  KEEP(out[t]) = x; // @quotient.B
}

kernel void double_quotient(global double *in, global double *out) {
  int t = ITEM;
  double x = DOUBLE_QUOTIENT(KEEP(in[t]), KEEP(in[t + ITEMS])); // @double_quotient.A
  KEEP(out[t]) = x; // @double_quotient.B
}

// An inexact result that goes nowhere, and divisions of integers, whose approximations are corrected.
kernel void silent(global uint *in, global uint *out) {
  int t = ITEM;
  uint a = KEEP(in[t]), b = KEEP(in[t + ITEMS]) + 3;
  USE(__builtin_amdgcn_exp2f((float)a));
  KEEP(out[(a / b) & 63]) = a % b;
  int c = (int)a - 7, d = (int)b;
  if (c / d > 2)
    KEEP(out[t]) = 1;
  ulong e = ((ulong)a << 33) + 5, f = ((ulong)b << 34) + 1;
  KEEP(out[(int)(e / f) & 63]) = (uint)(e % f);
  KEEP(out[t]) = (a & 255) / (b & 15 | 1);
}

// Decides by what an earlier kernel stored.
kernel void later(global float *in, global float *out) {
  int t = ITEM;
  float x = KEEP(in[t]); // @later.A
  if (x > 3) // @later.B
    KEEP(out[t]) = 1;
}
