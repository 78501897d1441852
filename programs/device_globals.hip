// Device and constant variables with initialisers, of class type, shared by kernels and seen from the host.
#include "check.h"

struct Config {
    int width = 3, height = 4;
    float scale[4] = {1, 2, 3, 4};
};
__device__ int counter = 41;
__constant__ Config config;
__device__ const char *names[3] = {"alpha", "beta", "gamma"};
__device__ double table[4] = {0.5, 1.5, 2.5, 3.5};
static __device__ unsigned long long hidden = 0x0123456789abcdefull;

__global__ void use(int *out) {
    int t = threadIdx.x;
    if (t == 0)
        counter++;
    out[t] = config.width * config.height + int(config.scale[t % 4]) * 100 + names[t % 3][1] + int(table[t % 4] * 2) + int(hidden >> 56);
}
__global__ void later(int *out) { *out = counter; }

int main() {
    Array<int> out(64);
    use<<<1, 64>>>(out);
    FINISH();
    auto got = out.get();
    const char second[] = {'l', 'e', 'a'};
    for (int t = 0; t < 64; t++) {
        int expected = 12 + (t % 4 + 1) * 100 + second[t % 3] + (t % 4 * 2 + 1) + 1;
        EXPECT(got[t] == expected, "[%d] is %d instead of %d", t, got[t], expected);
    }
    later<<<1, 1>>>(out);
    FINISH();
    EXPECT(out.get()[0] == 42, "counter is %d", out.get()[0]);
    int seen = 0;
    HIP(hipMemcpyFromSymbol(&seen, HIP_SYMBOL(counter), sizeof seen));
    EXPECT(seen == 42, "the host sees %d", seen);
    Config other;
    other.width = 10;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(config), &other, sizeof other));
    use<<<1, 64>>>(out);
    FINISH();
    EXPECT(out.get()[0] == 40 + 100 + 'l' + 1 + 1, "%d", out.get()[0]);
    return verdict();
}
