// As many workgroups as the occupancy query promises can be launched together, and not one more; all of them meet.
// devices: gfx90a gfx1030
// also: *
// varies: waves look at memory until all have come to the barrier of the grid
#include "check.h"
#include <hip/hip_cooperative_groups.h>

template <int Words> __global__ void meet(int *arrived, int *seen) {
    __shared__ int room[Words];
    room[threadIdx.x % Words] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(arrived, 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0)
        seen[blockIdx.x] = *(volatile int *)arrived + (room[0] != (int)blockIdx.x);
}

template <int Words> static void limits(int units) {
    for (int size : {64, 192, 256, 1024}) {
        int each = 0;
        HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&each, meet<Words>, size, 0));
        int most = each * units;
        Array<int> arrived(1), seen(most + 1);
        arrived.zero();
        int *first = arrived.data, *second = seen.data;
        void *arguments[] = {&first, &second};
        auto launch = [&](int count) {
            return hipLaunchCooperativeKernel((void *)meet<Words>, dim3(count), dim3(size), arguments, 0, nullptr);
        };
        EXPECT(most > 0, "%d work-items, %d bytes of LDS: nothing fits", size, Words * 4);
        hipError_t more = launch(most + 1);
        EXPECT(more == hipErrorCooperativeLaunchTooLarge, "%d of %d work-items: %s", most + 1, size, hipGetErrorName(more));
        (void)hipGetLastError();
        HIP(launch(most));
        HIP(hipDeviceSynchronize());
        std::vector<int> host = seen.get();
        for (int at = 0; at < most; at++)
            EXPECT(host[at] == most, "workgroup %d of %d saw %d", at, most, host[at]);
    }
}

int main() {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    limits<1>(properties.multiProcessorCount);
    limits<4000>(properties.multiProcessorCount);
    limits<16000>(properties.multiProcessorCount);
    return verdict();
}
