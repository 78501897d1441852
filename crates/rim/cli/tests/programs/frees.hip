// Wrong frees, and their twins, whose names end in -ok: with the first, HIP's answer to the wrong call.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)                                                \
  do {                                                            \
    hipError_t answer = (call);                                   \
    if (answer != hipSuccess) {                                   \
      printf("line %d: %s\n", __LINE__, hipGetErrorName(answer)); \
      exit(4);                                                    \
    }                                                             \
  } while (0)

static const char *mode = "";
static bool right;

static bool is(const char *name) {
  size_t length = strlen(name);
  return !strncmp(mode, name, length) && (!mode[length] || !strcmp(mode + length, "-ok"));
}

// The call that is one too many, or wrong in another way.
static void wrong(hipError_t answer) {
  printf("refused %d, last error %d\n", answer != hipSuccess, hipGetLastError() == answer);
  if (answer == hipSuccess)
    exit(5);
}

static void arrays() {
  hipArray *array = nullptr;
  hipChannelFormatDesc floats = hipCreateChannelDesc<float>();
  if (is("array-twice"))
    MUST(hipMallocArray(&array, &floats, 16, 16, 0));
  if (is("array-3d-twice"))
    MUST(hipMalloc3DArray(&array, &floats, make_hipExtent(8, 8, 8), 0));
  if (is("array-destroyed-twice")) {
    HIP_ARRAY_DESCRIPTOR description = {};
    description.Width = 16, description.Height = 16, description.NumChannels = 1;
    description.Format = HIP_AD_FORMAT_FLOAT;
    MUST(hipArrayCreate(&array, &description));
  }
  if (array) {
    MUST(hipFreeArray(array));
    if (!right)
      wrong(is("array-destroyed-twice") ? hipArrayDestroy(array) : hipFreeArray(array));
  }
  if (is("levels-twice")) {
    hipMipmappedArray_t levels = nullptr;
    hipError_t made = hipMallocMipmappedArray(&levels, &floats, make_hipExtent(16, 16, 0), 3, 0);
    if (made == hipErrorNotSupported) {
      puts("not supported");
      exit(0);
    }
    MUST(made);
    MUST(hipFreeMipmappedArray(levels));
    if (!right)
      wrong(hipFreeMipmappedArray(levels));
  }
}

static void ordered(hipStream_t stream) {
  char *memory = nullptr;
  if (is("async-twice") || is("async-then-free") || is("free-then-async")) {
    MUST(hipMallocAsync((void **)&memory, 1000, stream));
    MUST(is("free-then-async") ? hipFree(memory) : hipFreeAsync(memory, stream));
    if (!right)
      wrong(is("async-then-free") ? hipFree(memory) : hipFreeAsync(memory, stream));
  }
  if (is("async-inside")) {
    MUST(hipMallocAsync((void **)&memory, 1000, stream));
    if (!right)
      wrong(hipFreeAsync(memory + 8, stream));
    MUST(hipFreeAsync(memory, stream));
  }
  MUST(hipStreamSynchronize(stream));
}

static void kinds() {
  char *memory = nullptr;
  if (is("twice") || is("inside") || is("host-free-of-device")) {
    MUST(hipMalloc((void **)&memory, 1000));
    if (is("inside") && !right)
      wrong(hipFree(memory + 8));
    if (is("host-free-of-device") && !right)
      wrong(hipHostFree(memory));
    MUST(hipFree(memory));
    if (is("twice") && !right)
      wrong(hipFree(memory));
  }
  if (is("free-of-pinned") || is("pinned-twice")) {
    MUST(hipHostMalloc((void **)&memory, 1000, 0));
    if (is("free-of-pinned") && !right)
      wrong(hipFree(memory));
    MUST(hipHostFree(memory));
    if (is("pinned-twice") && !right)
      wrong(hipHostFree(memory));
  }
  if (is("managed-twice")) {
    MUST(hipMallocManaged((void **)&memory, 1000));
    MUST(hipFree(memory));
    if (!right)
      wrong(hipFree(memory));
  }
  if (is("pitched-twice")) {
    size_t pitch = 0;
    MUST(hipMallocPitch((void **)&memory, &pitch, 100, 3));
    MUST(hipFree(memory));
    if (!right)
      wrong(hipFree(memory));
  }
  if (is("unregistered-twice") || is("free-of-registered")) {
    memory = (char *)aligned_alloc(4096, 4096);
    MUST(hipHostRegister(memory, 1000, 0));
    if (is("free-of-registered") && !right)
      wrong(hipFree(memory));
    MUST(hipHostUnregister(memory));
    if (is("unregistered-twice") && !right)
      wrong(hipHostUnregister(memory));
  }
}

// Addresses that come back, memory that several functions may free, arrays at the place of others, and graphs.
static void legal(hipStream_t stream) {
  char *memory = nullptr;
  for (int round = 0; round < 40; round++) {
    MUST(hipMallocAsync((void **)&memory, 1000 + 7 * round, stream));
    MUST(round % 3 ? hipFreeAsync(memory, stream) : hipFree(memory));
    MUST(hipMalloc((void **)&memory, 1000 + 7 * round));
    MUST(round % 3 ? hipFree(memory) : hipFreeAsync(memory, stream));
    MUST(hipHostMalloc((void **)&memory, 100, 0));
    MUST(round % 3 ? hipHostFree(memory) : hipFreeHost(memory));
    hipArray *array = nullptr;
    hipChannelFormatDesc floats = hipCreateChannelDesc<float>();
    MUST(hipMallocArray(&array, &floats, 4 + round, 4, 0));
    MUST(hipFreeArray(array));
  }
  MUST(hipFree(nullptr));
  MUST(hipStreamSynchronize(stream));
}

int main(int count, char **arguments) {
  mode = count > 1 ? arguments[1] : "";
  right = strstr(mode, "-ok");
  hipStream_t stream = nullptr;
  MUST(hipStreamCreate(&stream));
  int *other = nullptr, value = 0;
  MUST(hipMalloc((void **)&other, 4));
  MUST(hipMemset(other, 1, 4));
  arrays();
  ordered(stream);
  kinds();
  if (is("legal"))
    legal(stream);
  // Memory that was not freed is as it was, and new memory is elsewhere.
  char *fresh[8];
  for (char *&one : fresh) {
    MUST(hipMallocAsync((void **)&one, 1000, stream));
    MUST(hipMemsetAsync(one, 7, 1000, stream));
  }
  for (char *one : fresh)
    for (char *two : fresh)
      if (one != two && one < two + 1000 && two < one + 1000)
        return puts("two blocks in one place"), 6;
  MUST(hipMemcpy(&value, other, 4, hipMemcpyDeviceToHost));
  if (value != 0x01010101)
    return puts("another block has changed"), 7;
  for (char *one : fresh)
    MUST(hipFreeAsync(one, stream));
  MUST(hipStreamSynchronize(stream));
  puts("done");
}
