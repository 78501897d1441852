// Kernels that are at work for long: `barriers` of few workgroups, `many` workgroups that end soon, or `waits`. With a second argument the
// program handles SIGTERM, and raises it again.
#include <hip/hip_runtime.h>

#include <csignal>
#include <cstdio>
#include <cstring>

__global__ void barriers(unsigned *out, int rounds) {
  __shared__ unsigned shared[128];
  unsigned sum = threadIdx.x;
  for (int i = 0; i < rounds; i++) {
    shared[threadIdx.x] = sum;
    __syncthreads();
    sum = sum * 1664525u + shared[(threadIdx.x + 1) & 127];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void many(unsigned *out, int rounds) {
  unsigned sum = threadIdx.x;
  for (int i = 0; i < rounds; i++)
    sum = sum * 1664525u + i;
  out[threadIdx.x] = sum;
}

__global__ void waits(volatile unsigned *out) {
  while (out[0] != 1)
    ;
}

static void again(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

int main(int count, char **arguments) {
  if (count > 2)
    signal(SIGTERM, again);
  unsigned *out;
  if (hipMalloc(&out, 512) != hipSuccess)
    return 90;
  (void)hipMemset(out, 0, 512);
  (void)hipDeviceSynchronize();
  printf("begins\n");
  fflush(stdout);
  if (!strcmp(arguments[1], "barriers"))
    barriers<<<64, 128>>>(out, 1 << 30);
  if (!strcmp(arguments[1], "many"))
    many<<<1 << 24, 128>>>(out, 5000);
  if (!strcmp(arguments[1], "waits"))
    waits<<<1, 64>>>(out);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 5;
}
