// Lines whose lanes can be worked out by hand, for coverage of programs that were not built for it.
#include <hip/hip_runtime.h>

#include <cstdio>

__device__ __attribute__((noinline)) int scaled(int x) {
    int result = x * 3;
    if (x == 1000)
        result += x * x; // never
    return result;
}

__global__ void lines(int *out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = i;
    for (int k = 0; k < rounds; k++)
        out[i + k * n] = sum + k; // every lane, every round
    if (i % 4 == 1)
        out[i] = scaled(i); // a fourth of the lanes
    else if (i == 4000)
        out[i] = -7; // never
}

int main() {
    const int n = 100, rounds = 5;
    int *out, seen = 0;
    if (hipMalloc(&out, n * rounds * sizeof(int)) != hipSuccess)
        return 99;
    lines<<<2, 64>>>(out, n, rounds);
    if (hipMemcpy(&seen, out + 97, sizeof seen, hipMemcpyDeviceToHost) != hipSuccess)
        return 98;
    printf("%d\n", seen);
}
