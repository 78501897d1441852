// A loop whose rounds differ by lane and by what was read: the shape that counters in memory cost most.
#include <hip/hip_runtime.h>

#include <cstdio>

__device__ int step(int x, int k) {
    if (x & 1)
        return x * 3 + k;
    if (x % 5 == 0)
        return x / 5;
    return k & 4 ? x >> 1 : x - 7;
}

__global__ void branchy(const int *in, int *out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = in[i];
    for (int k = 0; k < rounds; k++) {
        x = step(x, k);
        if (x > 1000)
            x -= 900;
        else if (x < -100)
            break;
        for (int j = 0; j < (x & 3); j++)
            x += in[(x + j) & 63];
    }
    out[i] = x;
}

int main() {
    const int n = 1000;
    static int host[n];
    for (int i = 0; i < n; i++)
        host[i] = i * 37 % 911;
    int *in, *out;
    if (hipMalloc(&in, sizeof host) != hipSuccess || hipMalloc(&out, sizeof host) != hipSuccess)
        return 99;
    (void)hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice);
    branchy<<<(n + 127) / 128, 128>>>(in, out, n, 100);
    (void)hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int value : host)
        sum = sum * 31 + (unsigned)value;
    printf("%u\n", sum);
}
