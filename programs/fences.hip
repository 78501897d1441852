// varies: blocks wait for each other
// The last block to finish sums what all blocks wrote, ordered by fences; messages go from block to block.
#include "check.h"

__device__ unsigned finished;
__global__ void sum(const int *in, int n, volatile long long *partial, long long *result) {
    __shared__ long long cells[128];
    __shared__ bool is_last;
    long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    cells[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 64; half; half /= 2) {
        if (int(threadIdx.x) < half)
            cells[threadIdx.x] += cells[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = cells[0];
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        long long total = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            total += partial[b];
        *result = total;
    }
}

__global__ void relay(int *mailbox, int *flag) {
    int me = blockIdx.x;
    if (threadIdx.x == 0) {
        while (__hip_atomic_load(&flag[me], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
            __builtin_amdgcn_s_sleep(2);
    }
    __syncthreads();
    mailbox[(me + 1) * 64 + threadIdx.x] = mailbox[me * 64 + threadIdx.x] + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        __hip_atomic_store(&flag[me + 1], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

int main() {
    const int n = 100000;
    std::vector<int> in(n);
    long long expected = 0;
    for (int i = 0; i < n; i++) {
        in[i] = i * 7919 % 100003;
        expected += in[i];
    }
    Array<int> device_in(in);
    Array<long long> partial(24), result(1);
    for (int round = 0; round < 3; round++) {
        result.zero();
        sum<<<24, 128>>>(device_in, n, partial, result);
        FINISH();
        EXPECT(result.get()[0] == expected, "round %d: %lld instead of %lld", round, result.get()[0], expected);
    }
    const int blocks = 40;
    Array<int> mailbox(64 * (blocks + 1)), flag(blocks + 1);
    mailbox.zero();
    flag.zero();
    std::vector<int> one{1};
    flag.set(one);
    relay<<<blocks, 64>>>(mailbox, flag);
    FINISH();
    auto got = mailbox.get();
    for (int lane = 0; lane < 64; lane++)
        EXPECT(got[64 * blocks + lane] == blocks, "lane %d: %d", lane, got[64 * blocks + lane]);
    return verdict();
}
