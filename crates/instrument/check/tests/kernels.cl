#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Kernels with all kinds of waits; no headers, so that any target compiles.
#define LOCAL __local
typedef __attribute__((ext_vector_type(4))) float f4;
__attribute__((always_inline)) void sync(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
kernel void reduce(global float *out, global const float *in, int n, LOCAL float *s) {
  int t = __builtin_amdgcn_workitem_id_x();
  float sum = 0;
  for (int i = t; i < n; i += 256) sum += in[i] * in[i + 1];
  s[t] = sum;
  sync();
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    sync();
  }
  if (t == 0) out[__builtin_amdgcn_workgroup_id_x()] = s[0];
}
kernel void transpose(global f4 *out, global const f4 *in, LOCAL f4 *s, int w) {
  int t = __builtin_amdgcn_workitem_id_x();
  f4 a = in[t], b = in[t + w], c = in[t + 2 * w], d = in[t + 3 * w];
  s[t] = (f4)(a.x, b.x, c.x, d.x);
  s[t + 64] = (f4)(a.y, b.y, c.y, d.y);
  sync();
  f4 x = s[t * 2], y = s[t * 2 + 1];
  out[t] = x * y + a;
  out[t + w] = x / y - d;
}
kernel void flags(global int *out, global const int *in, global const int *table, int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  int v = in[t], r = 0;
  if (v > n) r = table[v & 255] + table[(v >> 8) & 255];
  else if (v < -n) r = table[v & 127] * in[t + 64];
  for (int i = 0; i < (v & 7); i++) r ^= table[(r + i) & 1023];
  out[t] = r;
  __atomic_fetch_add(&out[256 + (v & 3)], r, __ATOMIC_RELAXED);
}
kernel void halves(global half *out, global const half *in, LOCAL half *s, int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  s[t] = in[t];
  s[t + 256] = in[t + n];
  sync();
  half a = s[255 - t], b = s[t + 1];
  out[t] = a * b + in[t + 2 * n];
  out[t + n] = a - b;
}
kernel void doubles(global double *out, global const double *a, global const double *b, int n) {
  double s = 0;
  int t = __builtin_amdgcn_workitem_id_x();
  for (int i = 0; i < n; i++) s += a[i] / b[t + i];
  out[t] = s;
}
kernel void pointers(global ulong *p, global int *out, int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  int *q = (int *)p[t];
  int sum = q[0];
  for (int i = 1; i < n; i++) { sum += q[i]; q[i] = sum; }
  out[t] = sum;
}
kernel void scalars(global int *out, global const int *in, int a, int b, int c, int d) {
  int k = in[a] + in[b] * in[c];
  int t = __builtin_amdgcn_workitem_id_x();
  if (k > d) k = in[k & 63] + in[a + 1];
  for (int i = 0; i < b; i++) k = k * in[(k + i) & 31] + out[t + i];
  out[t] = k;
}
