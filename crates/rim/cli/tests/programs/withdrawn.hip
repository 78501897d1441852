// Takes registered memory away while a kernel uses it: unmaps it, protects it, or frees it (argument). The kernel is expected to stop.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

__global__ void walk(volatile int *values, volatile int *stop, int pages) {
  int page = 0;
  while (!*stop) {
    values[page * 1024 + threadIdx.x] += 1;
    page = (page + 1) % pages;
  }
}

int main(int, char **argv) {
  const size_t size = 64 * 4096;
  void *host = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(host, 0, size);
  int *values, *stop;
  if (hipHostRegister(host, size, hipHostRegisterMapped) != hipSuccess)
    return 90;
  if (hipHostGetDevicePointer((void **)&values, host, 0) != hipSuccess)
    return 91;
  if (hipHostMalloc((void **)&stop, 4, 0) != hipSuccess)
    return 92;
  *stop = 0;
  walk<<<4, 64>>>(values, stop, 64);
  usleep(100000);
  if (!strcmp(argv[1], "unmap"))
    munmap((char *)host + 8 * 4096, 4096);
  else
    mprotect((char *)host + 8 * 4096, 4096, PROT_NONE);
  hipError_t error = hipDeviceSynchronize();
  printf("%s\n", hipGetErrorString(error));
  return error == hipSuccess ? 0 : 5;
}
