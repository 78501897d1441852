// A kernel in a graph that allocates memory and frees it, and its twins, whose names end in -ok.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)          \
  if ((call) != hipSuccess) \
  exit(4)

__global__ void put(char *to, long at) { to[at] = 7; }

static bool launched(hipGraph_t graph, hipStream_t stream) {
  hipGraphExec_t made = nullptr;
  MUST(hipGraphInstantiate(&made, graph, nullptr, nullptr, 0));
  bool passed = true;
  for (int i = 0; i < 2; i++) {
    passed = passed && hipGraphLaunch(made, stream) == hipSuccess;
    passed = passed && hipStreamSynchronize(stream) == hipSuccess;
  }
  return passed;
}

// Nodes that the program adds.
__attribute__((noinline)) static bool added(bool at_end, bool right, hipStream_t stream) {
#if HIP_VERSION < 50300000
  puts("no such nodes");
  exit(0);
#else
  hipGraph_t graph = nullptr;
  MUST(hipGraphCreate(&graph, 0));
  hipMemAllocNodeParams memory = {};
  memory.poolProps.allocType = hipMemAllocationTypePinned;
  memory.poolProps.location.type = hipMemLocationTypeDevice;
  memory.bytesize = 1000;
  hipGraphNode_t allocates, puts_there, frees, late;
  MUST(hipGraphAddMemAllocNode(&allocates, graph, nullptr, 0, &memory));
  char *to = (char *)memory.dptr;
  long at = at_end ? (right ? 999 : 1000) : 8;
  void *values[] = {&to, &at};
  hipKernelNodeParams launch = {};
  launch.func = (void *)put;
  launch.gridDim = launch.blockDim = dim3(1);
  launch.kernelParams = values;
  MUST(hipGraphAddKernelNode(&puts_there, graph, &allocates, 1, &launch));
  MUST(hipGraphAddMemFreeNode(&frees, graph, &puts_there, 1, to));
  if (!at_end && !right)
    MUST(hipGraphAddKernelNode(&late, graph, &frees, 1, &launch));
  return launched(graph, stream);
#endif
}

// Work of a stream, of which HIP makes a graph.
__attribute__((noinline)) static bool recorded(bool right, hipStream_t stream) {
  hipGraph_t graph = nullptr;
  MUST(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  char *to = nullptr;
  MUST(hipMallocAsync((void **)&to, 1000, stream));
  put<<<1, 1, 0, stream>>>(to, right ? 999 : 1000);
  MUST(hipStreamEndCapture(stream, &graph));
  return launched(graph, stream);
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  bool at_end = strstr(mode, "end"), right = strstr(mode, "-ok");
  hipStream_t stream = nullptr;
  MUST(hipStreamCreate(&stream));
  bool passed = strstr(mode, "recorded") ? recorded(right, stream) : added(at_end, right, stream);
  puts(passed ? "done" : "failed");
  return passed ? 0 : 3;
}
