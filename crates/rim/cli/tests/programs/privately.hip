// Private memory, which instructions of its own reach where the compiler may use them.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void own(int *out, int step, int at) {
  int room[64];
  for (int i = 0; i < 64; ++i)
    room[i * step & 63] = i;
  out[threadIdx.x] = room[at];
}

int main(int count, char **arguments) {
  bool right = count > 1 && strstr(arguments[1], "-ok");
  int *out = nullptr;
  if (hipMalloc(&out, 4096) != hipSuccess)
    return 4;
  own<<<1, 64>>>(out, 3, right ? 63 : 5000);
  hipError_t error = hipDeviceSynchronize();
  puts(error == hipSuccess ? "done" : "failed");
  return error == hipSuccess ? 0 : 3;
}
