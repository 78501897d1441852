// Memory that HIP keeps for a texture when the program frees it, and its twins, whose names end in -ok.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)          \
  if ((call) != hipSuccess) \
  exit(4)

constexpr int COUNT = 64;

__global__ void fetch(hipTextureObject_t from, float *out) { out[threadIdx.x] = tex1Dfetch<float>(from, threadIdx.x); }
__global__ void sample(hipTextureObject_t from, float *out) { out[threadIdx.x] = tex2D<float>(from, threadIdx.x + 0.5f, 0.5f); }

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  auto is = [&](const char *name) { return !strncmp(mode, name, strlen(name)); };
  bool right = strstr(mode, "-ok");
  float numbers[COUNT] = {1}, *out = nullptr;
  MUST(hipMalloc(&out, sizeof numbers));
  hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipResourceDesc resource = {};
  hipTextureDesc description = {};
  description.readMode = hipReadModeElementType;
  hipTextureObject_t texture = {};
  if (is("memory")) {
    float *memory = nullptr;
    MUST(hipMalloc(&memory, sizeof numbers));
    MUST(hipMemcpy(memory, numbers, sizeof numbers, hipMemcpyHostToDevice));
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = sizeof numbers;
    MUST(hipCreateTextureObject(&texture, &resource, &description, nullptr));
    if (!right)
      MUST(hipFree(memory));
    fetch<<<1, COUNT>>>(texture, out);
  }
  if (is("array")) {
    hipArray_t array = nullptr;
    MUST(hipMallocArray(&array, &format, COUNT, 1, 0));
    MUST(hipMemcpy2DToArray(array, 0, 0, numbers, sizeof numbers, sizeof numbers, 1, hipMemcpyHostToDevice));
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    MUST(hipCreateTextureObject(&texture, &resource, &description, nullptr));
    if (!right)
      MUST(hipFreeArray(array));
    sample<<<1, COUNT>>>(texture, out);
  }
  bool passed = hipMemcpy(numbers, out, sizeof numbers, hipMemcpyDeviceToHost) == hipSuccess && numbers[0] == 1;
  puts(passed ? "done" : "failed");
  return passed ? 0 : 3;
}
