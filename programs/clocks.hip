// Device clocks go forward, and events agree with the host's clock within reason.
#include "check.h"
#include <chrono>

__global__ void read_clocks(long long *out) {
    long long a = clock64(), w = (long long)__builtin_amdgcn_s_memrealtime();
    for (int i = 0; i < 200; i++)
        __builtin_amdgcn_s_sleep(1);
    long long b = clock64(), x = (long long)__builtin_amdgcn_s_memrealtime();
    out[0] = b - a;
    out[1] = x - w;
}

int main() {
    Array<long long> out(2);
    hipEvent_t start, stop;
    HIP(hipEventCreate(&start));
    HIP(hipEventCreate(&stop));
    auto before = std::chrono::steady_clock::now();
    HIP(hipEventRecord(start));
    read_clocks<<<1, 1>>>(out);
    HIP(hipEventRecord(stop));
    HIP(hipEventSynchronize(stop));
    double host = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count();
    float elapsed;
    HIP(hipEventElapsedTime(&elapsed, start, stop));
    auto got = out.get();
    EXPECT(got[0] > 0, "clock64 moved by %lld", got[0]);
    EXPECT(got[1] > 0, "s_memrealtime moved by %lld", got[1]);
    EXPECT(elapsed > 0 && elapsed < host + 50, "%g ms between events, %g ms on the host", elapsed, host);
    return verdict();
}
