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

// A stream writes a word, and another one waits for it. HIP makes such kernels of hipStreamWriteValue32 and hipStreamWaitValue32.
__global__ void raises(int *flag) { __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM); }

__global__ void adds(int *flag) { __hip_atomic_fetch_add(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM); }

// Each launch takes a place of its own, and does not wait for the other one.
__global__ void takes(int *flag) { flag[1 + atomicAdd(flag, 1)] = 1; }

__device__ void wait_for(int *flag, int value) {
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) < value)
    __builtin_amdgcn_s_sleep(1);
}

__global__ void waits(int *flag, int value) { wait_for(flag, value); }

__global__ void waits_and_reads(int *flag, const int *data, int *out) {
  wait_for(flag, 1);
  out[threadIdx.x] = data[threadIdx.x];
}

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
  int *flag = data + 1000;
  if (mode == "flag" || mode == "flag-elsewhere")
    raises<<<1, 1, 0, one>>>(flag);
  if (mode == "flag" && other != "waits-and-reads")
    waits<<<1, 1, 0, stream>>>(flag, 1);
  if (mode == "flag-elsewhere")
    waits<<<1, 1, 0, three>>>(flag, 1);
  if (mode == "slots") {
    takes<<<1, 1, 0, one>>>(flag);
    takes<<<1, 1, 0, stream>>>(flag);
  }
  // The last one that adds to the word is of a stream that has done nothing else.
  if (mode == "count") {
    adds<<<1, 1, 0, one>>>(flag);
    waits<<<1, 1, 0, three>>>(flag, 1);
    adds<<<1, 1, 0, three>>>(flag);
    waits<<<1, 1, 0, stream>>>(flag, 2);
  }
  int *its = mode == "apart" ? data + 512 : data;
  if (mode == "chain")
    counts<<<1, 1, 0, stream>>>(data + 900);
  if (mode == "chain-elsewhere")
    counts<<<1, 1, 0, three>>>(data + 900);
  if (other == "reads")
    reads<<<1, 64, 0, stream>>>(its, data + 256);
  else if (other == "waits-and-reads")
    waits_and_reads<<<1, 64, 0, stream>>>(flag, its, data + 256);
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
