// A scan in one pass: each workgroup looks back at what those before it have published, and waits for them.
// devices: gfx90a gfx1030
// also: *
// varies: workgroups look at memory until others have published
#include "check.h"

// 2 bits of state above 62 of sum.
__global__ void scan(const int *in, long long *out, unsigned long long *published, unsigned *ticket, int n) {
    __shared__ long long sums[256];
    __shared__ long long before;
    __shared__ unsigned tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(ticket, 1);
    __syncthreads();
    int t = threadIdx.x, at = tile * 256 + t;
    sums[t] = at < n ? in[at] : 0;
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        long long more = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += more;
    }
    __syncthreads();
    const unsigned long long Mask = (1ull << 62) - 1;
    if (t == 0) {
        unsigned long long own = sums[255] & Mask;
        __hip_atomic_store(&published[tile], (tile ? 1ull : 2ull) << 62 | own, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        long long sum = 0;
        for (int back = (int)tile - 1; back >= 0;) {
            unsigned long long seen = __hip_atomic_load(&published[back], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
            if (!(seen >> 62))
                continue;
            sum += (long long)(seen << 2) >> 2;
            if (seen >> 62 == 2)
                break;
            back--;
        }
        before = sum;
        if (tile)
            __hip_atomic_store(&published[tile], 2ull << 62 | ((sum + sums[255]) & Mask), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
    __syncthreads();
    if (at < n)
        out[at] = before + sums[t];
}

int main() {
    for (int n : {1, 256, 257, 20000, 65537}) {
        std::vector<int> in(n);
        for (int i = 0; i < n; i++)
            in[i] = (int)(i * 2654435761u >> 12) - 500000;
        int tiles = (n + 255) / 256;
        Array<int> di(in);
        Array<long long> dout(n);
        Array<unsigned long long> published(tiles);
        Array<unsigned> ticket(1);
        published.zero();
        ticket.zero();
        scan<<<tiles, 256>>>(di.data, dout.data, published.data, ticket.data, n);
        HIP(hipDeviceSynchronize());
        std::vector<long long> out = dout.get();
        long long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += in[i];
            EXPECT(out[i] == sum, "%d of %d: %lld for %lld", i, n, out[i], sum);
        }
    }
    return verdict();
}
