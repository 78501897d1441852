// More places than a mask or a group of registers holds, functions of their own, and ends that are no return.
#include <cstdio>

#include <hip/hip_runtime.h>

#define IF(k)         \
    if (x >> (k) & 1) \
        y = y * 3 + (k);
#define LOOP(k)                                   \
    for (unsigned i = x & (k); i > 0; i &= i - 1) \
        y ^= i + (k);
#define EIGHT(of, k) of((k)) of((k) + 1) of((k) + 2) of((k) + 3) of((k) + 4) of((k) + 5) of((k) + 6) of((k) + 7)

// 32 places that a lane comes to at most once.
__global__ void masks(unsigned *out, unsigned factor) {
    unsigned x = threadIdx.x * factor, y = 1;
    EIGHT(IF, 0)
    EIGHT(IF, 8)
    EIGHT(IF, 16)
    EIGHT(IF, 24)
    out[threadIdx.x] = y;
}

// 48 sums.
__global__ void sums(unsigned *out, unsigned factor) {
    unsigned x = threadIdx.x * factor, y = 1;
    EIGHT(LOOP, 1)
    EIGHT(LOOP, 9)
    EIGHT(LOOP, 17)
    EIGHT(LOOP, 25)
    EIGHT(LOOP, 33)
    EIGHT(LOOP, 41)
    out[threadIdx.x] = y;
}

__device__ __noinline__ unsigned steps(unsigned x) {
    unsigned count = 0;
    while (x != 1) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x /= 2;
        if (++count == 40)
            break;
    }
    return count;
}

// Lanes end in three ways.
__global__ void ends(unsigned *out, unsigned limit) {
    unsigned x = threadIdx.x;
    if (x >= limit)
        return;
    if (x % 3 == 2) {
        out[x] = steps(x + 1);
        __builtin_amdgcn_endpgm();
    }
    for (unsigned i = 0; i < x; i += 2)
        out[x] += i;
}

int main() {
    unsigned *out;
    if (hipMalloc(&out, 1024) != hipSuccess || hipMemset(out, 0, 1024) != hipSuccess)
        return 1;
    masks<<<1, 100>>>(out, 0x9e3779b9);
    sums<<<1, 100>>>(out, 0x9e3779b9);
    if (hipMemset(out, 0, 1024) != hipSuccess)
        return 1;
    ends<<<1, 100>>>(out, 90);
    unsigned copy[256], sum = 0;
    if (hipMemcpy(copy, out, 1024, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    for (unsigned value : copy)
        sum = sum * 31 + value;
    printf("%u\n", sum);
}
