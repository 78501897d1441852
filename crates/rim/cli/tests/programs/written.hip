// Memory that functions of HIP have written: a kernel then branches on each of its words. "nothing" leaves it as hipMalloc gives it, and a
// name that ends with "-less" leaves the last row.
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

static std::string mode;
static bool is(const char *name) { return mode == name; }

constexpr int WIDTH = 64, HEIGHT = 16, COUNT = WIDTH * HEIGHT;
constexpr size_t BYTES = COUNT * sizeof(int), ROW = WIDTH * sizeof(int);
// Rows that are written.
static size_t rows = HEIGHT;

__global__ void count_odd(const int *numbers, int *odd) {
  if (numbers[blockIdx.x * blockDim.x + threadIdx.x] & 1)
    atomicAdd(odd, 1);
}

// Two planes of rows with nothing between them, or as many as there are.
static hipMemcpy3DParms box_of(int *to, int *from, hipMemcpyKind kind) {
  size_t planes = rows == HEIGHT ? 2 : 1, height = rows / planes;
  hipMemcpy3DParms box = {};
  box.srcPtr = make_hipPitchedPtr(from, ROW, WIDTH, height);
  box.dstPtr = make_hipPitchedPtr(to, ROW, WIDTH, height);
  box.extent = make_hipExtent(ROW, height, planes);
  box.kind = kind;
  return box;
}

static HIP_MEMCPY3D driver_box_of(int *to, int *from) {
  size_t planes = rows == HEIGHT ? 2 : 1, height = rows / planes;
  HIP_MEMCPY3D box = {};
  box.srcMemoryType = hipMemoryTypeHost;
  box.srcHost = from;
  box.srcPitch = ROW;
  box.srcHeight = height;
  box.dstMemoryType = hipMemoryTypeDevice;
  box.dstDevice = to;
  box.dstPitch = ROW;
  box.dstHeight = height;
  box.WidthInBytes = ROW;
  box.Height = height;
  box.Depth = planes;
  return box;
}

static void by_descriptor(int *to, int *from, int *other) {
  hipMemcpy3DParms box = box_of(to, from, hipMemcpyHostToDevice);
  hip_Memcpy2D plane = {};
  plane.srcMemoryType = hipMemoryTypeHost;
  plane.srcHost = from;
  plane.srcPitch = ROW;
  plane.dstMemoryType = hipMemoryTypeDevice;
  plane.dstDevice = to;
  plane.dstPitch = ROW;
  plane.WidthInBytes = ROW;
  plane.Height = rows;
  if (is("copy-3d-twice") || is("copy-3d-nothing")) {
    if (is("copy-3d-twice"))
      MUST(hipMemset(other, 1, BYTES));
    box = box_of(to, other, hipMemcpyDeviceToDevice);
    MUST(hipMemcpy3D(&box));
  }
  if (is("copy-3d"))
    MUST(hipMemcpy3D(&box));
  if (is("copy-3d-async"))
    MUST(hipMemcpy3DAsync(&box, nullptr));
  if (is("copy-param"))
    MUST(hipMemcpyParam2D(&plane));
  if (is("copy-param-async"))
    MUST(hipMemcpyParam2DAsync(&plane, nullptr));
  HIP_MEMCPY3D driver = driver_box_of(to, from);
  if (is("copy-driver-nothing")) {
    driver.srcMemoryType = hipMemoryTypeDevice;
    driver.srcDevice = other;
  }
  if (is("copy-driver") || is("copy-driver-nothing"))
    MUST(hipDrvMemcpy3D(&driver));
  if (is("copy-driver-async"))
    MUST(hipDrvMemcpy3DAsync(&driver, nullptr));
  if (is("set-3d"))
    MUST(hipMemset3D(make_hipPitchedPtr(to, ROW, ROW, HEIGHT), 3, make_hipExtent(ROW, rows, 1)));
}

static void by_driver_node(hipGraph_t graph, int *to, int *from, int *other) {
#if HIP_VERSION_MAJOR >= 7 || HIP_VERSION_MAJOR == 6 && HIP_VERSION_MINOR >= 3
#if HIP_VERSION_MAJOR >= 7
  hipMemsetParams set = {};
#else
  HIP_MEMSET_NODE_PARAMS set = {};
#endif
  set.dst = (decltype(set.dst))to;
  set.elementSize = 4;
  set.width = WIDTH;
  set.pitch = ROW;
  set.height = rows;
  HIP_MEMCPY3D box = driver_box_of(to, from);
  if (is("graph-driver-nothing")) {
    box.srcMemoryType = hipMemoryTypeDevice;
    box.srcDevice = other;
  }
  hipCtx_t context;
  MUST(hipCtxCreate(&context, 0, 0));
  hipGraphNode_t node;
  if (is("graph-driver-set"))
    MUST(hipDrvGraphAddMemsetNode(&node, graph, nullptr, 0, &set, context));
  else
    MUST(hipDrvGraphAddMemcpyNode(&node, graph, nullptr, 0, &box, context));
#else
  MUST(hipErrorNotSupported);
#endif
}

static void by_graph(int *to, int *from, int *other) {
  hipStream_t stream;
  MUST(hipStreamCreate(&stream));
  hipGraph_t graph;
  hipMemsetParams set = {};
  set.dst = to;
  set.elementSize = 4;
  set.width = WIDTH;
  set.pitch = ROW;
  set.height = rows;
  if (is("graph-recorded")) {
    MUST(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    MUST(hipMemcpyAsync(to, from, rows * ROW, hipMemcpyHostToDevice, stream));
    MUST(hipStreamEndCapture(stream, &graph));
  } else {
    MUST(hipGraphCreate(&graph, 0));
  }
  hipGraphNode_t node;
  hipMemcpy3DParms box = box_of(to, from, hipMemcpyHostToDevice);
  if (is("graph-box"))
    MUST(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &box));
  if (is("graph-copy"))
    MUST(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to, from, rows * ROW, hipMemcpyHostToDevice));
  if (is("graph-nothing"))
    MUST(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to, other, BYTES, hipMemcpyDeviceToDevice));
  if (is("graph-set"))
    MUST(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &set));
  if (mode.substr(0, 10) == "graph-node") {
#if HIP_VERSION_MAJOR >= 7 || HIP_VERSION_MAJOR == 6 && HIP_VERSION_MINOR >= 2
    hipGraphNodeParams what = {};
    what.type = is("graph-node-set") ? hipGraphNodeTypeMemset : hipGraphNodeTypeMemcpy;
    if (is("graph-node-set"))
      what.memset = set;
    else
      what.memcpy.copyParams = is("graph-node-nothing") ? box_of(to, other, hipMemcpyDeviceToDevice) : box;
    MUST(hipGraphAddNode(&node, graph, nullptr, 0, &what));
#else
    MUST(hipErrorNotSupported);
#endif
  }
  if (mode.substr(0, 12) == "graph-driver")
    by_driver_node(graph, to, from, other);
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
  MUST(hipMemcpy2DFromArray(to, ROW, array, 0, 0, ROW, rows, hipMemcpyDeviceToDevice));
}

int main(int, char **arguments) {
  mode = arguments[1];
  if (mode.size() > 5 && mode.substr(mode.size() - 5) == "-less") {
    mode.resize(mode.size() - 5);
    rows = HEIGHT - 1;
  }
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
    MUST(hipMemcpy2D(numbers, ROW, host, ROW, ROW, rows, hipMemcpyHostToDevice));
  if (is("copy-2d-async"))
    MUST(hipMemcpy2DAsync(numbers, ROW, host, ROW, ROW, rows, hipMemcpyHostToDevice, nullptr));
  if (is("copy-twice") || is("copy-nothing")) {
    if (is("copy-twice"))
      MUST(hipMemcpy(other, host, BYTES, hipMemcpyHostToDevice));
    MUST(hipMemcpy(numbers, other, BYTES, hipMemcpyDeviceToDevice));
  }
  // Rows of which the first alone is set, so that a row must not take the bits of the first.
  if (is("rows-nothing") || is("rows-twice")) {
    MUST(hipMemset(other, 1, is("rows-twice") ? BYTES : ROW));
    MUST(hipMemcpy2D(numbers, ROW, other, ROW, ROW, HEIGHT, hipMemcpyDefault));
  }
  // The host writes a signal by itself.
  bool eight = is("signal") || is("no-signal");
  if (eight)
    MUST(hipExtMallocWithFlags((void **)&numbers, 8, is("signal") ? hipMallocSignalMemory : hipDeviceMallocDefault));
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
  by_descriptor(numbers, host, other);
  if (mode.substr(0, 5) == "graph")
    by_graph(numbers, host, other);
  if (is("array"))
    by_array(numbers, host);
  MUST(hipDeviceSynchronize());
  count_odd<<<eight ? 1 : HEIGHT, eight ? 2 : WIDTH>>>(numbers, odd);
  MUST(hipDeviceSynchronize());
  puts("done");
}
