// Memory that the first call of HIP gives: a kernel then branches on each of its words, which "-ok" has set before. As a library, the
// program does the same when it is opened.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

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

constexpr size_t COUNT = 64, BYTES = COUNT * sizeof(int);

__device__ int variable[COUNT];

__global__ void count_odd(const int *numbers, int *odd) {
  if (numbers[threadIdx.x] & 1)
    atomicAdd(odd, 1);
}

static int *first_given(const std::string &mode) {
  void *given = nullptr;
  size_t pitch;
  hipPitchedPtr plane;
  if (mode == "device")
    MUST(hipMalloc(&given, BYTES));
  if (mode == "flags")
    MUST(hipExtMallocWithFlags(&given, BYTES, hipDeviceMallocDefault));
  // HIP 5 itself crashes at this as its first call.
  if (mode == "stream")
    MUST(HIP_VERSION_MAJOR < 6 ? hipErrorNotSupported : hipMallocAsync(&given, BYTES, nullptr));
  if (mode == "pitched")
    MUST(hipMallocPitch(&given, &pitch, BYTES, 4));
  if (mode == "planes") {
    MUST(hipMalloc3D(&plane, make_hipExtent(BYTES, 2, 2)));
    given = plane.ptr;
  }
  if (mode == "managed")
    MUST(hipMallocManaged(&given, BYTES));
  if (mode == "pinned")
    MUST(hipHostMalloc(&given, BYTES, 0));
  if (mode == "variable")
    MUST(hipGetSymbolAddress(&given, HIP_SYMBOL(variable)));
  return (int *)given;
}

extern "C" void run(const char *name) {
  std::string mode = name;
  if (mode == "nothing") {
    MUST(hipFree(nullptr));
    return;
  }
  bool right = mode.size() > 3 && mode.substr(mode.size() - 3) == "-ok";
  int *numbers = first_given(right ? mode.substr(0, mode.size() - 3) : mode);
  int *odd;
  MUST(hipMalloc(&odd, sizeof *odd));
  MUST(hipMemset(odd, 0, sizeof *odd));
  if (right)
    MUST(hipMemset(numbers, 1, BYTES));
  count_odd<<<1, COUNT>>>(numbers, odd);
  MUST(hipDeviceSynchronize());
  puts("done");
}

int main(int, char **arguments) { run(arguments[1]); }
