// Memory that functions of HIP have written: a kernel then branches on each of its words. "nothing" leaves it as hipMalloc gives it.
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
static bool is(const char *name) { return !strcmp(mode, name); }

constexpr int WIDTH = 64, HEIGHT = 16, COUNT = WIDTH * HEIGHT;
constexpr size_t BYTES = COUNT * sizeof(int), ROW = WIDTH * sizeof(int);

__global__ void count_odd(const int *numbers, int *odd) {
  if (numbers[blockIdx.x * blockDim.x + threadIdx.x] & 1)
    atomicAdd(odd, 1);
}

static void by_descriptor(int *to, int *from) {
  hipMemcpy3DParms box = {};
  box.srcPtr = make_hipPitchedPtr(from, ROW, WIDTH, HEIGHT);
  box.dstPtr = make_hipPitchedPtr(to, ROW, WIDTH, HEIGHT);
  box.extent = make_hipExtent(ROW, HEIGHT, 1);
  box.kind = hipMemcpyHostToDevice;
  hip_Memcpy2D plane = {};
  plane.srcMemoryType = hipMemoryTypeHost;
  plane.srcHost = from;
  plane.srcPitch = ROW;
  plane.dstMemoryType = hipMemoryTypeDevice;
  plane.dstDevice = to;
  plane.dstPitch = ROW;
  plane.WidthInBytes = ROW;
  plane.Height = HEIGHT;
  if (is("copy-3d"))
    MUST(hipMemcpy3D(&box));
  if (is("copy-3d-async"))
    MUST(hipMemcpy3DAsync(&box, nullptr));
  if (is("copy-param"))
    MUST(hipMemcpyParam2D(&plane));
  if (is("copy-param-async"))
    MUST(hipMemcpyParam2DAsync(&plane, nullptr));
  if (is("set-3d"))
    MUST(hipMemset3D(make_hipPitchedPtr(to, ROW, ROW, HEIGHT), 3, make_hipExtent(ROW, HEIGHT, 1)));
}

static void by_graph(int *to, int *from) {
  hipStream_t stream;
  MUST(hipStreamCreate(&stream));
  hipGraph_t graph;
  MUST(hipGraphCreate(&graph, 0));
  hipMemcpy3DParms box = {};
  box.srcPtr = make_hipPitchedPtr(from, ROW, WIDTH, HEIGHT);
  box.dstPtr = make_hipPitchedPtr(to, ROW, WIDTH, HEIGHT);
  box.extent = make_hipExtent(ROW, HEIGHT, 1);
  box.kind = hipMemcpyHostToDevice;
  hipGraphNode_t node;
  MUST(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &box));
  hipGraphExec_t ready;
  MUST(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
  MUST(hipGraphLaunch(ready, stream));
  MUST(hipStreamSynchronize(stream));
}

static void by_array(int *to, int *from) {
  hipArray *array;
  hipChannelFormatDesc integers = hipCreateChannelDesc<int>();
  MUST(hipMallocArray(&array, &integers, WIDTH, HEIGHT, 0));
  MUST(hipMemcpy2DToArray(array, 0, 0, from, ROW, ROW, HEIGHT, hipMemcpyHostToDevice));
  MUST(hipMemcpy2DFromArray(to, ROW, array, 0, 0, ROW, HEIGHT, hipMemcpyDeviceToDevice));
}

int main(int, char **arguments) {
  mode = arguments[1];
  int *numbers, *other, *odd;
  int *host = (int *)malloc(BYTES);
  for (int i = 0; i < COUNT; i++)
    host[i] = i;
  MUST(hipMalloc(&numbers, BYTES));
  MUST(hipMalloc(&other, BYTES));
  MUST(hipMalloc(&odd, sizeof *odd));
  MUST(hipMemset(odd, 0, sizeof *odd));
  if (is("copy"))
    MUST(hipMemcpy(numbers, host, BYTES, hipMemcpyHostToDevice));
  if (is("copy-any"))
    MUST(hipMemcpy(numbers, host, BYTES, hipMemcpyDefault));
  if (is("copy-async"))
    MUST(hipMemcpyAsync(numbers, host, BYTES, hipMemcpyHostToDevice, nullptr));
  if (is("copy-stream"))
    MUST(hipMemcpyWithStream(numbers, host, BYTES, hipMemcpyHostToDevice, nullptr));
  if (is("copy-htod"))
    MUST(hipMemcpyHtoD(numbers, host, BYTES));
  if (is("copy-2d"))
    MUST(hipMemcpy2D(numbers, ROW, host, ROW, ROW, HEIGHT, hipMemcpyHostToDevice));
  if (is("copy-2d-async"))
    MUST(hipMemcpy2DAsync(numbers, ROW, host, ROW, ROW, HEIGHT, hipMemcpyHostToDevice, nullptr));
  if (is("copy-twice") || is("copy-nothing")) {
    if (is("copy-twice"))
      MUST(hipMemcpy(other, host, BYTES, hipMemcpyHostToDevice));
    MUST(hipMemcpy(numbers, other, BYTES, hipMemcpyDeviceToDevice));
  }
  if (is("set"))
    MUST(hipMemset(numbers, 1, BYTES));
  if (is("set-async"))
    MUST(hipMemsetAsync(numbers, 1, BYTES, nullptr));
  if (is("set-8"))
    MUST(hipMemsetD8(numbers, 1, BYTES));
  if (is("set-16"))
    MUST(hipMemsetD16(numbers, 1, BYTES / 2));
  if (is("set-32"))
    MUST(hipMemsetD32(numbers, 1, COUNT));
  if (is("set-8-async"))
    MUST(hipMemsetD8Async(numbers, 1, BYTES, nullptr));
  if (is("set-16-async"))
    MUST(hipMemsetD16Async(numbers, 1, BYTES / 2, nullptr));
  if (is("set-32-async"))
    MUST(hipMemsetD32Async(numbers, 1, COUNT, nullptr));
  if (is("set-2d"))
    MUST(hipMemset2D(numbers, ROW, 1, ROW, HEIGHT));
  if (is("set-2d-async"))
    MUST(hipMemset2DAsync(numbers, ROW, 1, ROW, HEIGHT, nullptr));
  by_descriptor(numbers, host);
  if (is("graph"))
    by_graph(numbers, host);
  if (is("array"))
    by_array(numbers, host);
  MUST(hipDeviceSynchronize());
  count_odd<<<HEIGHT, WIDTH>>>(numbers, odd);
  MUST(hipDeviceSynchronize());
  puts("done");
}
