// Cooperative launches: a grid that synchronises, small and as large as the device holds.
// devices: gfx90a gfx1030 gfx908
// also: *
// varies: waves wait for each other
#include "check.h"
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// Every block adds what its neighbour wrote before the grid synchronised.
__global__ void neighbours(int *a, int *b, int rounds) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    for (int round = 0; round < rounds; round++) {
        b[i] = a[i] + a[(i + blockDim.x) % n];
        grid.sync();
        a[i] = b[i] % 1000;
        grid.sync();
    }
}

static void check(int blocks, int block, int rounds) {
    const int n = blocks * block;
    std::vector<int> a(n), b(n);
    for (int i = 0; i < n; i++)
        a[i] = i % 77;
    Array<int> device_a(a), device_b(n);
    int *pa = device_a, *pb = device_b;
    void *arguments[] = {&pa, &pb, &rounds};
    HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void *>(neighbours), dim3(blocks), dim3(block), arguments, 0, nullptr));
    FINISH();
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++)
            b[i] = a[i] + a[(i + block) % n];
        for (int i = 0; i < n; i++)
            a[i] = b[i] % 1000;
    }
    auto found = device_a.get();
    for (int i = 0; i < n; i++)
        EXPECT(found[i] == a[i], "%d blocks: [%d] is %d instead of %d", blocks, i, found[i], a[i]);
}

int main() {
    int supported = 0, most = 0;
    HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
    EXPECT(supported, "cooperative launches are not supported");
    check(8, 128, 6);
    check(3, 200, 4);
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&most, reinterpret_cast<const void *>(neighbours), 256, 0));
    check(most * properties.multiProcessorCount, 256, 1);
    return verdict();
}
