// Kernels that do little else than access LDS.
typedef unsigned int uint;

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void transpose(global const uint *in, global uint *out, uint side) {
  local uint tile[32][33];
  uint x = __builtin_amdgcn_workitem_id_x() % 32, y = __builtin_amdgcn_workitem_id_x() / 32;
  uint left = 32 * __builtin_amdgcn_workgroup_id_x(), top = 32 * __builtin_amdgcn_workgroup_id_y();
  for (uint row = y; row < 32; row += 8)
    tile[row][x] = in[(top + row) * side + left + x];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  for (uint row = y; row < 32; row += 8)
    out[(left + row) * side + top + x] = tile[x][row];
}

// One element a lane, each round at another place.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void sweep(global uint *out, uint rounds) {
  local volatile uint words[2048];
  uint t = __builtin_amdgcn_workitem_id_x(), sum = 0;
  for (uint i = 0; i < rounds; i++) {
    uint at = (t * 5 + i * 7) % 2048;
    words[at] = i;
    sum += words[at ^ 32];
  }
  out[256 * __builtin_amdgcn_workgroup_id_x() + t] = sum;
}

// The same with half of the lanes off.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void halved(global uint *out, uint rounds) {
  local volatile uint words[2048];
  uint t = __builtin_amdgcn_workitem_id_x(), sum = 0;
  if (t % 2)
    for (uint i = 0; i < rounds; i++) {
      uint at = (t * 5 + i * 7) % 2048;
      words[at] = i;
      sum += words[at ^ 32];
    }
  out[256 * __builtin_amdgcn_workgroup_id_x() + t] = sum;
}

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void histogram(global uint *out, uint rounds) {
  local uint bins[256];
  uint t = __builtin_amdgcn_workitem_id_x();
  bins[t] = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  uint key = t * 2654435761u;
  for (uint i = 0; i < rounds; i++, key = key * 1664525u + 1013904223u)
    __atomic_fetch_add(&bins[key >> 24], 1, __ATOMIC_RELAXED);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[256 * __builtin_amdgcn_workgroup_id_x() + t] = bins[t];
}

// 16 bytes a lane.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void wide(global uint *out, uint rounds) {
  typedef uint four __attribute__((ext_vector_type(4)));
  local volatile four words[512];
  uint t = __builtin_amdgcn_workitem_id_x();
  four sum = t;
  for (uint i = 0; i < rounds; i++) {
    uint at = (t + i) % 512;
    words[at] = sum;
    sum += words[at ^ 16];
  }
  out[256 * __builtin_amdgcn_workgroup_id_x() + t] = sum.x + sum.y + sum.z + sum.w;
}

// 16 by 16 elements of a product a workgroup.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void product(global const float *a, global const float *b, global float *out, uint side) {
  local float left[16][16], right[16][16];
  uint x = __builtin_amdgcn_workitem_id_x() % 16, y = __builtin_amdgcn_workitem_id_x() / 16;
  uint column = 16 * __builtin_amdgcn_workgroup_id_x() + x, row = 16 * __builtin_amdgcn_workgroup_id_y() + y;
  float sum = 0;
  for (uint k = 0; k < side; k += 16) {
    left[y][x] = a[row * side + k + x];
    right[y][x] = b[(k + y) * side + column];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    for (uint i = 0; i < 16; i++)
      sum += left[y][i] * right[i][x];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  out[row * side + column] = sum;
}
