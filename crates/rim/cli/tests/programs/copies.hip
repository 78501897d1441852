// Copies by the device's engines beside kernels and beside each other, with nothing that puts them in order, and right twins.
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#define HIP(call)                           \
  do {                                      \
    if ((call) != hipSuccess)               \
      return std::printf("%s\n", #call), 1; \
  } while (0)

constexpr int COUNT = 4096;

__device__ void wait_for(volatile int *go) {
  while (!*go)
    __builtin_amdgcn_s_sleep(1);
}

__global__ void waits(volatile int *go) { wait_for(go); }

__global__ void reads(const int *data, int *out) { out[threadIdx.x] = data[threadIdx.x]; }

__global__ void writes(int *data) { data[threadIdx.x] = 7; }

__global__ void counts(int *data) { atomicAdd(data, 1); }

// They access the memory first, and last until the host says so.
__global__ void reads_and_lasts(const int *data, int *out, volatile int *begun, volatile int *go) {
  *begun = 1;
  asm volatile("" ::: "memory");
  out[threadIdx.x] = data[threadIdx.x];
  asm volatile("" ::: "memory");
  wait_for(go);
}

__global__ void writes_and_lasts(int *data, volatile int *begun, volatile int *go) {
  *begun = 1;
  asm volatile("" ::: "memory");
  data[threadIdx.x] = threadIdx.x + 1;
  asm volatile("" ::: "memory");
  wait_for(go);
}

// Tells the host, and lasts nevertheless.
__global__ void writes_and_tells(int *data, volatile int *begun, volatile int *go) {
  data[threadIdx.x] = threadIdx.x + 1;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0)
    *begun = 1;
  wait_for(go);
}

// Is told by the host that the copy has come.
__global__ void hears_and_reads(const int *data, int *out, volatile int *begun, volatile int *go) {
  *begun = 1;
  if (threadIdx.x == 0)
    wait_for(go);
  __syncthreads();
  out[threadIdx.x] = data[threadIdx.x];
}

struct Program {
  std::string order;
  int *data, *out, *host, *other;
  volatile int *begun, *go;
  hipStream_t one, two, three;
  hipEvent_t event, later;

  bool is(const char *name) const { return order == name; }

  int set_up() {
    int *flags;
    HIP(hipMalloc(&data, COUNT * 4));
    HIP(hipMalloc(&out, COUNT * 4));
    HIP(hipHostMalloc(&host, COUNT * 4));
    HIP(hipHostMalloc(&other, COUNT * 4));
    HIP(hipHostMalloc(&flags, 4096));
    begun = flags;
    go = flags + 64;
    *begun = *go = 0;
    for (int i = 0; i < COUNT; i++)
      host[i] = i + 3, other[i] = i + 5;
    for (hipStream_t *stream : {&one, &two, &three})
      HIP(hipStreamCreateWithFlags(stream, hipStreamNonBlocking));
    HIP(hipEventCreate(&event));
    HIP(hipEventCreate(&later));
    HIP(hipMemset(data, 0, COUNT * 4));
    HIP(hipDeviceSynchronize());
    return 0;
  }

  void wait_until_begun() {
    while (!*begun)
      std::this_thread::yield();
  }

  // Chooses a stream, and does what the case wants between the kernel in the first stream and that stream.
  int order_after_kernel(hipStream_t &stream) {
    stream = is("same-stream") ? one : two;
    if (is("event")) {
      HIP(hipEventRecord(event, one));
      HIP(hipStreamWaitEvent(two, event, 0));
    }
    if (is("event-elsewhere")) {
      HIP(hipEventRecord(event, one));
      HIP(hipStreamWaitEvent(three, event, 0));
    }
    // The third stream waits for the kernel, and the second one for the third.
    if (is("through")) {
      HIP(hipEventRecord(event, one));
      HIP(hipStreamWaitEvent(three, event, 0));
      counts<<<1, 1, 0, three>>>(out + 2048);
      HIP(hipEventRecord(later, three));
      HIP(hipStreamWaitEvent(two, later, 0));
    }
    if (is("host-elsewhere"))
      HIP(hipStreamSynchronize(three));
    if (is("host")) {
      *go = 1;
      HIP(hipStreamSynchronize(one));
    }
    return 0;
  }

  // A kernel that has begun, and a copy.
  int beside(const std::string &what) {
    if (is("early-event")) {
      HIP(hipEventRecord(event, one));
      HIP(hipStreamWaitEvent(two, event, 0));
    }
    if (what == "input")
      reads_and_lasts<<<1, 64, 0, one>>>(data, out, begun, go);
    else
      writes_and_lasts<<<1, 64, 0, one>>>(data, begun, go);
    wait_until_begun();
    hipStream_t stream;
    if (order_after_kernel(stream))
      return 1;
    bool waits_for_kernel = is("event") || is("through") || is("same-stream");
    // The call may wait for the kernel.
    std::thread later_on;
    if (waits_for_kernel)
      later_on = std::thread([this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        *go = 1;
      });
    int *its = is("apart") ? data + 1024 : data;
    if (what == "output")
      HIP(hipMemcpyAsync(host, its, 3072 * 4, hipMemcpyDeviceToHost, stream));
    else
      HIP(hipMemcpyAsync(its, host, 3072 * 4, hipMemcpyHostToDevice, stream));
    HIP(hipStreamSynchronize(stream));
    if (waits_for_kernel)
      later_on.join();
    *go = 1;
    return 0;
  }

  // A copy, and a kernel that begins behind one that has not ended.
  int behind(const std::string &what) {
    waits<<<1, 1, 0, one>>>(go);
    if (!is("event") && !is("host"))
      launch(what, one);
    if (what == "overwritten")
      HIP(hipMemcpyAsync(host, data, COUNT * 4, hipMemcpyDeviceToHost, two));
    else
      HIP(hipMemcpyAsync(data, host, COUNT * 4, hipMemcpyHostToDevice, two));
    if (is("event")) {
      HIP(hipEventRecord(event, two));
      HIP(hipStreamWaitEvent(one, event, 0));
      launch(what, one);
    }
    HIP(hipStreamSynchronize(two));
    if (is("host"))
      launch(what, one);
    *go = 1;
    return 0;
  }

  void launch(const std::string &what, hipStream_t stream) {
    int *its = is("apart") ? out + 512 : data;
    if (what == "overwritten" || what == "written")
      writes<<<1, 64, 0, stream>>>(its);
    else
      reads<<<1, 64, 0, stream>>>(its, out);
  }

  // Two copies behind a kernel.
  int copies(const std::string &what) {
    waits<<<1, 1, 0, one>>>(go);
    HIP(hipEventRecord(event, one));
    hipStream_t stream = is("same-stream") ? two : three;
    for (hipStream_t waiting : {two, three})
      HIP(hipStreamWaitEvent(waiting, event, 0));
    HIP(hipMemcpyAsync(data, host, COUNT * 4, hipMemcpyHostToDevice, two));
    if (is("host")) {
      *go = 1;
      HIP(hipStreamSynchronize(two));
    }
    if (is("event")) {
      HIP(hipEventRecord(later, two));
      HIP(hipStreamWaitEvent(three, later, 0));
    }
    int *its = is("apart") ? out : data;
    if (what == "both-ways")
      HIP(hipMemcpyAsync(other, its, COUNT * 4, hipMemcpyDeviceToHost, stream));
    else
      HIP(hipMemcpyAsync(its, other, COUNT * 4, hipMemcpyHostToDevice, stream));
    *go = 1;
    return 0;
  }

  // The kernel and the host tell each other.
  int tell(const std::string &what) {
    if (what == "told") {
      writes_and_tells<<<1, 64, 0, one>>>(data, begun, go);
      wait_until_begun();
      HIP(hipMemcpyAsync(host, data, COUNT * 4, hipMemcpyDeviceToHost, two));
    } else {
      hears_and_reads<<<1, 64, 0, one>>>(data, out, begun, go);
      wait_until_begun();
      HIP(hipMemcpyAsync(data, host, COUNT * 4, hipMemcpyHostToDevice, two));
    }
    HIP(hipStreamSynchronize(two));
    *go = 1;
    return 0;
  }
};

int main(int, char **arguments) {
  Program program{arguments[1]};
  std::string what = arguments[2];
  if (program.set_up())
    return 1;
  int failed = what == "input" || what == "output"      ? program.beside(what)
               : what == "told" || what == "heard"      ? program.tell(what)
               : what == "both-ways" || what == "twice" ? program.copies(what)
                                                        : program.behind(what);
  if (failed)
    return 1;
  HIP(hipDeviceSynchronize());
  std::puts("done");
}
