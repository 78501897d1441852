// Wrong accesses by instructions of other kinds than global and LDS ones, and their twins, whose names end in -ok.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

// The same address in all lanes: a scalar load.
__global__ void scalar(const int *__restrict__ from, long at, int *out) { out[threadIdx.x] = from[at]; }

// A pointer to any memory, as after a call that is not inlined.
__device__ int *any(int *pointer) {
  asm volatile("" : "+v"(pointer));
  return pointer;
}

__global__ void flat(int *to, long at) {
  int *pointer = any(to);
  if (threadIdx.x == 5)
    pointer[at] = 7;
}

__global__ void flat_shared(int *out, int at) {
  __shared__ int room[16];
  room[threadIdx.x & 15] = threadIdx.x;
  __syncthreads();
  out[0] = any(room)[at];
}

__global__ void flat_private(int *out, int at) {
  int room[16];
  int *pointer = any(room);
  for (int i = 0; i < 16; ++i)
    pointer[i] = i;
  out[threadIdx.x] = pointer[at];
}

__global__ void atomic(char *to, int at) {
  if (threadIdx.x == 5)
    atomicAdd((int *)(to + at), 1);
}

typedef int words __attribute__((ext_vector_type(4)));
__device__ void store_in_buffer(int value, words buffer, int offset, int scalar_offset,
                                int policy) __asm("llvm.amdgcn.raw.buffer.store.i32");

// A descriptor that lets more through than the program has allocated.
__global__ void buffer(int *to, int records, int format, int at) {
  unsigned long base = (unsigned long)to;
  words descriptor = {(int)base, (int)(base >> 32), records, format};
  store_in_buffer(7, descriptor, at + 4 * threadIdx.x, 0, 0);
}

// The same by a scalar load. A load that the descriptor does not let through gives zero, and is no access.
__device__ int load_from_buffer(words buffer, int offset, int policy) __asm("llvm.amdgcn.s.buffer.load.i32");
__global__ void uniform(int *from, int records, int format, int at, int *out) {
  unsigned long base = (unsigned long)from;
  words descriptor = {(int)base, (int)(base >> 32), records, format};
  out[0] = load_from_buffer(descriptor, at, 0);
}

// The same by an image of one row.
struct Row {
  words low, high;
};
__global__ void image(Row row, int at, int *out) {
  int value = 0;
#if defined(__gfx90a__) || defined(__gfx1030__)
  auto descriptor = __builtin_shufflevector(row.low, row.high, 0, 1, 2, 3, 4, 5, 6, 7);
#ifdef __gfx90a__
#define FORM "unorm"
#else
#define FORM "dim:SQ_RSRC_IMG_1D"
#endif
  asm volatile("image_load %0, %1, %2 dmask:0x1 " FORM "\n\ts_waitcnt vmcnt(0)" : "=v"(value) : "v"(at), "s"(descriptor));
#endif
  out[threadIdx.x] = value;
}

// Dwords, as gfx9 and gfx10 describe them.
static Row described(int *from, int width, bool is_gfx10) {
  unsigned long base = (unsigned long)from;
  int low = base >> 8, high = base >> 40 & 0xff, order = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 8 << 28, last = width - 1;
  if (is_gfx10)
    return {{low, high | 20 << 20 | last << 30, last >> 2 | 1 << 31, order}, {255, 0, 0, 0}};
  return {{low, high | 4 << 20 | 4 << 26, last, order}, {255 << 13, 0, 0, 0}};
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  auto is = [&](const char *name) { return !strncmp(mode, name, strlen(name)); };
  bool right = strstr(mode, "-ok");
  int *out = nullptr, *numbers = nullptr;
  if (hipMalloc(&out, 4096) != hipSuccess || hipMalloc(&numbers, 1000) != hipSuccess)
    return 4;
  if (is("scalar"))
    scalar<<<1, 64>>>(numbers, right ? 249 : 250, out);
  if (is("flat-memory"))
    flat<<<1, 64>>>(numbers, right ? 249 : 250);
  if (is("flat-lds"))
    flat_shared<<<1, 16>>>(out, right ? 15 : 16);
  if (is("flat-scratch"))
    flat_private<<<1, 64>>>(out, right ? 15 : 5000);
  if (is("atomic-end"))
    atomic<<<1, 64>>>((char *)numbers, right ? 996 : 1000);
  if (is("misaligned"))
    atomic<<<1, 64>>>((char *)numbers, right ? 4 : 2);
  if (is("buffer") || is("uniform") || is("image")) {
    hipDeviceProp_t device;
    if (hipGetDeviceProperties(&device, 0) != hipSuccess)
      return 4;
    // Dwords, and since gfx10 bounds by bytes.
    auto is_of = [&](const char *family) { return !strncmp(device.gcnArchName, family, strlen(family)); };
    int format = is_of("gfx10") ? 0x31016000 : is_of("gfx11") || is_of("gfx12") ? 0x30016000 : 0x00027000;
    if (is("image"))
      image<<<1, 64>>>(described(numbers, 251, is_of("gfx10")), right ? 249 : 250, out);
    else if (is("buffer"))
      buffer<<<1, 64>>>(numbers, right ? 1000 : 1004, format, 752);
    else
      uniform<<<1, 64>>>(numbers, right ? 1000 : 1004, format, 1000, out);
  }
  hipError_t error = hipDeviceSynchronize();
  puts(error == hipSuccess ? "done" : "failed");
  return error == hipSuccess ? 0 : 3;
}
