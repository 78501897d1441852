// A loop that seldom runs more than once: without a profile, the compiler prepares for many rounds.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void rounds(const int *keys, int *out, int n) {
    int lane = threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        int key = keys[k];
        for (int j = 0; j < (key & 3); j++)
            sum += out[j + lane] * key;
    }
    out[lane] = sum;
}

int main() {
    const int n = 2000;
    static int keys[n];
    for (int i = 0; i < n; i++)
        keys[i] = i % 1000 == 3 ? 17 : 101 + 4 * (i % 40);
    int *on_device, *out, result = 0;
    if (hipMalloc(&on_device, sizeof keys) != hipSuccess || hipMalloc(&out, 1024) != hipSuccess)
        return 99;
    (void)hipMemset(out, 0, 1024);
    (void)hipMemcpy(on_device, keys, sizeof keys, hipMemcpyHostToDevice);
    rounds<<<1, 64>>>(on_device, out, n);
    (void)hipMemcpy(&result, out + 5, sizeof result, hipMemcpyDeviceToHost);
    printf("%d\n", result);
}
