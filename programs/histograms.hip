// Histograms: with bytes packed in words of LDS, private to waves, and of workgroups that are no multiple of a wave.
// devices: gfx90a gfx1030
// also: *
#include "check.h"

__global__ void plain(const unsigned char *in, int n, unsigned *out) {
    __shared__ unsigned bins[256];
    for (int at = threadIdx.x; at < 256; at += blockDim.x)
        bins[at] = 0;
    __syncthreads();
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[at]], 1);
    __syncthreads();
    for (int at = threadIdx.x; at < 256; at += blockDim.x)
        if (bins[at])
            atomicAdd(&out[at], bins[at]);
}
// Two counters of 16 bits in a word, in a table of its own for each wave.
__global__ void packed(const unsigned char *in, int n, unsigned *out) {
    extern __shared__ unsigned tables[];
    int wave = threadIdx.x / warpSize, waves = (blockDim.x + warpSize - 1) / warpSize;
    for (int at = threadIdx.x; at < 128 * waves; at += blockDim.x)
        tables[at] = 0;
    __syncthreads();
    int first = blockIdx.x * 2048, last = min(n, first + 2048);
    for (int at = first + threadIdx.x; at < last; at += blockDim.x)
        atomicAdd(&tables[wave * 128 + in[at] / 2], in[at] % 2 ? 1u << 16 : 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        unsigned sum = 0;
        for (int w = 0; w < waves; w++)
            sum += tables[w * 128 + bin / 2] >> bin % 2 * 16 & 0xffff;
        atomicAdd(&out[bin], sum);
    }
}
// One lane for all that have the same value.
__global__ void gathered(const unsigned char *in, int n, unsigned *out) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    bool todo = at < n;
    unsigned value = todo ? in[at] : 0;
    while (unsigned long long left = __ballot(todo)) {
        unsigned leader = __shfl((int)value, __ffsll(left) - 1);
        unsigned long long same = __ballot(todo && value == leader);
        if (todo && value == leader) {
            if ((int)__lane_id() == __ffsll(same) - 1)
                atomicAdd(&out[value], (unsigned)__popcll(same));
            todo = false;
        }
    }
}

int main() {
    const int n = 20011;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> want(256);
    for (int i = 0; i < n; i++)
        in[i] = i % 3 ? (i * 2654435761u >> 27) : i * 40503u >> 7, want[in[i]]++;
    Array<unsigned char> di(in);
    Array<unsigned> out(256);
    auto same = [&](const char *how, int size) {
        HIP(hipDeviceSynchronize());
        std::vector<unsigned> got = out.get();
        for (int bin = 0; bin < 256; bin++)
            EXPECT(got[bin] == want[bin], "%s of %d: bin %d has %u, not %u", how, size, bin, got[bin], want[bin]);
        out.zero();
    };
    out.zero();
    for (int size : {33, 64, 100, 256, 1000}) {
        plain<<<7, size>>>(di.data, n, out.data);
        same("plain", size);
        packed<<<(n + 2047) / 2048, size, 512 * ((size + 31) / 32)>>>(di.data, n, out.data);
        same("packed", size);
        gathered<<<(n + size - 1) / size, size>>>(di.data, n, out.data);
        same("gathered", size);
    }
    return verdict();
}
