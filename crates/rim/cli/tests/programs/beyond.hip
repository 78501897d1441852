// Accesses beyond what was allocated, to what was freed, and their twins, whose names end in -ok. Each function that allocates or frees has a
// name of its own.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void put(int *to, long at) {
  if (threadIdx.x == 5)
    to[at] = 7;
}

__global__ void shared(int *out, int index) {
  __shared__ int room[16];
  room[threadIdx.x & 15] = threadIdx.x;
  __syncthreads();
  out[0] = room[index];
}

__global__ void get(const int *from, long at, int *out) {
  if (threadIdx.x == 5)
    out[0] = from[at + threadIdx.x];
}

extern "C" __attribute__((noinline)) int *make_numbers(size_t bytes) {
  int *made = nullptr;
  if (hipMalloc(&made, bytes) != hipSuccess)
    return nullptr;
  asm volatile("" ::: "memory");
  return made;
}

extern "C" __attribute__((noinline)) void drop_numbers(int *made) {
  (void)hipFree(made);
  asm volatile("" ::: "memory");
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  auto is = [&](const char *name) { return !strncmp(mode, name, strlen(name)); };
  bool right = strstr(mode, "-ok");
  int *out = make_numbers(4000);
  int *numbers = make_numbers(1000);
  // The memory of the first call of HIP.
  if (is("first"))
    put<<<1, 64>>>(out, right ? 999 : 1000);
  if (is("end"))
    put<<<3, 64>>>(numbers, right ? 249 : 250);
  if (is("before"))
    put<<<1, 64>>>(numbers, right ? 0 : -1);
  if (is("freed")) {
    if (!right)
      drop_numbers(numbers);
    put<<<1, 64>>>(numbers, 2);
  }
  if (is("read-freed")) {
    if (!right)
      drop_numbers(numbers);
    get<<<1, 64>>>(numbers, 2, out);
  }
  // The instruction has accessed the memory before, when it was right.
  if (is("get-again")) {
    get<<<1, 64>>>(numbers, 2, out);
    (void)hipDeviceSynchronize();
    if (!right)
      drop_numbers(numbers);
    get<<<1, 64>>>(numbers, 2, out);
  }
  if (is("lds"))
    shared<<<1, 16>>>(out, right ? 15 : 16);
  hipError_t error = hipDeviceSynchronize();
  puts(error == hipSuccess ? "done" : "failed");
  return error == hipSuccess ? 0 : 3;
}
