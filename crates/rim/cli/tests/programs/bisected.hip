// Doubles numbers; built with -DWRONG, one of them is not.
#include <hip/hip_runtime.h>
#include <cstdio>

__device__ int offset = 5;
__global__ void twice(int *data) {
  int item = threadIdx.x;
#ifdef WRONG
  if (item == 7)
    return;
#endif
  data[item] = 2 * data[item] + offset;
}

int main() {
  int *data, numbers[64];
  for (int index = 0; index < 64; ++index)
    numbers[index] = index;
  if (hipMalloc(&data, sizeof numbers) || hipMemcpy(data, numbers, sizeof numbers, hipMemcpyHostToDevice))
    return 1;
  twice<<<1, 64>>>(data);
  if (hipMemcpy(numbers, data, sizeof numbers, hipMemcpyDeviceToHost))
    return 1;
  printf("%d\n", numbers[3]);
}
