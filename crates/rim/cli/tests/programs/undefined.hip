// Kernels that use what nothing has set: ./undefined NAME; NAME-ok is the twin without the bug.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <string>
#include <vector>

__global__ void above(const int *in, int *out) {
  int t = threadIdx.x;
  int x = in[t];
  if (x > 3)
    out[t] = x;
}

__global__ void chosen(const int *in, int *out) {
  int t = threadIdx.x;
  out[in[t] & 63] = t;
}

__global__ void shared(int *out, bool ok) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t < 60 || ok)
    tile[t] = t;
  __syncthreads();
  if (*(volatile int *)&tile[63 - t] > 3)
    out[t] = 1;
}

__global__ void from_heap(int *out, bool ok) {
  int t = threadIdx.x;
  int *volatile made = (int *)malloc(16);
  int *own = made;
  own[ok ? 1 : 2] = t;
  if (own[1] > 3)
    out[t] = own[1];
  free(own);
}

__global__ void copy(const int *in, int *out) {
  int t = threadIdx.x;
  out[t] = in[t];
}

int main(int, char **arguments) {
  std::string name = arguments[1];
  bool ok = name.size() > 3 && name.substr(name.size() - 3) == "-ok";
  if (ok)
    name.resize(name.size() - 3);
  int *in, *out, *other;
  (void)hipMalloc(&in, 4 * 64);
  (void)hipMalloc(&out, 4 * 64);
  (void)hipMalloc(&other, 4 * 64);
  std::vector<int> host(64, 1);
  if (name == "memory" || name == "address") {
    // One byte too few, or one number.
    int bytes = name == "memory" ? 255 : 252;
    (void)hipMemcpy(in, host.data(), ok ? 256 : bytes, hipMemcpyHostToDevice);
    if (name == "memory")
      above<<<1, 64>>>(in, out);
    else
      chosen<<<1, 64>>>(in, out);
  }
  if (name == "copied") {
    (void)hipMemset(in, 0, ok ? 256 : 252);
    (void)hipMemcpy(out, in, 256, hipMemcpyDeviceToDevice);
    copy<<<1, 64>>>(out, other);
    above<<<1, 64>>>(other, in);
  }
  if (name == "shared")
    shared<<<1, 64>>>(out, ok);
  if (name == "heap")
    from_heap<<<1, 64>>>(out, ok);
  // The host reads all of it.
  if (name == "read")
    (void)hipMemset(other, 0, ok ? 256 : 250);
  (void)hipMemcpy(host.data(), other, 256, hipMemcpyDeviceToHost);
  std::puts(hipDeviceSynchronize() == hipSuccess ? "done" : "failed");
}
