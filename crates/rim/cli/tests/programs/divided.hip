// Memory that HIP divides itself, wrong frees, and their twins, whose names end in -ok.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)          \
  if ((call) != hipSuccess) \
  exit(4)

__global__ void put(char *to, long at) {
  if (threadIdx.x == 5)
    to[at] = 7;
}
__global__ void get(char *from, long at, int *out) {
  if (from[at] == 1)
    *out = 1;
}

// Eight bytes at once, at an address that is a multiple of four.
typedef long __attribute__((aligned(4))) wide;
__global__ void put_wide(char *to, long at) {
  if (threadIdx.x == 5)
    *(volatile wide *)(to + at) = 7;
}

__device__ char table[10] = {1};
__device__ char after[64] = {2};
__constant__ char fixed[16] = {4};
__global__ void variable(int at) { table[at] = 3; }
__global__ void constant(int at) { ((volatile char *)fixed)[at] = 3; }
__global__ void read_constant(int at, int *out) { *out = fixed[at] + after[at]; }
// Nothing lies behind it: its size is no multiple of its alignment.
__constant__ __attribute__((aligned(64))) char odd[20] = {5};
__managed__ char common[70] = {6};
__global__ void managed_variable(int at) { common[at] = 3; }
__global__ void read_wide(int at, int *out) { *out = *(volatile wide *)(odd + at); }

extern "C" __attribute__((noinline)) void *make(size_t bytes) {
  void *made = nullptr;
  MUST(hipMalloc(&made, bytes));
  asm volatile("" ::: "memory");
  return made;
}

extern "C" __attribute__((noinline)) void drop(void *made) {
  (void)hipFree(made);
  asm volatile("" ::: "memory");
}

// Legal code that looks like a bug to a careless checker.
static void legal(hipStream_t stream, int *out) {
  char *memory = nullptr;
  // A kernel that was enqueued before the free runs when the program has asked for less in its place.
  for (int size : {5000, 4600, 5000, 300}) {
    MUST(hipMallocAsync((void **)&memory, size, stream));
    put<<<1, 64, 0, stream>>>(memory, size - 1);
    MUST(hipFreeAsync(memory, stream));
  }
  MUST(hipStreamSynchronize(stream));
  size_t pitch = 0;
  MUST(hipMallocPitch((void **)&memory, &pitch, 100, 3));
  MUST(hipMemset(memory, 0, 3 * pitch));
  get<<<1, 1>>>(memory, 100, out);
  put<<<1, 64>>>(memory, 2 * pitch + 99);
  MUST(hipFree(memory));
  // Neighbours on one page, of which one leaves.
  char *host = (char *)aligned_alloc(4096, 4096);
  MUST(hipHostRegister(host + 16, 100, 0));
  MUST(hipHostRegister(host + 200, 100, 0));
  char *first = nullptr, *second = nullptr;
  MUST(hipHostGetDevicePointer((void **)&first, host + 16, 0));
  MUST(hipHostGetDevicePointer((void **)&second, host + 200, 0));
  put<<<1, 64>>>(first, 99);
  put<<<1, 64>>>(second, 99);
  MUST(hipDeviceSynchronize());
  MUST(hipHostUnregister(host + 16));
  put<<<1, 64>>>(second, 0);
  MUST(hipDeviceSynchronize());
  MUST(hipHostUnregister(host + 200));
  // The host changes a constant.
  char bytes[16] = {9};
  MUST(hipMemcpyToSymbol(HIP_SYMBOL(fixed), bytes, 16));
  read_constant<<<1, 1>>>(15, out);
  MUST(hipMallocManaged((void **)&memory, 100));
  put<<<1, 64>>>(memory, 99);
  MUST(hipDeviceSynchronize());
  MUST(hipFree(memory));
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  auto is = [&](const char *name) { return !strncmp(mode, name, strlen(name)); };
  bool right = strstr(mode, "-ok");
  int *out = (int *)make(4096);
  char *memory = nullptr;
  hipStream_t stream = nullptr;
  MUST(hipStreamCreate(&stream));
  if (is("legal"))
    legal(stream, out);
  if (is("stream-freed")) {
    MUST(hipMallocAsync((void **)&memory, 1000, stream));
    if (!right)
      MUST(hipFreeAsync(memory, stream));
    put<<<1, 64, 0, stream>>>(memory, 8);
  }
  if (is("stream-end")) {
    MUST(hipMallocAsync((void **)&memory, 5000, stream));
    MUST(hipFreeAsync(memory, stream));
    MUST(hipMallocAsync((void **)&memory, 4600, stream));
    put<<<1, 64, 0, stream>>>(memory, right ? 4599 : 4600);
  }
  // The device tells of an access when the memory is freed already.
  if (is("left-stream")) {
    MUST(hipMallocAsync((void **)&memory, 5000, stream));
    put<<<1, 64, 0, stream>>>(memory, right ? 4999 : 5000);
    (void)hipStreamSynchronize(stream);
    (void)hipFreeAsync(memory, stream);
  }
  if (is("left-row")) {
    size_t pitch = 0;
    MUST(hipMallocPitch((void **)&memory, &pitch, 100, 3));
    put<<<1, 64>>>(memory, pitch + (right ? 99 : 100));
    (void)hipDeviceSynchronize();
    (void)hipFree(memory);
  }
  if (is("common"))
    managed_variable<<<1, 1>>>(right ? 69 : 70);
  // The first variable lies behind a gap between two segments of the module.
  if (is("module"))
    variable<<<1, 1>>>(right ? 0 : -32);
  if (is("nowhere"))
    put<<<1, 64>>>(right ? (char *)out : nullptr, 8);
  if (is("row") || is("padding")) {
    size_t pitch = 0;
    MUST(hipMallocPitch((void **)&memory, &pitch, 100, 3));
    int wrong = is("row") ? 103 : 100;
    put<<<1, 64>>>(memory, pitch + (right ? 99 : wrong));
  }
  if (is("managed")) {
    MUST(hipMallocManaged((void **)&memory, 100));
    put<<<1, 64>>>(memory, right ? 99 : 100);
  }
  if (is("registered")) {
    char *host = (char *)malloc(8192);
    MUST(hipHostRegister(host + 16, 100, 0));
    MUST(hipHostGetDevicePointer((void **)&memory, host + 16, 0));
    put<<<1, 64>>>(memory, right ? 99 : 100);
  }
  if (is("variable"))
    variable<<<1, 1>>>(right ? 9 : 10);
  if (is("constant")) {
    if (right)
      read_constant<<<1, 1>>>(3, out);
    else
      constant<<<1, 1>>>(3);
  }
  if (is("wide-end")) {
    char *made = (char *)make(1000);
    put_wide<<<1, 64>>>(made, right ? 992 : 996);
  }
  if (is("wide-row")) {
    size_t pitch = 0;
    MUST(hipMallocPitch((void **)&memory, &pitch, 100, 3));
    put_wide<<<1, 64>>>(memory, pitch + (right ? 92 : 96));
  }
  if (is("wide-constant"))
    read_wide<<<1, 1>>>(right ? 12 : 16, out);
  if (is("inside")) {
    char *made = (char *)make(1000);
    drop(right ? made : made + 16);
  }
  if (is("twice")) {
    void *made = make(1000);
    drop(made);
    if (!right)
      drop(made);
  }
  hipError_t error = hipDeviceSynchronize();
  puts(error == hipSuccess ? "done" : "failed");
  return error == hipSuccess ? 0 : 3;
}
