// Uses of an exponential, which a GPU may round otherwise: `app MODE`. With `exact` behind it the kernels have a product instead.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>

#define ITEM threadIdx.x

__device__ float power(float x, bool exact) {
  if (exact)
    return x * 2;
  asm volatile("v_exp_f32 %0, %0" : "+v"(x)); // @exp
  return x;
}

template <bool EXACT> __global__ void address(float *data) {
  data[(int)power(data[ITEM], EXACT) & 63] = 1; // @address
}

template <bool EXACT> __global__ void branch(float *data) {
  if (power(data[ITEM], EXACT) > 3) // @branch
    data[64 + ITEM] = 1;
}

template <bool EXACT> __global__ void output(float *data) {
  data[ITEM] = power(data[ITEM], EXACT); // @output
}

template <bool EXACT> __global__ void dropped(float *data) {
  asm volatile("; %0" ::"v"(power(data[ITEM], EXACT)));
  data[ITEM] = 1;
}

__global__ void later(float *data) {
  if (data[ITEM] > 3) // @later
    data[64 + ITEM] = 1;
}

template <bool EXACT> static void launch(const char *mode, float *data) {
  if (!strcmp(mode, "address"))
    address<EXACT><<<1, 64>>>(data);
  if (!strcmp(mode, "branch"))
    branch<EXACT><<<1, 64>>>(data);
  if (!strcmp(mode, "output"))
    output<EXACT><<<1, 64>>>(data);
  if (!strcmp(mode, "dropped"))
    dropped<EXACT><<<1, 64>>>(data);
  if (!strcmp(mode, "later") || !strcmp(mode, "overwritten"))
    output<EXACT><<<1, 64>>>(data);
  float host[64] = {};
  // Numbers of the host take the place of what the kernel has stored.
  if (!strcmp(mode, "overwritten") && hipMemcpy(data, host, sizeof host, hipMemcpyHostToDevice))
    puts("not copied");
  if (!strcmp(mode, "later") || !strcmp(mode, "overwritten"))
    later<<<1, 64>>>(data);
}

int main(int, char **arguments) {
  float *data;
  float numbers[128];
  for (int number = 0; number < 128; number++)
    numbers[number] = number % 8;
  if (hipMalloc(&data, sizeof numbers) || hipMemcpy(data, numbers, sizeof numbers, hipMemcpyHostToDevice))
    return 1;
  arguments[2] && !strcmp(arguments[2], "exact") ? launch<true>(arguments[1], data) : launch<false>(arguments[1], data);
  return hipDeviceSynchronize();
}
