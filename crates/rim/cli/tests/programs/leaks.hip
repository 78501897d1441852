// Memory that is not freed: each mode leaves as much as its line in leaks.rs says. With a second argument, the program frees it.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)                                                \
  do {                                                            \
    hipError_t answer = (call);                                   \
    if (answer == hipErrorNotSupported) {                         \
      puts("not supported");                                      \
      exit(0);                                                    \
    }                                                             \
    if (answer != hipSuccess) {                                   \
      printf("line %d: %s\n", __LINE__, hipGetErrorName(answer)); \
      exit(4);                                                    \
    }                                                             \
  } while (0)

static const char *mode = "";
static bool frees;

static bool is(const char *name) { return !strcmp(mode, name); }

__global__ void use(int *numbers) {
  __shared__ int all[64];
  all[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (all[63 - threadIdx.x] & 1)
    numbers[threadIdx.x] = all[threadIdx.x ^ 1];
}

__attribute__((noinline)) void *make(size_t size) {
  void *memory;
  MUST(hipMalloc(&memory, size));
  return memory;
}

static void of_streams() {
  hipStream_t stream;
  MUST(hipStreamCreate(&stream));
  void *first, *second;
  if (is("async")) {
    MUST(hipMallocAsync(&first, 55, stream));
    MUST(hipMallocAsync(&second, 66, stream));
    MUST(hipFreeAsync(second, stream));
    if (frees)
      MUST(hipFreeAsync(first, stream));
  } else {
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    hipMemPool_t pool;
    MUST(hipMemPoolCreate(&pool, &properties));
    MUST(hipMallocFromPoolAsync(&first, 500, pool, stream));
    MUST(hipStreamSynchronize(stream));
    if (frees)
      MUST(hipFreeAsync(first, stream));
  }
  MUST(hipStreamSynchronize(stream));
}

static void arrays() {
  hipArray *array;
  hipChannelFormatDesc floats = hipCreateChannelDesc<float>();
  MUST(hipMallocArray(&array, &floats, 16, 16, 0));
  if (frees)
    MUST(hipFreeArray(array));
}

int main(int count, char **arguments) {
  mode = arguments[1];
  frees = count > 2;
  void *memory = nullptr;
  if (is("many")) {
    for (int i = 0; i < 10; i++) {
      memory = make(100 + i);
      if (frees || i == 4)
        MUST(hipFree(memory));
    }
  }
  if (is("two-places")) {
    void *first = make(8), *second;
    MUST(hipMalloc(&second, 9));
    if (frees)
      MUST(hipFree(first));
    if (frees)
      MUST(hipFree(second));
  }
  if (is("exit") || is("quick") || is("killed") || is("reset")) {
    memory = make(40);
    if (frees)
      MUST(hipFree(memory));
    if (is("reset"))
      MUST(hipDeviceReset());
    if (is("exit"))
      exit(3);
    if (is("quick"))
      _Exit(3);
    if (is("killed"))
      abort();
  }
  if (is("pinned")) {
    MUST(hipHostMalloc(&memory, 77, 0));
    if (frees)
      MUST(hipHostFree(memory));
  }
  if (is("managed")) {
    MUST(hipMallocManaged(&memory, 78, hipMemAttachGlobal));
    if (frees)
      MUST(hipFree(memory));
  }
  if (is("pitched")) {
    size_t pitch;
    MUST(hipMallocPitch(&memory, &pitch, 100, 3));
    if (frees)
      MUST(hipFree(memory));
  }
  if (is("registered")) {
    memory = malloc(4096);
    MUST(hipHostRegister(memory, 4096, 0));
    if (frees)
      MUST(hipHostUnregister(memory));
  }
  if (is("used")) {
    memory = make(256);
    use<<<1, 64>>>((int *)memory);
    MUST(hipDeviceSynchronize());
    if (frees)
      MUST(hipFree(memory));
  }
  if (is("array"))
    arrays();
  if (is("async") || is("pool"))
    of_streams();
  puts("done");
}
