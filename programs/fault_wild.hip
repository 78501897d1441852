// expect: abort
// stderr: Memory access fault by GPU
// stderr: read_far
// A load far past an allocation.
// varies: stops inside a block
#include "check.h"

__global__ void read_far(int *p, size_t distance) { p[threadIdx.x] = p[distance]; }

int main() {
    Array<int> cells(64);
    read_far<<<1, 64>>>(cells, size_t(1) << 42);
    (void)hipDeviceSynchronize();
    return 0;
}
