// A kernel that calls a function of another source, which needs relocatable device code.
#include <hip/hip_runtime.h>

#include <cstdio>

__device__ int other(int x);

static __device__ int own(int x) { return x & 1 ? x * 3 : x; }

__global__ void across(int *out, int n) {
    int i = threadIdx.x;
    if (i < n)
        out[i] = other(own(i));
}

int main() {
    int *out, last = 0;
    if (hipMalloc(&out, 64 * sizeof(int)) != hipSuccess)
        return 99;
    across<<<1, 64>>>(out, 40);
    if (hipMemcpy(&last, out + 39, sizeof last, hipMemcpyDeviceToHost) != hipSuccess)
        return 98;
    printf("%d\n", last);
}
