// Every integer atomic in global memory and LDS, 32 and 64 bits, contended and with returned values.
#include "check.h"

template <typename T> __global__ void all_operations(T *cells) {
    T i = T(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&cells[0], T(i + 1));
    atomicMax(&cells[2], T(i * 7 % 1009));
    atomicMin(&cells[3], T(1000000 - i));
    atomicAnd(&cells[4], T(~(T(1) << (i % (8 * sizeof(T) - 1)))));
    atomicOr(&cells[5], T(T(1) << (i % (8 * sizeof(T) - 1))));
    atomicXor(&cells[6], T(i * i));
    atomicExch(&cells[7], i);
}

template <typename T> void check_operations(const char *name) {
    const int n = 2000;
    std::vector<T> initial{5, 0, 0, T(1) << 30, T(~T(0)), 0, 3, T(77)};
    Array<T> cells(initial);
    all_operations<T><<<n / 100, 100>>>(cells);
    FINISH();
    auto got = cells.get();
    T add = 5, most = 0, least = T(1) << 30, x = 3;
    for (int i = 0; i < n; i++) {
        add += T(i + 1);
        most = std::max(most, T(T(i) * 7 % 1009));
        least = std::min(least, T(1000000 - i));
        x ^= T(T(i) * T(i));
    }
    T bits = T((T(1) << (8 * sizeof(T) - 2)) * 2 - 1);
    EXPECT(got[0] == add, "%s add: %lld instead of %lld", name, (long long)got[0], (long long)add);
    EXPECT(got[2] == most, "%s max: %lld", name, (long long)got[2]);
    EXPECT(got[3] == least, "%s min: %lld", name, (long long)got[3]);
    EXPECT(got[4] == T(~bits), "%s and: %llx", name, (long long)got[4]);
    EXPECT(got[5] == bits, "%s or: %llx", name, (long long)got[5]);
    EXPECT(got[6] == x, "%s xor: %lld instead of %lld", name, (long long)got[6], (long long)x);
    EXPECT(got[7] >= 0 && got[7] < T(n), "%s exchange: %lld", name, (long long)got[7]);
}

// Returned values of an add are a permutation.
__global__ void tickets(unsigned *counter, unsigned *out, unsigned *in_lds) {
    __shared__ unsigned local;
    if (threadIdx.x == 0)
        local = 0;
    __syncthreads();
    unsigned mine = atomicAdd(&local, 1u);
    in_lds[blockIdx.x * blockDim.x + threadIdx.x] = mine;
    unsigned ticket = threadIdx.x % 3 ? atomicAdd(counter, 1u) : atomicInc(counter, 0xffffffffu);
    out[ticket] = blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void wrapping(unsigned *cells) {
    atomicInc(&cells[0], 9);
    atomicDec(&cells[1], 9);
    atomicSub(&cells[2], 3u);
}

__global__ void signed_extremes(int *cells, long long *wide) {
    int i = int(threadIdx.x) - 32;
    atomicMin(&cells[0], i);
    atomicMax(&cells[1], i - 1000);
    __hip_atomic_fetch_min(&wide[0], (long long)i << 33, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max(&wide[1], (long long)(i - 1000) << 33, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void histogram(const unsigned char *in, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void lds_operations(int *out, unsigned long long *wide) {
    __shared__ int cells[8];
    __shared__ unsigned long long wides[4];
    int t = threadIdx.x;
    if (t < 8)
        cells[t] = t == 3 ? 1 << 20 : t == 4 ? -1 : 0;
    if (t < 4)
        wides[t] = t == 1 ? ~0ull : 0;
    __syncthreads();
    atomicAdd(&cells[0], t);
    atomicSub(&cells[1], t);
    atomicMax(&cells[2], t * 5 % 257);
    atomicMin(&cells[3], 500 - t);
    atomicAnd(&cells[4], ~(1 << (t & 15)));
    atomicOr(&cells[5], 1 << (t & 31));
    atomicXor(&cells[6], t * t);
    atomicAdd(&wides[0], (unsigned long long)t << 32);
    atomicMin(&wides[1], 1ull << 40 | t);
    atomicMax(&wides[2], (unsigned long long)t << 33);
    atomicXor(&wides[3], (unsigned long long)t * 0x100000001);
    __syncthreads();
    if (t < 8)
        out[t] = cells[t];
    if (t < 4)
        wide[t] = wides[t];
}

int main() {
    check_operations<int>("int");
    check_operations<unsigned>("unsigned");
    check_operations<unsigned long long>("unsigned long long");
    {
        const unsigned n = 20 * 250;
        Array<unsigned> counter(1), out(n), in_lds(n);
        counter.zero();
        tickets<<<20, 250>>>(counter, out, in_lds);
        FINISH();
        std::vector<int> seen(n);
        for (unsigned v : out.get())
            seen[v % n]++;
        for (unsigned i = 0; i < n; i++)
            EXPECT(seen[i] == 1, "ticket of %u seen %d times", i, seen[i]);
        auto local = in_lds.get();
        for (int b = 0; b < 20; b++) {
            std::vector<int> mine(250);
            for (int i = 0; i < 250; i++)
                mine[local[b * 250 + i] % 250]++;
            for (int i = 0; i < 250; i++)
                EXPECT(mine[i] == 1, "LDS ticket %d of block %d seen %d times", i, b, mine[i]);
        }
    }
    {
        Array<unsigned> cells(std::vector<unsigned>{0, 5, 1000});
        wrapping<<<3, 41>>>(cells);
        FINISH();
        auto got = cells.get();
        EXPECT(got[0] == 123 % 10, "inc: %u", got[0]);
        EXPECT(got[1] == 2, "dec: %u", got[1]);
        EXPECT(got[2] == 1000u - 369, "sub: %u", got[2]);
    }
    {
        Array<int> cells(std::vector<int>{100, -100000});
        Array<long long> wide(std::vector<long long>{1, -1ll << 60});
        signed_extremes<<<1, 64>>>(cells, wide);
        FINISH();
        EXPECT(cells.get()[0] == -32 && cells.get()[1] == -969, "%d %d", cells.get()[0], cells.get()[1]);
        EXPECT(wide.get()[0] == -32ll << 33 && wide.get()[1] == -969ll << 33, "%lld %lld", wide.get()[0], wide.get()[1]);
    }
    {
        std::vector<unsigned char> in(100000);
        std::vector<unsigned> expected(256);
        Random random;
        for (auto &v : in) {
            v = (random.next() & 255) * (random.next() & 255) >> 8;
            expected[v]++;
        }
        Array<unsigned char> device_in(in);
        Array<unsigned> bins(256);
        bins.zero();
        histogram<<<9, 256>>>(device_in, in.size(), bins);
        FINISH();
        auto got = bins.get();
        for (int i = 0; i < 256; i++)
            EXPECT(got[i] == expected[i], "bin %d: %u instead of %u", i, got[i], expected[i]);
    }
    {
        Array<int> out(8);
        Array<unsigned long long> wide(4);
        lds_operations<<<1, 256>>>(out, wide);
        FINISH();
        int x = 0;
        unsigned long long y = 0;
        for (int t = 0; t < 256; t++) {
            x ^= t * t;
            y ^= t * 0x100000001ull;
        }
        int expected[8] = {32640, -32640, 256, 245, int(0xffff0000), -1, x, 0};
        unsigned long long wides[4] = {32640ull << 32, 1ull << 40, 255ull << 33, y};
        auto got = out.get();
        auto got_wide = wide.get();
        for (int i = 0; i < 8; i++)
            EXPECT(got[i] == expected[i], "LDS cell %d: %d instead of %d", i, got[i], expected[i]);
        for (int i = 0; i < 4; i++)
            EXPECT(got_wide[i] == wides[i], "LDS wide cell %d: %llx instead of %llx", i, got_wide[i], wides[i]);
    }
    return verdict();
}
