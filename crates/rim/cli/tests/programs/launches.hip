// Launches that access the same memory, with nothing between them that puts them in order, and right twins.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>

#define HIP(call)                           \
  do {                                      \
    if ((call) != hipSuccess)               \
      return std::printf("%s\n", #call), 1; \
  } while (0)

// Ends when the host says so: by then it has launched the others.
__global__ void writes(int *data, volatile int *go) {
  while (!*go)
    __builtin_amdgcn_s_sleep(1);
  data[threadIdx.x] = threadIdx.x + 1;
}

__global__ void reads(const int *data, int *out) { out[threadIdx.x] = data[threadIdx.x]; }

__global__ void overwrites(int *data) { data[threadIdx.x] = 7; }

__global__ void counts(int *data) { atomicAdd(data, 1); }

int main(int, char **arguments) {
  std::string mode = arguments[1], other = arguments[2];
  int *data, *go;
  HIP(hipMalloc(&data, 4096));
  HIP(hipMemset(data, 0, 4096));
  HIP(hipHostMalloc(&go, 64));
  *go = 0;
  hipStream_t one, two, three;
  // A stream that does not block does not wait for the null stream, nor the null stream for it.
  HIP(hipStreamCreateWithFlags(&one, mode == "null-blocking" ? hipStreamDefault : hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&two, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&three, hipStreamNonBlocking));
  hipEvent_t event;
  HIP(hipEventCreate(&event));
  HIP(hipDeviceSynchronize());
  if (mode == "early-event") {
    HIP(hipEventRecord(event, one));
  }
  writes<<<1, 64, 0, one>>>(data, go);
  if (mode == "event" || mode == "chain" || mode == "wait-elsewhere" || mode == "chain-elsewhere")
    HIP(hipEventRecord(event, one));
  if (mode == "event-elsewhere")
    HIP(hipEventRecord(event, three));
  hipStream_t stream = mode == "same-stream" ? one : two;
  if (mode == "null" || mode == "null-blocking")
    stream = nullptr;
  // The third stream waits for the kernel, and the second one for the third.
  if (mode == "through") {
    HIP(hipEventRecord(event, one));
    HIP(hipStreamWaitEvent(three, event, 0));
    counts<<<1, 1, 0, three>>>(data + 800);
    hipEvent_t later;
    HIP(hipEventCreate(&later));
    HIP(hipEventRecord(later, three));
    HIP(hipStreamWaitEvent(stream, later, 0));
  }
  if (mode == "event" || mode == "early-event" || mode == "event-elsewhere" || mode == "chain")
    HIP(hipStreamWaitEvent(stream, event, 0));
  if (mode == "wait-elsewhere" || mode == "chain-elsewhere")
    HIP(hipStreamWaitEvent(three, event, 0));
  if (mode == "host-elsewhere")
    HIP(hipStreamSynchronize(two));
  if (mode == "host") {
    *const_cast<volatile int *>(go) = 1;
    HIP(hipStreamSynchronize(one));
  }
  int *its = mode == "apart" ? data + 512 : data;
  if (mode == "chain")
    counts<<<1, 1, 0, stream>>>(data + 900);
  if (mode == "chain-elsewhere")
    counts<<<1, 1, 0, three>>>(data + 900);
  if (other == "reads")
    reads<<<1, 64, 0, stream>>>(its, data + 256);
  else if (other == "overwrites")
    overwrites<<<1, 64, 0, stream>>>(its);
  else if (other == "fills")
    HIP(hipMemsetAsync(its, 0, 256, stream));
  else if (other == "copies")
    HIP(hipMemcpyAsync(data + 256, its, 256, hipMemcpyDeviceToDevice, stream));
  else if (other == "same")
    writes<<<1, 64, 0, stream>>>(its, go);
  else
    counts<<<1, 1, 0, stream>>>(its);
  *const_cast<volatile int *>(go) = 1;
  HIP(hipDeviceSynchronize());
  std::puts("done");
}
