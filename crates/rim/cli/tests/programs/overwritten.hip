// Loads one module after the other from one buffer, and overwrites the buffer before a kernel runs.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef NAME
#define NAME first
#endif

#ifdef PADDING
// More than the tools keep of an image.
__device__ char padding[PADDING] = {1};
#endif

extern "C" __global__ void NAME(int *out, int beyond, bool ok) {
  __shared__ int room[128];
  int i = threadIdx.x;
  room[i] = i;
  if (ok)
    __syncthreads();
  out[i] = room[127 - i + beyond];
}

constexpr size_t LARGEST = 80 << 20;
static char *const image = (char *)malloc(LARGEST);

static void run(const char *file, const char *name, int beyond, bool ok) {
  FILE *from = fopen(file, "rb");
  if (!from || !fread(image, 1, LARGEST, from))
    exit(3);
  fclose(from);
  hipModule_t module;
  hipFunction_t kernel;
  int *out;
  if (hipModuleLoadData(&module, image) != hipSuccess)
    exit(4);
  memset(image, 0xcc, LARGEST);
  if (hipModuleGetFunction(&kernel, module, name) != hipSuccess)
    exit(5);
  (void)hipMalloc(&out, 128 * sizeof(int));
  void *arguments[] = {&out, &beyond, &ok};
  (void)hipModuleLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr);
  (void)hipDeviceSynchronize();
  (void)hipFree(out);
  (void)hipModuleUnload(module);
}

int main(int, char **arguments) {
  const char *mode = arguments[3];
  run(arguments[1], "first", 0, true);
  run(arguments[2], "other", !strcmp(mode, "beyond"), strcmp(mode, "raced"));
  puts("done");
}
