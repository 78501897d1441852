// Wrong accesses by instructions on images of one row, and their twins, whose names end in -ok. The row has 250 words. The descriptor of the wrong
// ones says 251. Without a bug: "outside", whose coordinates are beyond the image. "damaged" has a descriptor that is none of an image.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <string>

typedef int words __attribute__((ext_vector_type(4)));
typedef int descriptor __attribute__((ext_vector_type(8)));
struct Row {
  words low, high;
};

constexpr int WIDTH = 250;

#if defined(__gfx90a__) || defined(__gfx1030__)
#ifdef __gfx90a__
#define UNSAMPLED "unorm"
#define SAMPLED ""
#else
#define UNSAMPLED "dim:SQ_RSRC_IMG_1D"
#define SAMPLED "dim:SQ_RSRC_IMG_1D"
#endif
__device__ descriptor of(Row row) { return __builtin_shufflevector(row.low, row.high, 0, 1, 2, 3, 4, 5, 6, 7); }

__global__ void load(Row row, int at, int *out) {
  int value = 5;
  asm volatile("image_load %0, %1, %2 dmask:0x1 " UNSAMPLED "\n\ts_waitcnt vmcnt(0)" : "=v"(value) : "v"(at), "s"(of(row)));
  out[threadIdx.x] = value;
}

__global__ void store(Row row, int at) {
  if (threadIdx.x == 5)
    asm volatile("image_store %0, %1, %2 dmask:0x1 " UNSAMPLED "\n\ts_waitcnt vmcnt(0)" ::"v"(7), "v"(at), "s"(of(row)) : "memory");
}

// Coordinates count texels, and those beyond the image name its last texel.
__global__ void sample(Row row, float at, int *out) {
  int value = 5;
  words sampler = {0x8092, 0xfff000, 0, 0};
  asm volatile("image_sample %0, %1, %2, %3 dmask:0x1 " SAMPLED "\n\ts_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"(at), "s"(of(row)), "s"(sampler));
  out[threadIdx.x] = value;
}
#else
__global__ void load(Row, int, int *) {}
__global__ void store(Row, int) {}
__global__ void sample(Row, float, int *) {}
#endif

// Dwords, as gfx9 and gfx10 describe them.
static Row described(int *from, int width, bool is_gfx10) {
  unsigned long base = (unsigned long)from;
  int low = base >> 8, high = base >> 40 & 0xff, order = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 8 << 28, last = width - 1;
  if (is_gfx10)
    return {{low, high | 20 << 20 | last << 30, last >> 2 | 1 << 31, order}, {255, 0, 0, 0}};
  return {{low, high | 4 << 20 | 4 << 26, last, order}, {255 << 13, 0, 0, 0}};
}

static bool got(int *out, int expected) {
  int value = 0;
  return hipMemcpy(&value, out, 4, hipMemcpyDeviceToHost) == hipSuccess && value == expected;
}

int main(int count, char **arguments) {
  std::string mode = count > 1 ? arguments[1] : "";
  bool right = mode.size() > 3 && mode.substr(mode.size() - 3) == "-ok";
  int *out = nullptr, *numbers = nullptr;
  hipDeviceProp_t device;
  if (hipMalloc(&out, 4096) != hipSuccess || hipMalloc(&numbers, 4 * WIDTH) != hipSuccess ||
      hipMemset(numbers, 1, 4 * WIDTH) != hipSuccess || hipGetDeviceProperties(&device, 0) != hipSuccess)
    return 4;
  bool is_gfx10 = std::string(device.gcnArchName).substr(0, 5) == "gfx10";
  Row row = described(numbers, right ? WIDTH : WIDTH + 1, is_gfx10), exact = described(numbers, WIDTH, is_gfx10);
  if (mode.substr(0, 4) == "load")
    load<<<1, 64>>>(row, WIDTH, out);
  if (mode.substr(0, 5) == "store")
    store<<<1, 64>>>(row, WIDTH);
  if (mode.substr(0, 6) == "sample")
    sample<<<1, 64>>>(row, WIDTH + 0.5f, out);
  if (mode == "damaged")
    load<<<1, 64>>>(Row{}, 0, out);
  bool passed = true;
  if (mode == "outside")
    for (int at : {WIDTH, WIDTH + 1, 1 << 20, -1}) {
      load<<<1, 64>>>(exact, at, out);
      passed = passed && got(out, 0);
      store<<<1, 64>>>(exact, at);
      sample<<<1, 64>>>(exact, at, out);
      passed = passed && got(out, 0x01010101);
    }
  hipError_t error = hipDeviceSynchronize();
  puts(error == hipSuccess && passed ? "done" : "failed");
  return error == hipSuccess && passed ? 0 : 3;
}
