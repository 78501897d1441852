// flags: -std=c++17
// One load from LDS of one wave for each pattern of addresses: side by side, apart, backwards, bytes, padded rows, transposed,
// anywhere, and with lanes off. Prints for each how many lanes there are and how often the fullest of 32 banks must give a word,
// for whoever counts that in the program.
#include "check.h"

#include <algorithm>
#include <set>

constexpr unsigned OFF = ~0u, BANKS = 32, BYTES = 65536;

template <int PATTERN> __global__ void access(const unsigned *addresses, unsigned *results) {
    extern __shared__ unsigned char memory[];
    unsigned address = addresses[threadIdx.x], value = 0;
    memory[threadIdx.x] = 1;
    if (address != OFF)
        asm volatile("ds_read_u8 %0, %1\n\ts_waitcnt lgkmcnt(0)" : "=v"(value) : "v"(address) : "memory");
    results[threadIdx.x] = value;
}

// Where a lane reads.
typedef unsigned (*Pattern)(unsigned lane, Random &random);
static const Pattern PATTERNS[] = {
    [](unsigned lane, Random &) { return 4 * lane; },
    [](unsigned lane, Random &) { return 4 * lane + 2; },
    [](unsigned lane, Random &) { return 8 * lane + 100; },
    [](unsigned lane, Random &) { return 12 * lane; },
    [](unsigned lane, Random &) { return 16 * lane; },
    [](unsigned lane, Random &) { return 128 * lane; },
    [](unsigned lane, Random &) { return 132 * lane; },
    [](unsigned lane, Random &) { return 1000 * lane; },
    [](unsigned lane, Random &) { return 60000 - 64 * lane; },
    [](unsigned lane, Random &) { return 1000 - 4 * lane; },
    [](unsigned lane, Random &) { return 1001 - 3 * lane; },
    [](unsigned lane, Random &) { return lane + 3; },
    [](unsigned lane, Random &) { return 2 * lane + 1; },
    [](unsigned lane, Random &) { return 3 * lane + 2; },
    [](unsigned lane, Random &) { return 5 * lane; },
    [](unsigned lane, Random &) { return 6 * lane; },
    [](unsigned, Random &) { return 20u; },
    [](unsigned lane, Random &) { return lane / 16 * 68 + lane % 16 * 4; },
    [](unsigned lane, Random &) { return lane % 8 * 1024 + lane / 8 * 4; },
    [](unsigned lane, Random &) { return lane == 9 ? 4 * 40 : 4 * lane; },
    [](unsigned lane, Random &) { return lane / 2 * 128; },
    [](unsigned, Random &random) { return unsigned(random.next() % BYTES); },
    [](unsigned, Random &random) { return unsigned(random.next() % 512); },
    [](unsigned, Random &random) { return unsigned(random.next() % 512) * 128 + 60; },
    [](unsigned lane, Random &) { return lane < 20 ? 4 * lane : OFF; },
    [](unsigned lane, Random &) { return lane > 5 && lane < 27 ? 512 * lane : OFF; },
    [](unsigned lane, Random &) { return lane % 3 ? 128 * lane : OFF; },
    [](unsigned lane, Random &random) { return lane % 5 ? unsigned(random.next() % 4096) : OFF; },
    [](unsigned lane, Random &) { return lane == 31 ? 5u : OFF; },
    [](unsigned lane, Random &) { return lane == 3 || lane == 30 ? 128 * lane : OFF; },
};
constexpr int COUNT = sizeof PATTERNS / sizeof *PATTERNS;

template <int PATTERN> static void launch(unsigned lanes) {
    Random random;
    std::vector<unsigned> addresses(lanes);
    std::set<unsigned> words[BANKS];
    unsigned active = 0;
    size_t turns = 0;
    for (unsigned &address : addresses) {
        address = PATTERNS[PATTERN](&address - addresses.data(), random);
        if (address == OFF)
            continue;
        unsigned word = address / 4;
        words[word % BANKS].insert(word);
        turns = std::max(turns, words[word % BANKS].size());
        ++active;
    }
    Array<unsigned> from(addresses), results(lanes);
    access<PATTERN><<<1, lanes, BYTES>>>(from, results);
    FINISH();
    std::printf("%d %u %zu\n", PATTERN, active, turns);
    if constexpr (PATTERN + 1 < COUNT)
        launch<PATTERN + 1>(lanes);
}

int main() {
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    launch<0>(device.warpSize);
    return verdict();
}
