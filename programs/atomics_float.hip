// Floating-point atomics and compare-and-swap loops. Sums of small integers are exact in any order.
// devices: gfx90a gfx1030 gfx900 gfx908
// also: *
// varies: compare-and-swap loops
#include "check.h"

__global__ void sums(float *f, double *d, float *lds_out) {
    __shared__ float local;
    __shared__ double wide;
    if (threadIdx.x == 0) {
        local = 0;
        wide = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&f[0], float(i & 15));
    atomicAdd(&d[0], double(i));
    atomicAdd(&local, float(threadIdx.x));
    atomicAdd(&wide, 0.5 * threadIdx.x);
    unsafeAtomicAdd(&f[1], 1.0f);
    unsafeAtomicAdd(&d[1], 2.0);
    atomicAddNoRet(&f[2], 3.0f);
    float before = atomicAdd(&f[3], 1.0f);
    lds_out[16 + i] = before;
    __syncthreads();
    if (threadIdx.x == 0)
        lds_out[blockIdx.x] = local + float(wide);
}

__device__ float max_by_swap(float *cell, float value) {
    int *bits = reinterpret_cast<int *>(cell);
    int seen = *bits;
    while (__int_as_float(seen) < value) {
        int found = atomicCAS(bits, seen, __float_as_int(value));
        if (found == seen)
            break;
        seen = found;
    }
    return __int_as_float(seen);
}

__global__ void swaps(float *most, unsigned long long *product, unsigned short *halves, int *lock, int *guarded) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    max_by_swap(most, float((i * 7919) % 10007) * 0.25f);
    unsigned long long seen = *product, found;
    do {
        found = seen;
        seen = atomicCAS(product, found, found * 3 + 1);
    } while (seen != found);
    // A 16-bit counter inside a word.
    unsigned *word = reinterpret_cast<unsigned *>(halves);
    unsigned old = *word, expected;
    do {
        expected = old;
        unsigned value = (expected & 0xffff0000u) | ((expected + 1) & 0xffffu);
        old = atomicCAS(word, expected, value);
    } while (old != expected);
    // A lock, taken by one lane per wave.
    if (threadIdx.x % 64 == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *(volatile int *)guarded = *(volatile int *)guarded + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

__global__ void lds_swaps(int *out, float *extremes) {
    __shared__ int counter;
    __shared__ unsigned long long wide;
    __shared__ float least;
    if (threadIdx.x == 0) {
        counter = 0;
        wide = 0;
        least = 1e30f;
    }
    __syncthreads();
    int seen = counter, old;
    do {
        old = seen;
        seen = atomicCAS(&counter, old, old + 2);
    } while (seen != old);
    unsigned long long seen64 = wide, old64;
    do {
        old64 = seen64;
        seen64 = atomicCAS(&wide, old64, old64 + (1ull << 32));
    } while (seen64 != old64);
    typedef __attribute__((address_space(3))) float *Local;
    __builtin_amdgcn_ds_fminf((Local)&least, 100.0f - threadIdx.x, 0, 0, false);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = counter;
        out[1] = int(wide >> 32);
        extremes[0] = least;
    }
}

int main() {
    const int blocks = 16, block = 192, n = blocks * block;
    Array<float> f(4), lds_out(16 + n);
    Array<double> d(2);
    f.zero();
    d.zero();
    sums<<<blocks, block>>>(f, d, lds_out);
    FINISH();
    auto got = f.get();
    auto wide = d.get();
    float low = 0;
    for (int i = 0; i < n; i++)
        low += i & 15;
    EXPECT(got[0] == low, "float sum %g instead of %g", got[0], low);
    EXPECT(got[1] == n && got[2] == 3 * n && got[3] == n, "%g %g %g", got[1], got[2], got[3]);
    EXPECT(wide[0] == double(n) * (n - 1) / 2 && wide[1] == 2.0 * n, "%g %g", wide[0], wide[1]);
    auto local = lds_out.get();
    std::vector<int> seen(n);
    for (int b = 0; b < blocks; b++)
        EXPECT(local[b] == block * (block - 1) * 0.75f, "LDS sum of block %d: %g", b, local[b]);
    for (int i = 0; i < n; i++)
        seen[int(local[16 + i]) % n]++;
    for (int i = 0; i < n; i++)
        EXPECT(seen[i] == 1, "value %d before an add seen %d times", i, seen[i]);

    Array<float> most(std::vector<float>{-1});
    Array<unsigned long long> product(std::vector<unsigned long long>{1});
    Array<unsigned short> halves(std::vector<unsigned short>{65530, 1234});
    Array<int> lock(std::vector<int>{0}), guarded(std::vector<int>{0});
    swaps<<<8, 128>>>(most, product, halves, lock, guarded);
    FINISH();
    float highest = 0;
    unsigned long long expected = 1;
    for (int i = 0; i < 1024; i++) {
        highest = std::max(highest, float((i * 7919) % 10007) * 0.25f);
        expected = expected * 3 + 1;
    }
    EXPECT(most.get()[0] == highest, "max %g instead of %g", most.get()[0], highest);
    EXPECT(product.get()[0] == expected, "product %llx instead of %llx", product.get()[0], expected);
    EXPECT(halves.get()[0] == uint16_t(65530 + 1024) && halves.get()[1] == 1234, "halves %d %d", halves.get()[0], halves.get()[1]);
    EXPECT(guarded.get()[0] == 16, "guarded counter %d", guarded.get()[0]);

    Array<int> out(2);
    Array<float> extremes(1);
    lds_swaps<<<1, 128>>>(out, extremes);
    FINISH();
    EXPECT(out.get()[0] == 256 && out.get()[1] == 128, "LDS swaps %d %d", out.get()[0], out.get()[1]);
    EXPECT(extremes.get()[0] == -27, "LDS float min %g", extremes.get()[0]);
    return verdict();
}
