// Kernels that need each other to make progress: two streams play ping-pong through device memory.
// varies: kernels wait for each other
#include "check.h"

__global__ void play(int *ball, int mine, int other, int rounds, int *log) {
    for (int i = 0; i < rounds; i++) {
        while (__hip_atomic_load(ball, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != mine)
            __builtin_amdgcn_s_sleep(1);
        log[0]++;
        __hip_atomic_store(ball, other, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}

// The same between the blocks of one grid, by busy waiting without sleep.
__global__ void chain(int *turn, int *order) {
    if (threadIdx.x == 0) {
        while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != int(gridDim.x - 1 - blockIdx.x))
            ;
        order[gridDim.x - 1 - blockIdx.x] = blockIdx.x;
        __hip_atomic_fetch_add(turn, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}

int main() {
    hipStream_t a, b;
    HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    Array<int> ball(1), log(2);
    ball.zero();
    log.zero();
    HIP(hipDeviceSynchronize());
    play<<<1, 1, 0, a>>>(ball, 1, 0, 50, log);
    play<<<1, 1, 0, b>>>(ball, 0, 1, 50, log + 1);
    FINISH();
    EXPECT(log.get()[0] == 50 && log.get()[1] == 50, "%d and %d rounds", log.get()[0], log.get()[1]);

    const int blocks = 32;
    Array<int> turn(1), order(blocks);
    turn.zero();
    chain<<<blocks, 64>>>(turn, order);
    FINISH();
    auto got = order.get();
    for (int i = 0; i < blocks; i++)
        EXPECT(got[i] == blocks - 1 - i, "turn %d went to block %d", i, got[i]);
    return verdict();
}
