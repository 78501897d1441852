// Three-dimensional grids and blocks: every coordinate is visited once, and the built-in sizes agree.
#include "check.h"

__global__ void visit(unsigned *counts, unsigned *wrong, dim3 grid, dim3 block) {
    if (gridDim.x != grid.x || gridDim.y != grid.y || gridDim.z != grid.z || blockDim.x != block.x || blockDim.y != block.y ||
        blockDim.z != block.z)
        atomicAdd(wrong, 1);
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
             z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned index = (z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x;
    atomicAdd(&counts[index], 1u + index);
}

int main() {
    struct {
        dim3 grid, block;
    } cases[] = {
        {{1, 1, 1}, {1, 1, 1}},   {{3, 5, 7}, {4, 2, 3}},    {{2, 1, 9}, {1, 64, 1}},   {{1, 4, 1}, {8, 8, 16}},
        {{65, 2, 3}, {16, 1, 2}}, {{1, 1, 100}, {1, 1, 64}}, {{5, 3, 2}, {10, 10, 10}},
    };
    Array<unsigned> wrong(1);
    wrong.zero();
    for (auto &c : cases) {
        size_t n = size_t(c.grid.x) * c.grid.y * c.grid.z * c.block.x * c.block.y * c.block.z;
        Array<unsigned> counts(n);
        counts.zero();
        visit<<<c.grid, c.block>>>(counts, wrong, c.grid, c.block);
        FINISH();
        auto got = counts.get();
        for (size_t i = 0; i < n; i++)
            EXPECT(got[i] == 1 + i, "[%zu] is %u", i, got[i]);
    }
    EXPECT(wrong.get()[0] == 0, "%u lanes saw other sizes", wrong.get()[0]);
    return verdict();
}
