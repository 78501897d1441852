// A sum handed on from block to block, as look-back scans do: ten times as many blocks as the device holds at once, each of
// which waits for the one before it. Some take long before they hand on, so that all others pile up behind them.
// varies: blocks wait for each other
#include "check.h"

enum { THREADS = 256, SLOW = 61, LONG = 2000 };

// One word per block: what blocks up to it have summed up, plus one. 0 is not there yet.
__global__ void chain(unsigned *words, unsigned *turns) {
    if (blockIdx.x % SLOW == 0) {
        unsigned value = threadIdx.x;
        for (int i = 0; i < LONG; i++)
            value = value * 1664525u + 1013904223u;
        turns[blockIdx.x / SLOW * THREADS + threadIdx.x] = value;
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    unsigned before = 1;
    if (blockIdx.x > 0)
        while ((before = __hip_atomic_load(&words[blockIdx.x - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) == 0)
            ;
    __hip_atomic_store(&words[blockIdx.x], before + blockIdx.x % 7, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

int main() {
    const int blocks = 9000;
    Array<unsigned> words(blocks), turns((blocks + SLOW - 1) / SLOW * THREADS);
    words.zero();
    chain<<<blocks, THREADS>>>(words, turns);
    FINISH();
    auto handed = words.get(), values = turns.get();
    unsigned sum = 1;
    for (int block = 0; block < blocks; block++) {
        sum += block % 7;
        EXPECT(handed[block] == sum, "block %d hands on %u instead of %u", block, handed[block], sum);
    }
    for (int thread = 0; thread < THREADS; thread++) {
        unsigned value = thread;
        for (int i = 0; i < LONG; i++)
            value = value * 1664525u + 1013904223u;
        EXPECT(values[3 * THREADS + thread] == value, "thread %d computes %u instead of %u", thread, values[3 * THREADS + thread], value);
    }
    return verdict();
}
