// A thread that waits for a long kernel leaves the processor to others. (hipEventSynchronize does so only at times: HIP 5.2 may
// look at the event's command again and again itself. HIP 6.4 always does so in hipStreamSynchronize, without a call of ROCr's.)
// varies: waits for a time
#include "check.h"
#include <ctime>

__global__ void take_time(long long ticks) {
    long long start = device_ticks();
    while (device_ticks() - start < ticks)
        __builtin_amdgcn_s_sleep(10);
}

static double processor_milliseconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

template <typename Wait> static void expect_sleep(const char *name, Wait wait) {
    constexpr int MILLISECONDS = 400;
    constexpr int TRIES = 3;
    double spent = MILLISECONDS;
    for (int attempt = 0; attempt < TRIES && spent >= MILLISECONDS / 10; attempt++) {
        take_time<<<1, 1>>>(MILLISECONDS * 100000ll);
        double before = processor_milliseconds();
        wait();
        spent = processor_milliseconds() - before;
    }
    EXPECT(spent < MILLISECONDS / 10, "%s: %g ms of processor time in %d ms", name, spent, MILLISECONDS);
}

int main() {
    Array<int> one(1);
    take_time<<<1, 1>>>(1);
    HIP(hipDeviceSynchronize());
    expect_sleep("hipDeviceSynchronize", [] { HIP(hipDeviceSynchronize()); });
    if (HIP_VERSION_MAJOR != 6 || HIP_VERSION_MINOR != 4)
        expect_sleep("hipStreamSynchronize", [] { HIP(hipStreamSynchronize(0)); });
    expect_sleep("hipMemcpy", [&] { one.get(); });
    return verdict();
}
