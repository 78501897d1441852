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
  if (is("buffer") || is("uniform")) {
    hipDeviceProp_t device;
    if (hipGetDeviceProperties(&device, 0) != hipSuccess)
      return 4;
    // Dwords, and since gfx10 bounds by bytes.
    auto is_of = [&](const char *family) { return !strncmp(device.gcnArchName, family, strlen(family)); };
    int format = is_of("gfx10") ? 0x31016000 : is_of("gfx11") || is_of("gfx12") ? 0x30016000 : 0x00027000;
    if (is("buffer"))
      buffer<<<1, 64>>>(numbers, right ? 1000 : 1004, format, 752);
    else
      uniform<<<1, 64>>>(numbers, right ? 1000 : 1004, format, 1000, out);
  }
  hipError_t error = hipDeviceSynchronize();
  puts(error == hipSuccess ? "done" : "failed");
  return error == hipSuccess ? 0 : 3;
}
