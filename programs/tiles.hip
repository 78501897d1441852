// without: 5.7, in whose headers thread_rank of tiles is ambiguous
// flags: -std=c++17
// Cooperative groups below the block: static and dynamic tiles, coalesced groups in divergent code, nested partitions.
#include "check.h"
#include <algorithm>
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

template <int size> __global__ void tile_sums(const int *in, int *out, int *ranks) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<size>(block);
    int t = block.thread_rank(), sum = in[t];
    for (int offset = size / 2; offset; offset /= 2)
        sum += tile.shfl_xor(sum, offset);
    int prefix = in[t];
    for (int offset = 1; offset < size; offset *= 2) {
        int below = tile.shfl_up(prefix, offset);
        if (tile.thread_rank() >= unsigned(offset))
            prefix += below;
    }
    tile.sync();
    out[t * 3] = sum;
    out[t * 3 + 1] = prefix;
    out[t * 3 + 2] = tile.shfl(in[t] * 2, size - 1) + tile.shfl_down(in[t], 1);
    ranks[t] = tile.thread_rank() + 100 * tile.size();
}
template <int size> static void check_tiles() {
    const int n = 192;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++)
        in[i] = (i * 37) % 101 - 20;
    Array<int> device_in(in), out(n * 3), ranks(n);
    tile_sums<size><<<1, dim3(16, 4, 3)>>>(device_in, out, ranks);
    FINISH();
    auto got = out.get(), rank = ranks.get();
    for (int t = 0; t < n; t++) {
        int first = t / size * size, sum = 0, prefix = 0;
        for (int i = 0; i < size; i++) {
            sum += in[first + i];
            if (first + i <= t)
                prefix += in[first + i];
        }
        int next = t % size == size - 1 ? in[t] : in[t + 1];
        EXPECT(got[t * 3] == sum, "tile %d sum of thread %d: %d instead of %d", size, t, got[t * 3], sum);
        EXPECT(got[t * 3 + 1] == prefix, "tile %d prefix of thread %d: %d instead of %d", size, t, got[t * 3 + 1], prefix);
        EXPECT(got[t * 3 + 2] == in[first + size - 1] * 2 + next, "tile %d shuffles of thread %d: %d", size, t, got[t * 3 + 2]);
        EXPECT(rank[t] == t % size + 100 * size, "tile %d rank of thread %d: %d", size, t, rank[t]);
    }
}

// Whoever comes here together counts once, by the group's leader.
__global__ void coalesced(int *counters, int *places, int *sizes) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, kind = t * t % 7 % 3;
    if (kind == 0)
        return;
    if (kind == 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0)
            base = atomicAdd(&counters[0], int(active.size()));
        base = active.shfl(base, 0);
        places[t] = base + active.thread_rank();
        sizes[t] = active.size();
        // The neighbours in the group, not in the wave.
        int up = active.shfl_up(t, 1), down = active.shfl_down(t, 1);
        places[4096 + t] = active.thread_rank() ? up : -1;
        places[8192 + t] = active.thread_rank() + 1 < active.size() ? down : -1;
    } else {
        auto active = cg::coalesced_threads();
        auto half = cg::tiled_partition(active, 2);
        sizes[t] = half.size() * 100 + half.thread_rank();
    }
}
static void check_coalesced() {
    const int n = 640;
    int wave = 0;
    HIP(hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, 0));
    Array<int> counters(1), places(3 * 4096), sizes(4096);
    counters.zero();
    coalesced<<<n / 128, 128>>>(counters, places, sizes);
    FINISH();
    auto place = places.get(), size = sizes.get();
    std::vector<bool> taken(n, false);
    int total = 0;
    auto kind = [](int t) { return t * t % 7 % 3; };
    for (int t = 0; t < n; t++) {
        int first = t / wave * wave;
        std::vector<int> group;
        for (int i = first; i < first + wave; i++)
            if (kind(i) == kind(t))
                group.push_back(i);
        size_t rank = std::find(group.begin(), group.end(), t) - group.begin();
        if (kind(t) == 1) {
            total++;
            EXPECT(place[t] >= 0 && place[t] < n && !taken[place[t]], "place %d of thread %d", place[t], t);
            taken[place[t]] = true;
            EXPECT(size[t] == int(group.size()), "group of thread %d has %d threads", t, size[t]);
            EXPECT(place[4096 + t] == (rank ? group[rank - 1] : -1), "below thread %d is %d", t, place[4096 + t]);
            EXPECT(place[8192 + t] == (rank + 1 < group.size() ? group[rank + 1] : -1), "above thread %d is %d", t, place[8192 + t]);
        } else if (kind(t) == 2 && t % wave < 24) {
            // HIP 5.2 makes the pairs' masks with a 32-bit shift, wrong for lanes from 31 on.
            int in_half = rank % 2, pair = rank + 1 - in_half < group.size() ? 2 : 1;
            EXPECT(size[t] == pair * 100 + in_half, "pair of thread %d: %d", t, size[t]);
        }
    }
    EXPECT(counters.get()[0] == total, "%d counted instead of %d", counters.get()[0], total);
}

// Groups as arguments of functions, and a block in shared memory.
__device__ int reduce(cg::thread_group group, int *room, int value) {
    int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        room[rank] = value;
        group.sync();
        if (rank < i)
            value += room[rank + i];
        group.sync();
    }
    return value;
}
__global__ void generic(int *out) {
    __shared__ int room[256];
    auto block = cg::this_thread_block();
    int sum = reduce(block, room, block.thread_rank() + 1);
    if (block.thread_rank() == 0)
        out[blockIdx.x * 9] = sum;
    auto tile = cg::tiled_partition(block, 32);
    int part = reduce(tile, room + threadIdx.x / 32 * 32, int(threadIdx.x));
    if (tile.thread_rank() == 0)
        out[blockIdx.x * 9 + 1 + threadIdx.x / 32] = part;
}
static void check_generic() {
    Array<int> out(3 * 9);
    generic<<<3, 256>>>(out);
    FINISH();
    auto got = out.get();
    for (int b = 0; b < 3; b++) {
        EXPECT(got[b * 9] == 256 * 257 / 2, "block sum %d", got[b * 9]);
        for (int t = 0; t < 8; t++)
            EXPECT(got[b * 9 + 1 + t] == 32 * 32 * t + 31 * 16, "tile %d sum %d", t, got[b * 9 + 1 + t]);
    }
}

int main() {
    check_tiles<2>();
    check_tiles<4>();
    check_tiles<8>();
    check_tiles<16>();
    check_tiles<32>();
    check_coalesced();
    check_generic();
    return verdict();
}
