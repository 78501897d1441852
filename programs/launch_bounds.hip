// Kernels with launch bounds and register limits, and blocks of the largest size.
#include "check.h"

template <int rounds> __device__ float churn(float x) {
    float v[rounds];
#pragma unroll
    for (int i = 0; i < rounds; i++)
        v[i] = x + i;
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < rounds; i++)
            v[i] = v[(i * 3 + 1) % rounds] * 0.5f + v[i];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < rounds; i++)
        sum += v[i];
    return sum;
}
static float churn_host(float x, int rounds) {
    std::vector<float> v(rounds);
    for (int i = 0; i < rounds; i++)
        v[i] = x + i;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < rounds; i++)
            v[i] = std::fmaf(v[(i * 3 + 1) % rounds], 0.5f, v[i]);
    float sum = 0;
    for (float f : v)
        sum += f;
    return sum;
}

__global__ void __launch_bounds__(1024) largest(float *out) { out[blockIdx.x * 1024 + threadIdx.x] = churn<40>(threadIdx.x); }
__global__ void __launch_bounds__(64, 8) tight(float *out) { out[blockIdx.x * 64 + threadIdx.x] = churn<60>(threadIdx.x); }
__global__ void __launch_bounds__(256, 1) roomy(float *out) { out[blockIdx.x * 256 + threadIdx.x] = churn<100>(threadIdx.x); }

template <typename Kernel> static void check(const char *name, Kernel kernel, int block, int rounds) {
    Array<float> out(3 * block);
    kernel<<<3, block>>>(out);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < 3 * block; i++) {
        float expected = churn_host(float(i % block), rounds);
        EXPECT(std::fabs(got[i] - expected) <= 1e-5f * std::fabs(expected), "%s [%d] is %.9g instead of %.9g", name, i, got[i], expected);
    }
}

int main() {
    check("largest", largest, 1024, 40);
    check("tight", tight, 64, 60);
    check("roomy", roomy, 256, 100);
    return verdict();
}
