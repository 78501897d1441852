// The store to LDS at the end of the loop is not waited for at the barrier at its start, as clang 22 compiles it
// (llvm/llvm-project#220357).
__attribute__((always_inline)) void sync(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
kernel void stale(global unsigned *out, global unsigned *in, int n, local unsigned *shared) {
  int t = __builtin_amdgcn_workitem_id_x();
  unsigned sum = t;
  for (int i = 0; i < n; i++) {
    sync();
    sum += shared[255 - t];
    sync();
    shared[t] = sum + i;
    out[t + i] = in[t + i] + sum;
  }
  out[t] = sum;
}
kernel void right(global unsigned *out, global unsigned *in) {
  int t = __builtin_amdgcn_workitem_id_x();
  out[t] = in[t] + 1;
}
