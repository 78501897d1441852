// A kernel in a graph that allocates memory and frees it, and its twins, whose names end in -ok.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)          \
  if ((call) != hipSuccess) \
  exit(4)

__global__ void put(char *to, long at) { to[at] = 7; }

int main(int count, char **arguments) {
#if HIP_VERSION < 50300000
  puts("no such nodes");
  return 0;
#else
  const char *mode = count > 1 ? arguments[1] : "";
  auto is = [&](const char *name) { return !strncmp(mode, name, strlen(name)); };
  bool right = strstr(mode, "-ok");
  hipGraph_t graph = nullptr;
  MUST(hipGraphCreate(&graph, 0));
  hipMemAllocNodeParams memory = {};
  memory.poolProps.allocType = hipMemAllocationTypePinned;
  memory.poolProps.location.type = hipMemLocationTypeDevice;
  memory.bytesize = 1000;
  hipGraphNode_t allocates, puts_there, frees, late;
  MUST(hipGraphAddMemAllocNode(&allocates, graph, nullptr, 0, &memory));
  char *to = (char *)memory.dptr;
  long at = is("end") ? (right ? 999 : 1000) : 8;
  void *values[] = {&to, &at};
  hipKernelNodeParams launch = {};
  launch.func = (void *)put;
  launch.gridDim = launch.blockDim = dim3(1);
  launch.kernelParams = values;
  MUST(hipGraphAddKernelNode(&puts_there, graph, &allocates, 1, &launch));
  MUST(hipGraphAddMemFreeNode(&frees, graph, &puts_there, 1, to));
  if (is("freed") && !right)
    MUST(hipGraphAddKernelNode(&late, graph, &frees, 1, &launch));
  hipGraphExec_t made = nullptr;
  hipStream_t stream = nullptr;
  MUST(hipStreamCreate(&stream));
  MUST(hipGraphInstantiate(&made, graph, nullptr, nullptr, 0));
  bool passed = true;
  for (int i = 0; i < 2; i++) {
    passed = passed && hipGraphLaunch(made, stream) == hipSuccess;
    passed = passed && hipStreamSynchronize(stream) == hipSuccess;
  }
  puts(passed ? "done" : "failed");
  return passed ? 0 : 3;
#endif
}
