// Device clocks go forward at the rates that the runtime reports, and events agree with the host's clock within reason.
// varies: waits for a time
#include "check.h"
#include <chrono>

__global__ void read_clocks(long long *out) {
    long long a = clock64(), w = device_ticks();
    for (int i = 0; i < 200; i++)
        __builtin_amdgcn_s_sleep(1);
    long long b = clock64(), x = device_ticks();
    out[0] = b - a;
    out[1] = x - w;
}

struct Waited {
    long long cycles_inside, ticks, cycles_around;
};

// What programs do that want a kernel to take its time: they wait for so many cycles.
__global__ void wait_for_cycles(long long cycles, Waited *waited) {
    long long first = clock64();
    long long ticks_before = device_ticks();
    long long start = clock64(), now = start;
    while (now - start < cycles)
        now = clock64();
    long long ticks_after = device_ticks();
    *waited = {now - start, ticks_after - ticks_before, clock64() - first};
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
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    // gfx11 counts cycles in 20 bits, which half a millisecond fills; they begin with the workgroup.
    bool wraps = strncmp(device.gcnArchName, "gfx11", 5) == 0;
    EXPECT(got[0] > 0, "clock64 moved by %lld", got[0]);
    EXPECT(got[1] > 0, "wall clock moved by %lld", got[1]);
    EXPECT(elapsed > 0 && elapsed < host + 50, "%g ms between events, %g ms on the host", elapsed, host);

    if (wraps)
        return verdict();

    // A tick is 10 ns, and cycles are those of the clock rate, however long the wave was kept from running.
    double cycles_per_tick = device.clockRate / 100000.0;
    Array<Waited> waited(1);
    wait_for_cycles<<<1, 1>>>(2ll * device.clockRate, waited);
    Waited seen = waited.get()[0];
    EXPECT(seen.ticks >= 199999, "2 ms of cycles took %lld ticks", seen.ticks);
    EXPECT(seen.cycles_inside <= (seen.ticks + 1) * cycles_per_tick, "%lld cycles in %lld ticks", seen.cycles_inside, seen.ticks);
    EXPECT(seen.cycles_around >= (seen.ticks - 1) * cycles_per_tick, "%lld cycles around %lld ticks", seen.cycles_around, seen.ticks);
    return verdict();
}
