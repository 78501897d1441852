// One matrix, transposed in three ways. All give the same, and the last one asks least of the memory:
//
//   naive    each lane of a wave writes to another row: every store touches a cache line for each lane
//   tiled    a tile in LDS makes rows of the columns, but all lanes of a column are in one bank of LDS
//   padded   the same with one element more in each row of the tile
//
// `luthier demo` runs these kernels without HIP. With HIP they are a program:
//
//   hipcc -g -O2 --offload-arch=gfx90a transpose.hip -o transpose
//   luthier run --device gfx90a --report report.html -- ./transpose

#ifdef WITHOUT_HIP
struct Index {
  unsigned x, y;
};
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define threadIdx (Index{__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y()})
#define blockIdx (Index{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y()})
#define __syncthreads() (__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"), __builtin_amdgcn_s_barrier())
#else
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>
#endif

constexpr unsigned SIDE = 256;
constexpr unsigned TILE = 32;

extern "C" __global__ void transpose_naive(const float *in, float *out) {
  unsigned x = blockIdx.x * TILE + threadIdx.x;
  unsigned y = blockIdx.y * TILE + threadIdx.y;
  out[x * SIDE + y] = in[y * SIDE + x];
}

template <unsigned WIDTH> static __attribute__((device)) void by_tiles(float (&tile)[TILE][WIDTH], const float *in, float *out) {
  unsigned x = threadIdx.x;
  unsigned y = threadIdx.y;
  unsigned column = blockIdx.x * TILE;
  unsigned row = blockIdx.y * TILE;
  tile[y][x] = in[(row + y) * SIDE + column + x];
  __syncthreads();
  out[(column + y) * SIDE + row + x] = tile[x][y];
}

extern "C" __global__ void transpose_tiled(const float *in, float *out) {
  __shared__ float tile[TILE][TILE];
  by_tiles(tile, in, out);
}

extern "C" __global__ void transpose_padded(const float *in, float *out) {
  __shared__ float tile[TILE][TILE + 1];
  by_tiles(tile, in, out);
}

#ifndef WITHOUT_HIP
#define CHECK(call)                                                    \
  if (hipError_t error = (call)) {                                     \
    std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error)); \
    return 1;                                                          \
  }

int main() {
  std::vector<float> in(SIDE * SIDE);
  for (unsigned i = 0; i < in.size(); i++)
    in[i] = static_cast<float>(i);
  size_t size = in.size() * sizeof(float);
  float *from = nullptr, *to = nullptr;
  CHECK(hipMalloc(&from, size));
  CHECK(hipMalloc(&to, size));
  CHECK(hipMemcpy(from, in.data(), size, hipMemcpyHostToDevice));
  for (auto kernel : {transpose_naive, transpose_tiled, transpose_padded}) {
    std::vector<float> out(in.size());
    CHECK(hipMemset(to, 0, size));
    kernel<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(from, to);
    CHECK(hipGetLastError());
    CHECK(hipMemcpy(out.data(), to, size, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < in.size(); i++) {
      if (out[i] != in[i % SIDE * SIDE + i / SIDE]) {
        std::fprintf(stderr, "element %u is wrong: %g\n", i, out[i]);
        return 1;
      }
    }
  }
  std::puts("a matrix was transposed in three ways, and is right");
}
#endif
