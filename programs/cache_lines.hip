// flags: -std=c++17
// One load of one wave for each pattern of addresses: side by side, apart, backwards, all in one, anywhere, beyond 4 GiB of each
// other, and with lanes off. Prints how many lanes and lines of 128 bytes each has, for whoever counts them in the program.
#include "check.h"

#include <set>

template <int PATTERN> __global__ void access(const uint64_t *addresses, unsigned *results) {
    uint64_t address = addresses[threadIdx.x];
    unsigned value = 0;
    if (address != 0)
        asm volatile("global_load_ubyte %0, %1, off\n\ts_waitcnt vmcnt(0)" : "=v"(value) : "v"(address) : "memory");
    results[threadIdx.x] = value;
}

constexpr uint64_t OFF = ~uint64_t(0), LINE = 128, FAR = 1ull << 32, SIZE = FAR + (64 << 20);

// Where a lane reads, from the middle of the first 64 MiB on.
typedef uint64_t (*Pattern)(uint64_t lane, Random &random);
static const Pattern PATTERNS[] = {
    [](uint64_t lane, Random &) { return 4 * lane + 64; },
    [](uint64_t lane, Random &) { return 8 * lane; },
    [](uint64_t lane, Random &) { return LINE * lane; },
    [](uint64_t lane, Random &) { return (LINE - 1) * lane; },
    [](uint64_t lane, Random &) { return 392 * lane + 100; },
    [](uint64_t lane, Random &) { return uint64_t(-392 * int64_t(lane)); },
    [](uint64_t lane, Random &) { return uint64_t(-4 * int64_t(lane)); },
    [](uint64_t, Random &) { return uint64_t(20); },
    [](uint64_t, Random &random) { return uint64_t(random.next() % (1 << 20)); },
    [](uint64_t, Random &random) { return uint64_t(random.next() % (1 << 12)); },
    [](uint64_t lane, Random &) { return lane / 2 * 1000; },
    [](uint64_t lane, Random &) { return 1000 * (lane == 7 ? 6 : lane); },
    [](uint64_t lane, Random &) { return (lane & 1 ? FAR : 0) + 1024 * lane; },
    [](uint64_t lane, Random &) { return (lane & 1 ? FAR : 0) + 4 * lane; },
    [](uint64_t lane, Random &) { return (lane & 1 ? FAR : 0); },
    [](uint64_t lane, Random &) { return lane % 3 ? 1024 * lane : OFF; },
    [](uint64_t lane, Random &) { return lane % 3 == 1 ? 4 * lane : OFF; },
    [](uint64_t lane, Random &random) { return lane > 20 ? uint64_t(random.next() % (1 << 13)) : OFF; },
    [](uint64_t lane, Random &) { return lane == 31 ? 5 : OFF; },
};
constexpr int COUNT = sizeof PATTERNS / sizeof *PATTERNS;

template <int PATTERN> static void launch(char *memory, unsigned lanes) {
    Random random;
    std::vector<uint64_t> addresses(lanes);
    std::set<uint64_t> lines;
    unsigned active = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        uint64_t place = PATTERNS[PATTERN](lane, random);
        if (place == OFF)
            continue;
        addresses[lane] = reinterpret_cast<uint64_t>(memory) + (32 << 20) + place;
        lines.insert(addresses[lane] / LINE);
        ++active;
    }
    Array<uint64_t> from(addresses);
    Array<unsigned> results(lanes);
    access<PATTERN><<<1, lanes>>>(from, results);
    FINISH();
    std::printf("%d %u %zu\n", PATTERN, active, lines.size());
    if constexpr (PATTERN + 1 < COUNT)
        launch<PATTERN + 1>(memory, lanes);
}

int main() {
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    Array<char> memory(SIZE);
    launch<0>(memory, device.warpSize);
    return verdict();
}
