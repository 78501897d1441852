// flags: -std=c++17 -munsafe-fp-atomics
// varies: compare-and-swap loops
// Atomics of 64 bits and floats, in memory, LDS and host memory, with scopes, compare-and-swap loops and wrapping counters.
#include "check.h"
#include <algorithm>

struct Cells {
    double sum;
    float sum32, least, most;
    unsigned long long least64, most64, bits_and, bits_or, bits_xor, taken;
    long long swing;
    double least_double, most_double;
    unsigned wrap_up, wrap_down;
    unsigned long long swapped, ticket;
    long long signed_least;
};

__device__ void work(Cells *cells, unsigned i) {
    atomicAdd(&cells->sum, 0.25 * i);
    atomicAdd(&cells->sum32, 1.0f);
    atomicMin(&cells->least64, (unsigned long long)i * 0x100000001ull + 5);
    atomicMax(&cells->most64, (unsigned long long)i * 0x100000001ull + 5);
    atomicAnd(&cells->bits_and, ~(1ull << (i % 50)));
    atomicOr(&cells->bits_or, 1ull << (i % 61));
    atomicXor(&cells->bits_xor, (unsigned long long)i << 20);
    atomicAdd((unsigned long long *)&cells->swing, (unsigned long long)(i % 2 ? -(long long)i << 30 : (long long)i << 30));
    atomicInc(&cells->wrap_up, 9);
    atomicDec(&cells->wrap_down, 12);
    atomicAdd(&cells->ticket, 1ull);
    // A spin of compare-and-swap on 64 bits.
    unsigned long long seen = cells->swapped, was;
    do {
        was = seen;
        seen = atomicCAS(&cells->swapped, was, was * 3 + 1 > 1ull << 60 ? 1 : was + i);
    } while (seen != was);
    __hip_atomic_fetch_min(&cells->signed_least, -(long long)i * 7, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    // Floats by hand: positive ones order like integers.
    int *least = (int *)&cells->least, *most = (int *)&cells->most;
    atomicMin(least, __float_as_int(1.0f + i));
    atomicMax(most, __float_as_int(1.0f + i));
    __hip_atomic_fetch_add(&cells->taken, 2ull, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ void reset(Cells *c) {
    *c = Cells{};
    c->least = 1e30f;
    c->least64 = ~0ull;
    c->bits_and = ~0ull;
    c->wrap_down = 3;
    c->signed_least = 1;
}
__global__ void global_cells(Cells *cells, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        work(cells, i);
}
__global__ void shared_cells(Cells *out, unsigned n) {
    __shared__ Cells cells;
    if (threadIdx.x == 0)
        reset(&cells);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        work(&cells, i);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = cells;
}
static void judge(const char *where, const Cells &c, unsigned n) {
    double sum = 0;
    unsigned long long all_or = 0, all_xor = 0, all_and = ~0ull;
    long long swing = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += 0.25 * i;
        all_or |= 1ull << (i % 61);
        all_and &= ~(1ull << (i % 50));
        all_xor ^= (unsigned long long)i << 20;
        swing += i % 2 ? -(long long)i << 30 : (long long)i << 30;
    }
    unsigned up = 0, down = 3;
    for (unsigned i = 0; i < n; i++) {
        up = up >= 9 ? 0 : up + 1;
        down = down == 0 || down > 12 ? 12 : down - 1;
    }
    EXPECT(c.sum == sum, "%s: f64 sum %g instead of %g", where, c.sum, sum);
    EXPECT(c.sum32 == float(n), "%s: f32 sum %g", where, c.sum32);
    EXPECT(c.least64 == 5 && c.most64 == (n - 1) * 0x100000001ull + 5, "%s: %llx %llx", where, c.least64, c.most64);
    EXPECT(c.bits_and == all_and && c.bits_or == all_or && c.bits_xor == all_xor, "%s: bits %llx %llx %llx", where, c.bits_and, c.bits_or,
           c.bits_xor);
    EXPECT(c.swing == swing, "%s: swing %lld", where, c.swing);
    EXPECT(c.wrap_up == up && c.wrap_down == down, "%s: wrapping %u %u instead of %u %u", where, c.wrap_up, c.wrap_down, up, down);
    EXPECT(c.ticket == n && c.taken == 2 * n, "%s: %llu tickets, %llu taken", where, c.ticket, c.taken);
    EXPECT(c.swapped == (unsigned long long)n * (n - 1) / 2, "%s: swapped %llu", where, c.swapped);
    EXPECT(c.signed_least == (n > 1 ? -7ll * (n - 1) : 0), "%s: least %lld", where, c.signed_least);
    EXPECT(c.least == 1 && c.most == float(n), "%s: floats %g to %g", where, c.least, c.most);
}

// Old values handed out are all different, and orders of one address agree.
__global__ void tickets(unsigned long long *next, unsigned long long *old, double *real, double *old_real, unsigned *exchanged,
                        unsigned *old_exchanged) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    old[i] = atomicAdd(next, 3ull);
    old_real[i] = atomicAdd(real, 0.5);
    old_exchanged[i] = atomicExch(exchanged, i + 1);
}

int main() {
    const unsigned n = 5003;
    Cells fresh{};
    fresh.least = 1e30f;
    fresh.least64 = ~0ull;
    fresh.bits_and = ~0ull;
    fresh.wrap_down = 3;
    fresh.signed_least = 1;
    {
        Array<Cells> cells(std::vector<Cells>{fresh});
        global_cells<<<20, 256>>>(cells, n);
        FINISH();
        judge("device memory", cells.get()[0], n);
        shared_cells<<<1, 1024>>>(cells, 999);
        FINISH();
        judge("LDS", cells.get()[0], 999);
    }
    // Not the coherent kind, where gfx90a adds no floats (see atomics_host).
    Cells *host;
    HIP(hipHostMalloc(&host, sizeof(Cells), hipHostMallocNonCoherent));
    *host = fresh;
    global_cells<<<40, 128>>>(host, n);
    FINISH();
    judge("host memory", *host, n);
    HIP(hipHostFree(host));

    const unsigned threads = 2048;
    Array<unsigned long long> next(std::vector<unsigned long long>{10}), old(threads);
    Array<double> real(std::vector<double>{-1}), old_real(threads);
    Array<unsigned> exchanged(std::vector<unsigned>{0}), old_exchanged(threads);
    tickets<<<16, 128>>>(next, old, real, old_real, exchanged, old_exchanged);
    FINISH();
    auto numbers = old.get();
    auto reals = old_real.get();
    auto swaps = old_exchanged.get();
    swaps.push_back(exchanged.get()[0]);
    std::sort(numbers.begin(), numbers.end());
    std::sort(reals.begin(), reals.end());
    std::sort(swaps.begin(), swaps.end());
    for (unsigned i = 0; i < threads; i++) {
        EXPECT(numbers[i] == 10 + 3ull * i, "ticket %u is %llu", i, numbers[i]);
        EXPECT(reals[i] == -1 + 0.5 * i, "real ticket %u is %g", i, reals[i]);
    }
    for (unsigned i = 0; i <= threads; i++)
        EXPECT(swaps[i] == i, "exchange %u is %u", i, swaps[i]);
    return verdict();
}
