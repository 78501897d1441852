// Cooperative groups: tiles of several sizes, and the whole block.
#include "check.h"
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

template <int size> __global__ void tile_sums(const int *in, int *out, int *ranks) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<size> tile = cg::tiled_partition<size>(block);
    int t = block.thread_rank(), v = in[blockIdx.x * blockDim.x + t];
    for (int half = size / 2; half > 0; half /= 2)
        v += tile.shfl_down(v, half);
    ranks[blockIdx.x * blockDim.x + t] = tile.thread_rank() * 1000 + tile.size();
    if (tile.thread_rank() == 0)
        out[(blockIdx.x * blockDim.x + t) / size] = v;
}
template <int size> void check_tiles() {
    const int n = 512;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 3 + 1;
    Array<int> device_in(in), out(n / size), ranks(n);
    tile_sums<size><<<2, 256>>>(device_in, out, ranks);
    FINISH();
    auto got = out.get(), found = ranks.get();
    for (int g = 0; g < n / size; g++) {
        int sum = 0;
        for (int i = 0; i < size; i++)
            sum += in[g * size + i];
        EXPECT(got[g] == sum, "tile %d of %d: %d instead of %d", g, size, got[g], sum);
    }
    for (int i = 0; i < n; i++)
        EXPECT(found[i] == i % size * 1000 + size, "rank of %d: %d", i, found[i]);
}

__global__ void block_rotate(int *cells) {
    __shared__ int tile[256];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    for (int round = 0; round < 5; round++) {
        tile[t] = cells[t];
        block.sync();
        cells[t] = tile[(t + 1) % block.size()];
        block.sync();
    }
}

int main() {
    check_tiles<2>();
    check_tiles<8>();
    check_tiles<16>();
    check_tiles<32>();
    Array<int> cells(256);
    std::vector<int> in(256);
    for (int i = 0; i < 256; i++)
        in[i] = i;
    cells.set(in);
    block_rotate<<<1, 256>>>(cells);
    FINISH();
    auto got = cells.get();
    for (int i = 0; i < 256; i++)
        EXPECT(got[i] == (i + 5) % 256, "rotated [%d] is %d", i, got[i]);

    return verdict();
}
