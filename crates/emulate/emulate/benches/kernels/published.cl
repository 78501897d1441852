// Kernels of the shapes with which AMD measures its own emulator, rocjitsu. Written anew from what its documentation says of them.

#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()

#ifdef __gfx942__
// 252 values per work-item, all of them alive throughout a loop that exclusive-ors each with the next one, multiplies and adds.
#define VALUES 252
kernel __attribute__((reqd_work_group_size(64, 1, 1), amdgpu_waves_per_eu(1, 1)))
void saturate(global uint *out, uint passes) {
  uint id = GROUP_X * 64 + LOCAL_ID, value[VALUES], sum = 0;
#pragma unroll
  for (uint i = 0; i < VALUES; i++)
    value[i] = id + 0x9e3779b9u * (i + 1);
  for (uint pass = 0; pass < passes; pass++) {
#pragma unroll
    for (uint i = 0; i < VALUES; i++)
      value[i] = (value[i] ^ value[(i + 1) % VALUES]) * 1664525u + 1013904223u;
  }
#pragma unroll
  for (uint i = 0; i < VALUES; i++)
    sum ^= value[i] + i;
  out[id] = sum;
}
#endif

#ifdef __gfx950__
typedef int int8_ __attribute__((ext_vector_type(8)));
typedef float float4_ __attribute__((ext_vector_type(4)));

// C = A * B of E4M3 numbers, A by rows, B by columns, n by n; 64 by 64 per workgroup of 256, 16 by 64 per wave. Both sides of a
// matrix instruction have a lane's 32 consecutive numbers at the same places of the sum, so their order there does not matter.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fp8_gemm(global const char *a, global const char *b, global float *c, uint n) {
  uint lane = LOCAL_ID % 64, row = GROUP_Y * 64 + LOCAL_ID / 64 * 16, column = GROUP_X * 64;
  uint place = lane / 16 * 32;
  float4_ sum[4] = {};
  for (uint k = 0; k < n; k += 128) {
    int8_ left = *(global const int8_ *)(a + (row + lane % 16) * n + k + place);
#pragma unroll
    for (uint part = 0; part < 4; part++) {
      int8_ right = *(global const int8_ *)(b + (column + 16 * part + lane % 16) * n + k + place);
      sum[part] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(left, right, sum[part], 0, 0, 0, 0, 0, 0);
    }
  }
#pragma unroll
  for (uint part = 0; part < 4; part++)
#pragma unroll
    for (uint i = 0; i < 4; i++)
      c[(row + lane / 16 * 4 + i) * n + column + 16 * part + lane % 16] = sum[part][i];
}
#endif
