// Instructions of known kinds in known numbers, in workgroups of 100 work-items: a whole wave and one of 36.
#include <hip/hip_runtime.h>

#define TWICE(text) asm volatile(text "\n" text : "+v"(a) : "v"(b))

extern "C" __global__ void counted(float *data, int *hits, double *doubles) {
  __shared__ float shared[128];
  float a = data[threadIdx.x], b = 3;
  TWICE("v_add_f32 %0, %0, %1");
  TWICE("v_sub_f32 %0, %0, %1");
  TWICE("v_mul_f32 %0, %0, %1");
  TWICE("v_fma_f32 %0, %0, %1, %1");
  TWICE("v_rcp_f32 %0, %0");
  TWICE("v_exp_f32 %0, %0");
  TWICE("v_cvt_f16_f32 %0, %0");
  TWICE("v_add_f16 %0, %0, %1");
  TWICE("v_mul_f16 %0, %0, %1");
  TWICE("v_fma_f16 %0, %0, %1, %1");
  TWICE("v_sqrt_f16 %0, %0");
  double c = doubles[threadIdx.x];
  asm volatile("v_add_f64 %0, %0, %0\nv_mul_f64 %0, %0, %0\nv_fma_f64 %0, %0, %0, %0\nv_rcp_f64 %0, %0" : "+v"(c));
  doubles[threadIdx.x] = c;
  shared[threadIdx.x] = a;
  __syncthreads();
  for (int turn = 0; turn < 5; turn++) {
    asm volatile("s_nop 0");
    a += shared[(threadIdx.x + turn) % 100];
  }
  if (a > 7)
    data[threadIdx.x + 128] = a;
  // One without a result, one with.
  atomicAdd(&hits[threadIdx.x], 1);
  int before = atomicAdd(&hits[128 + threadIdx.x], 1);
  hits[256 + threadIdx.x] = before;
}

int main() {
  float *data;
  int *hits;
  double *doubles;
  if (hipMalloc(&data, 4096) || hipMalloc(&hits, 4096) || hipMalloc(&doubles, 4096))
    return 1;
  counted<<<2, 100>>>(data, hits, doubles);
  return hipDeviceSynchronize();
}
