// Adds two vectors on the device and checks the result on the host.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                      \
  do {                                                                   \
    hipError_t error = (call);                                           \
    if (error != hipSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error)); \
      std::exit(1);                                                      \
    }                                                                    \
  } while (0)

__global__ void vector_add(const float *a, const float *b, float *sum, int count) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count)
    sum[index] = a[index] + b[index];
}

int main() {
  const int count = 1 << 20;
  const size_t bytes = count * sizeof(float);
  std::vector<float> a(count), b(count), sum(count);
  for (int i = 0; i < count; i++) {
    a[i] = i * 0.5f;
    b[i] = i * 0.25f;
  }
  float *device_a, *device_b, *device_sum;
  CHECK(hipMalloc(&device_a, bytes));
  CHECK(hipMalloc(&device_b, bytes));
  CHECK(hipMalloc(&device_sum, bytes));
  CHECK(hipMemcpy(device_a, a.data(), bytes, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(device_b, b.data(), bytes, hipMemcpyHostToDevice));
  vector_add<<<(count + 255) / 256, 256>>>(device_a, device_b, device_sum, count);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(sum.data(), device_sum, bytes, hipMemcpyDeviceToHost));

  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  for (int i = 0; i < count; i++) {
    if (sum[i] != i * 0.75f) {
      std::printf("wrong at %d: %g instead of %g\n", i, sum[i], i * 0.75f);
      return 1;
    }
  }
  std::printf("%d sums are right on %s (%s)\n", count, properties.name, properties.gcnArchName);
  return 0;
}
