// A process that ends while a kernel runs whose workgroups have raced: a plain load beside atomics. The argument says how it ends.
#include <hip/hip_runtime.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

enum End { SPIN, FAULT };

__global__ void races(int *data, volatile int *arrived, End end) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    atomicAdd(data, 1);
  if (blockIdx.x == 1 && threadIdx.x == 0)
    data[1 + blockIdx.x] = data[0];
  __threadfence_system();
  arrived[blockIdx.x] = 1;
  while (!arrived[1 - blockIdx.x])
    ;
  if (end == FAULT)
    *reinterpret_cast<volatile int *>(64) = 1;
  while (end == SPIN)
    __builtin_amdgcn_s_sleep(1);
}

int main(int, char **arguments) {
  const char *mode = arguments[1];
  End end = std::strcmp(mode, "fault") ? SPIN : FAULT;
  int *data, *arrived;
  if (hipMalloc(&data, 64) != hipSuccess || hipMemset(data, 0, 64) != hipSuccess)
    return 1;
  if (hipHostMalloc(&arrived, 64) != hipSuccess)
    return 1;
  std::memset(arrived, 0, 64);
  races<<<2, 128>>>(data, arrived, end);
  if (end != SPIN)
    return hipDeviceSynchronize() == hipSuccess;
  for (int block = 0; block < 2; block++)
    while (!reinterpret_cast<volatile int *>(arrived)[block])
      usleep(100);
  if (!std::strcmp(mode, "_exit"))
    _exit(0);
  if (!std::strcmp(mode, "abort"))
    std::abort();
  if (!std::strcmp(mode, "term"))
    std::raise(SIGTERM);
  if (!std::strcmp(mode, "segv"))
    *static_cast<volatile int *>(nullptr) = 0;
  if (!std::strcmp(mode, "kill"))
    std::raise(SIGKILL);
  std::exit(0);
}
