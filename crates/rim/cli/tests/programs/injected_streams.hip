// Eight launches of a kernel on four streams. The numbers differ, and each launch executes as many rounds as its number says.
#include <cstdint>
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void rounds(uint32_t *out, uint32_t number) {
  uint32_t reversed, sum = 0;
  asm volatile("v_bfrev_b32 %0, %1" : "=v"(reversed) : "v"(number));
  for (uint32_t round = 0; round < 200 + 50 * number; round++) {
    asm volatile("v_add_u32 %0, %0, %1" : "+v"(sum) : "v"(round));
  }
  out[64 * blockIdx.x + threadIdx.x] = sum ^ reversed;
}

int main() {
  uint32_t *out, host[8 * 512];
  if (hipMalloc(&out, sizeof host) != hipSuccess)
    return 2;
  hipStream_t streams[4];
  for (auto &stream : streams)
    if (hipStreamCreate(&stream) != hipSuccess)
      return 2;
  for (uint32_t number = 0; number < 8; number++)
    rounds<<<8, 64, 0, streams[number % 4]>>>(out + 512 * number, number);
  if (hipDeviceSynchronize() != hipSuccess || hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
    return 2;
  for (uint32_t word : host)
    printf("%08x\n", word);
  return 0;
}
