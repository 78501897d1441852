// One program with many ways to launch and to end; prints what was wrong and exits with a status other than its own then.
#include <hip/hip_runtime.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    hipError_t error = call;                                               \
    if (error != hipSuccess) {                                             \
      printf("%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(error)); \
      _exit(99);                                                           \
    }                                                                      \
  } while (0)
#define EXPECT(condition)                                        \
  do {                                                           \
    if (!(condition)) {                                          \
      printf("%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
      exit(98);                                                  \
    }                                                            \
  } while (0)

__global__ void add(int *values, int amount) { values[blockIdx.x * blockDim.x + threadIdx.x] += amount; }
__global__ void multiply(int *values, int factor) { values[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }
__global__ void reverse(int *values) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
// Counts launches that come out of order.
__global__ void ordered(unsigned *state, unsigned number) {
  if (state[0] != number)
    state[1] += 1;
  state[0] = number + 1;
}
__global__ void slow(unsigned *state, unsigned long rounds) {
  unsigned value = state[2];
  for (unsigned long round = 0; round < rounds; round++)
    value = value * 1664525u + 1013904223u;
  state[2] = value;
}

static std::vector<int> fetch(int *device, int count) {
  std::vector<int> host(count);
  CHECK(hipMemcpy(host.data(), device, count * sizeof(int), hipMemcpyDeviceToHost));
  return host;
}

static int *zeros(int count) {
  int *device;
  CHECK(hipMalloc(&device, count * sizeof(int)));
  CHECK(hipMemset(device, 0, count * sizeof(int)));
  return device;
}

static void basic() {
  int *values = zeros(256);
  hipStream_t streams[3];
  for (auto &stream : streams)
    CHECK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, &stream == streams ? -1 : 0));
  add<<<4, 64, 0, streams[0]>>>(values, 3);
  CHECK(hipStreamSynchronize(streams[0]));
  multiply<<<4, 64, 0, streams[1]>>>(values, 7);
  CHECK(hipStreamSynchronize(streams[1]));
  std::vector<int> host = fetch(values, 256);
  for (int value : host)
    EXPECT(value == 21);
  for (int index = 0; index < 256; index++)
    host[index] = index;
  CHECK(hipMemcpy(values, host.data(), 1024, hipMemcpyHostToDevice));
  reverse<<<1, 256, 1024, streams[2]>>>(values);
  CHECK(hipStreamSynchronize(streams[2]));
  host = fetch(values, 256);
  for (int index = 0; index < 256; index++)
    EXPECT(host[index] == 255 - index);
}

// More launches than the queue has packets, the first of which holds up the others.
static void order(unsigned launches) {
  unsigned *state = (unsigned *)zeros(4);
  slow<<<1, 64>>>(state, 2000000);
  for (unsigned number = 0; number < launches; number++)
    ordered<<<1, 1>>>(state, number);
  std::vector<int> host = fetch((int *)state, 2);
  EXPECT((unsigned)host[0] == launches);
  EXPECT(host[1] == 0);
}

static void modules(const char *path) {
  int *values = zeros(64);
  int expected = 0;
  for (int round = 0; round < 6; round++) {
    hipModule_t module;
    hipFunction_t function;
    CHECK(hipModuleLoad(&module, path));
    CHECK(hipModuleGetFunction(&function, module, "bump"));
    for (int repeat = 0; repeat < 3; repeat++) {
      struct {
        int *values;
        int amount;
      } arguments = {values, round + 1};
      size_t size = sizeof arguments;
      void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
      CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, config));
      expected += round + 1;
    }
    CHECK(hipDeviceSynchronize());
    CHECK(hipModuleUnload(module));
  }
  for (int value : fetch(values, 64))
    EXPECT(value == expected);
}

static void threads() {
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; worker++)
    workers.emplace_back([worker] {
      hipStream_t stream;
      CHECK(hipStreamCreate(&stream));
      int *values;
      CHECK(hipMalloc(&values, 256));
      CHECK(hipMemsetAsync(values, 0, 256, stream));
      for (int round = 0; round < 50; round++) {
        if (worker % 2)
          add<<<1, 64, 0, stream>>>(values, 2);
        else
          reverse<<<1, 64, 256, stream>>>(values);
      }
      CHECK(hipStreamSynchronize(stream));
      for (int value : fetch(values, 64))
        EXPECT(value == (worker % 2 ? 100 : 0));
    });
  for (auto &worker : workers)
    worker.join();
}

static void cooperative() {
  int *values = zeros(64);
  int amount = 5;
  void *arguments[] = {&values, &amount};
  hipStream_t streams[2];
  for (auto &stream : streams) {
    CHECK(hipStreamCreate(&stream));
    CHECK(hipLaunchCooperativeKernel((void *)add, 1, 64, arguments, 0, stream));
    CHECK(hipStreamSynchronize(stream));
    CHECK(hipStreamDestroy(stream));
  }
  for (int value : fetch(values, 64))
    EXPECT(value == 10);
}

// Prints microseconds per launch of a kernel that does nothing: until all are enqueued, and until all have run.
static void rate(int launches) {
  int *values = zeros(64);
  add<<<1, 1>>>(values, 0);
  CHECK(hipDeviceSynchronize());
  auto begin = std::chrono::steady_clock::now();
  for (int launch = 0; launch < launches; launch++)
    add<<<1, 1>>>(values, 0);
  auto enqueued = std::chrono::steady_clock::now();
  CHECK(hipDeviceSynchronize());
  auto end = std::chrono::steady_clock::now();
  auto each = [&](std::chrono::steady_clock::time_point until) {
    return std::chrono::duration<double, std::micro>(until - begin).count() / launches;
  };
  printf("%.3f %.3f\n", each(enqueued), each(end));
}

int main(int count, char **words) {
  signal(SIGINT, SIG_DFL); // who runs us in the background may have ignored it
  std::string mode = count > 1 ? words[1] : "basic";
  if (mode == "basic")
    basic();
  else if (mode == "order")
    order(40000);
  else if (mode == "modules")
    modules(words[2]);
  else if (mode == "threads")
    threads();
  else if (mode == "cooperative")
    cooperative();
  else if (mode == "rate") {
    rate(10000);
    return 0;
  } else if (mode == "status") {
    basic();
    return 7;
  } else if (mode == "abort") {
    basic();
    abort();
  } else if (mode == "interrupt") {
    basic();
    kill(getpid(), SIGINT);
    pause();
  } else if (mode == "fork") {
    basic();
    // HIP's own exit handlers do not survive a fork, so the children leave without them.
    int status;
    pid_t child = fork();
    if (child == 0)
      _exit(5);
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    child = fork();
    if (child == 0)
      abort();
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "exit 4", nullptr);
      _exit(1);
    }
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 4);
    basic();
  } else if (mode == "unfinished") {
    unsigned *state = (unsigned *)zeros(4);
    slow<<<1, 64>>>(state, 3000000);
    add<<<1, 4>>>((int *)state, 1);
    return 0;
  } else if (mode == "endless") {
    unsigned *state = (unsigned *)zeros(4);
    slow<<<1, 64>>>(state, 1ul << 60);
    // HIP's own exit handlers would wait for the kernel.
    quick_exit(0);
  } else if (mode == "spinning") {
    // A kernel that runs until the process ends.
    unsigned *state = (unsigned *)zeros(4);
    slow<<<1, 64>>>(state, 1ul << 60);
    _Exit(0);
  }
  puts("done");
  return 0;
}
