// Many workgroups, and block indices past 65535 in each dimension that has them.
#include "check.h"
#include <algorithm>

__global__ void count(unsigned long long *sum, unsigned *highest) {
    unsigned block = blockIdx.x + blockIdx.y + blockIdx.z;
    if (threadIdx.x == 0) {
        atomicAdd(sum, (unsigned long long)block);
        atomicMax(highest, block);
    }
}

int main() {
    Array<unsigned long long> sum(1);
    Array<unsigned> highest(1);
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    for (int axis = 0; axis < 3; axis++) {
        // gfx12 has 16 bits for the indices of the second and the third dimension.
        unsigned n = axis == 0 ? 200000 : std::min(66000, device.maxGridSize[axis]);
        dim3 grid(axis == 0 ? n : 1, axis == 1 ? n : 1, axis == 2 ? n : 1);
        sum.zero();
        highest.zero();
        count<<<grid, 32>>>(sum, highest);
        FINISH();
        unsigned long long expected = (unsigned long long)n * (n - 1) / 2;
        EXPECT(sum.get()[0] == expected, "axis %d: %llu instead of %llu", axis, sum.get()[0], expected);
        EXPECT(highest.get()[0] == n - 1, "axis %d: highest %u", axis, highest.get()[0]);
    }
    return verdict();
}
