// HIP without its headers: what clang needs of them to call a kernel, which this program never does.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

struct dim3 {
  unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *) { return 0; }
extern "C" int __hipPushCallConfiguration(dim3, dim3, unsigned long, void *) { return 0; }
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *) { return 0; }
extern "C" void **__hipRegisterFatBinary(const void *) { return nullptr; }
extern "C" void __hipUnregisterFatBinary(void **) {}
extern "C" int __hipRegisterFunction(void **, const void *, char *, const char *, unsigned, void *, void *, void *, void *, int *) {
  return 0;
}

__device__ float fused(float a, float b, float c) { return a * b + c; }
__global__ void kernel(float *out) {
  for (int i = 0; i < 10; i++)
    out[i] = fused(out[i], 2, 1);
}

float apart(float a, float b, float c) { return a * b + c; }
int main() {
  float sum = 0;
  for (int i = 0; i < 10; i++)
    sum = apart(sum, 2, 1);
  return sum != 1023;
}
