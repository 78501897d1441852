// Many workgroups poll for one that comes last, in every way.
// devices: gfx90a gfx1030 gfx908
// also: *
// varies: waves wait for each other
#include "check.h"

enum Way { LOAD, SLEEP, ADD, COMPARE, BARRIER, SLEEP_AT_BARRIER, BACK_OFF, WAYS };

template <typename T> __device__ T look(T *flag) { return __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM); }

// Returns when the flag is at least `wanted`. Looks at barriers need all work-items.
__device__ void poll(int way, int *flag, int wanted) {
    __shared__ int seen;
    switch (way) {
    case LOAD:
        while (*(volatile int *)flag < wanted)
            ;
        break;
    case SLEEP:
        while (look(flag) < wanted)
            __builtin_amdgcn_s_sleep(2);
        break;
    case ADD:
        while (atomicAdd(flag, 0) < wanted)
            ;
        break;
    case COMPARE:
        while (atomicCAS(flag, wanted, wanted) < wanted)
            ;
        break;
    case BACK_OFF:
        for (int tries = 1; look(flag) < wanted; tries = tries < 16 ? 2 * tries : 16)
            for (int i = 0; i < tries; i++)
                __builtin_amdgcn_s_sleep(1);
        break;
    default:
        for (bool again = true; again;) {
            if (threadIdx.x == 0)
                seen = look(flag);
            if (way == SLEEP_AT_BARRIER)
                __builtin_amdgcn_s_sleep(1);
            __syncthreads();
            again = seen < wanted;
            __syncthreads();
        }
    }
    __threadfence();
}

// The last workgroup works in each phase; the others wait for it, and take what it found.
__global__ void phases(int way, int *flag, unsigned *found, unsigned *sums, int count, int work) {
    unsigned sum = 0;
    for (int phase = 1; phase <= count; phase++) {
        if (blockIdx.x == gridDim.x - 1) {
            unsigned x = phase;
            for (int i = 0; i < work; i++)
                x = x * 1664525 + 1013904223;
            if (threadIdx.x == 0) {
                found[phase] = x;
                __hip_atomic_store(flag, phase, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
            }
        } else {
            poll(way, flag, phase);
        }
        __syncthreads();
        sum += __hip_atomic_load(&found[phase], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void check(int way, int blocks, int block) {
    constexpr int PHASES = 3, WORK = 20000;
    Array<int> flag(1);
    Array<unsigned> found(PHASES + 1), sums(blocks * block);
    flag.zero();
    phases<<<blocks, block>>>(way, flag, found, sums, PHASES, WORK);
    FINISH();
    unsigned expected = 0;
    for (unsigned phase = 1; phase <= PHASES; phase++) {
        unsigned x = phase;
        for (int i = 0; i < WORK; i++)
            x = x * 1664525 + 1013904223;
        expected += x;
    }
    for (unsigned sum : sums.get())
        EXPECT(sum == expected, "way %d: %u instead of %u", way, sum, expected);
}

int main() {
    for (int way = 0; way < WAYS; way++) {
        check(way, 200, 64);
        check(way, 8, 256);
    }
    return verdict();
}
