// Wave-level algorithms written by hand: reductions, scans, compaction and a bitonic sort with shuffles and LDS.
// devices: gfx90a gfx1030 gfx906
// also: *
#include "check.h"

__device__ int wave_scan(int v) {
    int lane = __lane_id();
    for (int d = 1; d < warpSize; d *= 2) {
        int other = __shfl_up(v, d);
        if (lane >= d)
            v += other;
    }
    return v;
}

__global__ void block_scan(const int *in, int *out) {
    __shared__ int sums[32];
    int t = threadIdx.x, waves = (blockDim.x + warpSize - 1) / warpSize;
    int v = wave_scan(in[blockIdx.x * blockDim.x + t]);
    if (t % warpSize == warpSize - 1)
        sums[t / warpSize] = v;
    __syncthreads();
    if (t == 0)
        for (int w = 1; w < waves; w++)
            sums[w] += sums[w - 1];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = v + (t >= warpSize ? sums[t / warpSize - 1] : 0);
}

__global__ void compact(const int *in, int *out, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned long long votes = __ballot(keep);
    int lane = __lane_id(), base = 0;
    if (lane == 0)
        base = atomicAdd(count, __popcll(votes));
    base = __shfl(base, 0);
    if (keep)
        out[base + __popcll(votes & ((1ull << lane) - 1))] = in[i];
}

__global__ void bitonic(int *keys) {
    __shared__ int tile[1024];
    int t = threadIdx.x;
    tile[t] = keys[t];
    tile[t + 512] = keys[t + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            int low = 2 * stride * (t / stride) + t % stride, high = low + stride;
            bool up = (low & size) == 0;
            if ((tile[low] > tile[high]) == up) {
                int swap = tile[low];
                tile[low] = tile[high];
                tile[high] = swap;
            }
        }
    __syncthreads();
    keys[t] = tile[t];
    keys[t + 512] = tile[t + 512];
}

int main() {
    const int n = 4096;
    Random random;
    std::vector<int> in(n);
    for (auto &v : in)
        v = random.next() % 10000;
    Array<int> device_in(in), out(n), count(1);
    block_scan<<<n / 512, 512>>>(device_in, out);
    FINISH();
    auto got = out.get();
    for (int i = 0, sum = 0; i < n; i++) {
        sum = i % 512 ? sum + in[i] : in[i];
        EXPECT(got[i] == sum, "scan [%d] is %d instead of %d", i, got[i], sum);
    }
    count.zero();
    compact<<<n / 256, 256>>>(device_in, out, count, n - 5);
    FINISH();
    std::vector<int> kept, found = out.get();
    for (int i = 0; i < n - 5; i++)
        if (in[i] % 3 == 0)
            kept.push_back(in[i]);
    EXPECT(count.get()[0] == int(kept.size()), "%d kept instead of %zu", count.get()[0], kept.size());
    long long expected = 0, sum = 0;
    for (size_t i = 0; i < kept.size(); i++) {
        expected += (long long)kept[i] * kept[i];
        sum += (long long)found[i] * found[i];
    }
    EXPECT(sum == expected, "sum of squares %lld instead of %lld", sum, expected);
    Array<int> keys(std::vector<int>(in.begin(), in.begin() + 1024));
    bitonic<<<1, 512>>>(keys);
    FINISH();
    auto sorted = keys.get();
    for (int i = 1; i < 1024; i++)
        EXPECT(sorted[i - 1] <= sorted[i], "[%d] is %d after %d", i, sorted[i], sorted[i - 1]);
    return verdict();
}
