// Accesses that stay within what was allocated, or do not, by one element or long after.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void store(char *at) { *at = 7; }

// By lanes: scalar loads have no lowest bits in their addresses.
__global__ void load(const char *at, int *out) { *out = *(const int *)(at + threadIdx.x * 4); }

__global__ void shared(int *out, int index) {
  __shared__ int room[16];
  room[threadIdx.x & 15] = threadIdx.x;
  __syncthreads();
  out[0] = room[index];
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  auto is = [&](const char *name) { return !strcmp(mode, name); };
  char *small, *other;
  int *out;
  (void)hipMalloc(&small, 100);
  (void)hipMalloc(&other, 4096);
  (void)hipMalloc(&out, sizeof(int));
  (void)hipMemset(small, 1, 100);
  char bytes[100];
  (void)hipMemcpy(bytes, small, 100, hipMemcpyDeviceToHost);
  if (is("last"))
    store<<<1, 1>>>(small + 99);
  if (is("behind"))
    store<<<1, 1>>>(small + 100);
  if (is("half"))
    load<<<1, 1>>>(small + 98, out);
  if (is("freed")) {
    (void)hipFree(other);
    char *next;
    (void)hipMalloc(&next, 4096);
    store<<<1, 1>>>(other + 8);
  }
  if (is("pinned")) {
    char *host;
    (void)hipHostMalloc(&host, 100);
    store<<<1, 1>>>(host + 100);
  }
  if (is("registered")) {
    char *host = (char *)aligned_alloc(4096, 8192);
    (void)hipHostRegister(host, 100, 0);
    void *device;
    (void)hipHostGetDevicePointer(&device, host, 0);
    store<<<1, 1>>>((char *)device + 100);
  }
  if (is("lds"))
    shared<<<1, 16>>>(out, 16);
  if (is("lds-last"))
    shared<<<1, 16>>>(out, 15);
  hipError_t error = hipDeviceSynchronize();
  (void)hipMemcpy(bytes, small, 100, hipMemcpyDeviceToHost);
  printf("%s: %s\n", mode, hipGetErrorString(error));
  return error == hipSuccess && bytes[0] == 1 ? 0 : 1;
}
