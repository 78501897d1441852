// The kernels whose speed `cargo bench -p emulate` measures. `host.c` has the same programs for one CPU thread.
// Workgroups have 256 work-items. No device library is needed.

#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GLOBAL_ID (GROUP * 256 + LOCAL_ID)

static void synchronise(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void vector_add(global const float *a, global const float *b, global float *c, uint n) {
  uint i = GLOBAL_ID;
  if (i < n)
    c[i] = a[i] + b[i];
}

// C = A * B, row-major n by n; 64 by 64 per workgroup of 256, 4 by 4 per work-item.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sgemm(global const float *a, global const float *b, global float *c, uint n) {
  local float tile_a[16][64], tile_b[16][64];
  uint t = LOCAL_ID, tx = t % 16, ty = t / 16;
  uint row = __builtin_amdgcn_workgroup_id_y() * 64, column = GROUP * 64;
  float sum[4][4] = {};
  for (uint k = 0; k < n; k += 16) {
    for (uint i = t; i < 64 * 16; i += 256) {
      tile_a[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
      tile_b[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
    }
    synchronise();
#pragma unroll
    for (uint i = 0; i < 16; i++)
#pragma unroll
      for (uint y = 0; y < 4; y++)
#pragma unroll
        for (uint x = 0; x < 4; x++)
          sum[y][x] = __builtin_fmaf(tile_a[i][ty * 4 + y], tile_b[i][tx * 4 + x], sum[y][x]);
    synchronise();
  }
  for (uint y = 0; y < 4; y++)
    for (uint x = 0; x < 4; x++)
      c[(row + ty * 4 + y) * n + column + tx * 4 + x] = sum[y][x];
}

// One sum per workgroup of 256.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce(global const uint *data, global uint *sums, uint n, uint groups) {
  local uint partial[256];
  uint t = LOCAL_ID, sum = 0;
  for (uint i = GLOBAL_ID; i < n; i += groups * 256)
    sum += data[i];
  partial[t] = sum;
  synchronise();
  for (uint span = 128; span > 0; span /= 2) {
    if (t < span)
      partial[t] += partial[t + span];
    synchronise();
  }
  if (t == 0)
    sums[GROUP] = partial[0];
}

// Radix sort, four bits a pass. Each work-item owns ITEMS consecutive keys, so that equal keys keep their order.
#define ITEMS 16
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void radix_count(global const uint *keys, global uint *counts, uint shift, uint groups) {
  local uint histogram[16];
  uint t = LOCAL_ID;
  if (t < 16)
    histogram[t] = 0;
  synchronise();
  for (uint i = 0; i < ITEMS; i++) {
    uint key = keys[GROUP * 256 * ITEMS + i * 256 + t];
    __scoped_atomic_fetch_add(&histogram[key >> shift & 15], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  }
  synchronise();
  if (t < 16)
    counts[t * groups + GROUP] = histogram[t];
}

// Exclusive prefix sum of n values by one workgroup.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void radix_scan(global uint *counts, uint n) {
  local uint sums[256];
  uint t = LOCAL_ID, per = n / 256, sum = 0;
  for (uint i = 0; i < per; i++)
    sum += counts[t * per + i];
  sums[t] = sum;
  synchronise();
  for (uint step = 1; step < 256; step *= 2) {
    uint left = t >= step ? sums[t - step] : 0;
    synchronise();
    sums[t] += left;
    synchronise();
  }
  uint before = sums[t] - sum;
  for (uint i = 0; i < per; i++) {
    uint count = counts[t * per + i];
    counts[t * per + i] = before;
    before += count;
  }
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void radix_scatter(global const uint *keys, global uint *sorted, global const uint *counts, uint shift,
                   uint groups) {
  // How many keys with each digit the work-items before this one have.
  local ushort ranks[16][256];
  local uint base[16];
  uint t = LOCAL_ID, own[ITEMS];
  for (uint digit = 0; digit < 16; digit++)
    ranks[digit][t] = 0;
  if (t < 16)
    base[t] = counts[t * groups + GROUP];
  for (uint i = 0; i < ITEMS; i++) {
    own[i] = keys[GROUP * 256 * ITEMS + t * ITEMS + i];
    ranks[own[i] >> shift & 15][t]++;
  }
  synchronise();
  // 16 work-items per digit, 16 counts each; then the sums of those 16.
  local uint sums[16][16];
  uint digit = t / 16, part = t % 16, sum = 0;
  for (uint i = 0; i < 16; i++)
    sum += ranks[digit][part * 16 + i];
  sums[digit][part] = sum;
  synchronise();
  uint before = 0;
  for (uint i = 0; i < part; i++)
    before += sums[digit][i];
  for (uint i = 0; i < 16; i++) {
    uint count = ranks[digit][part * 16 + i];
    ranks[digit][part * 16 + i] = before;
    before += count;
  }
  synchronise();
  for (uint i = 0; i < ITEMS; i++) {
    uint d = own[i] >> shift & 15;
    sorted[base[d] + ranks[d][t]++] = own[i];
  }
}

// Lanes leave the loop at different times.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void mandelbrot(global uint *turns, uint width, uint height, uint limit) {
  uint i = GLOBAL_ID;
  float cx = 3.0f * (i % width) / width - 2.25f, cy = 2.5f * (i / width) / height - 1.25f;
  float x = 0, y = 0;
  uint n = 0;
  while (n < limit && x * x + y * y < 4) {
    float next = __builtin_fmaf(x, x, __builtin_fmaf(-y, y, cx));
    y = __builtin_fmaf(2 * x, y, cy);
    x = next;
    n++;
  }
  turns[i] = n;
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void nothing(global uint *out) {}
