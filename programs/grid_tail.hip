// Grids that are no multiple of the block, and blocks that are no multiple of the wave.
#include "check.h"

__global__ void fill(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * 3 + 1;
}

__global__ void where(unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = blockDim.x << 16 | threadIdx.x;
}

int main() {
    for (int n : {1, 2, 31, 33, 63, 64, 65, 127, 255, 257, 1000, 4097}) {
        for (int block : {1, 7, 32, 64, 100, 256, 1024}) {
            Array<int> out(n + 8);
            HIP(hipMemset(out, 0x55, (n + 8) * 4));
            fill<<<(n + block - 1) / block, block>>>(out, n);
            FINISH();
            auto got = out.get();
            for (int i = 0; i < n; i++)
                EXPECT(got[i] == i * 3 + 1, "n %d block %d: [%d] is %d", n, block, i, got[i]);
            for (int i = n; i < n + 8; i++)
                EXPECT(got[i] == 0x55555555, "n %d block %d wrote past its end at %d", n, block, i);
        }
    }
    for (unsigned block : {1u, 65u, 96u, 1000u}) {
        Array<unsigned> out(3 * block);
        where<<<3, block>>>(out);
        FINISH();
        auto got = out.get();
        for (unsigned i = 0; i < 3 * block; i++)
            EXPECT(got[i] == (block << 16 | i % block), "block %u: [%u] is %x", block, i, got[i]);
    }
    return verdict();
}
