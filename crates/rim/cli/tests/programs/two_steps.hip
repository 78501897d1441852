// Two kernels: one launched three times, with two sizes, and one launched once.
#include <hip/hip_runtime.h>
__global__ void step(int *p) { p[threadIdx.x] += 1; }
__global__ void other(int *p) { p[threadIdx.x] *= 3; }
int main() {
  int *p;
  if (hipMalloc(&p, 1024) != hipSuccess)
    return 2;
  step<<<1, 64>>>(p);
  step<<<2, 64>>>(p);
  step<<<1, 64>>>(p);
  other<<<1, 64>>>(p);
  return hipDeviceSynchronize() != hipSuccess;
}
