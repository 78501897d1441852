// Header-free HIP: kernels that differ in what they need. Compiled by the tests for several targets.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((amdgpu_flat_work_group_size(1, n)))

__device__ int counter = 5;
__device__ float table[16] = {1, 2, 3};

static __device__ inline int square(int x) { return x * x + counter; }

__attribute__((noinline)) __device__ int helper(int a, int b) { return a * b + square(b); }

static __device__ unsigned lane() { return __builtin_amdgcn_workitem_id_x(); }

extern "C" __global__ void plain(float *out, const float *in, int n) {
  int i = lane() + 256 * __builtin_amdgcn_workgroup_id_x();
  if (i < n)
    out[i] = in[i] * 2.0f + square(i);
}

extern "C" __global__ void calls(int *out, int n) { out[lane()] = helper(n, lane()); }

extern "C" __global__ __launch_bounds__(256) void small_lds(float *out, const float *in) {
  __shared__ float tile[2560];
  tile[lane()] = in[lane()];
  __builtin_amdgcn_s_barrier();
  out[lane()] = tile[lane() ^ 1] + tile[lane() + 7];
}

extern "C" __global__ __launch_bounds__(1024) void big_lds(float *out, const float *in) {
  __shared__ float tile[9000];
  tile[lane()] = in[lane()];
  __builtin_amdgcn_s_barrier();
  out[lane()] = tile[lane() ^ 1];
}

extern "C" __global__ __launch_bounds__(64) void one_wave_lds(float *out, const float *in) {
  __shared__ float tile[700];
  tile[lane()] = in[lane()];
  out[lane()] = tile[lane() ^ 1];
}

// Many values alive at once.
template <int N> static __device__ void pressure(float *out, const float *in) {
  float v[N];
  for (int i = 0; i < N; ++i)
    v[i] = in[lane() + 64 * i];
  asm volatile("; all loaded" ::: "memory");
  for (int i = 0; i < N; ++i)
    for (int j = i & 3; j < N; j += 5)
      v[i] += v[j] * v[(i + j) % N];
  for (int i = 0; i < N; ++i)
    out[lane() + 64 * i] = v[i];
}

extern "C" __global__ __launch_bounds__(256) void vgprs_40(float *out, const float *in) { pressure<32>(out, in); }
extern "C" __global__ __launch_bounds__(256) void vgprs_100(float *out, const float *in) { pressure<72>(out, in); }

extern "C" __global__ void scratch(int *out, int n) {
  int local[50];
  for (int i = 0; i < 50; ++i)
    local[i] = out[i];
  local[n] = 3;
  out[0] = local[n + lane()];
}
