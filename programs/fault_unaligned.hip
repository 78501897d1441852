// flags: -g
// expect: abort
// stderr: misaligned access
// stderr: global_atomic_add
// stderr: fault_unaligned.hip:11 in
// stderr: lane 3
// An atomic on an address that is no multiple of its size.
// varies: stops inside a block
#include "check.h"

__global__ void crooked(char *p) { atomicAdd(reinterpret_cast<unsigned *>(p + threadIdx.x * 4 + (threadIdx.x == 3)), 1u); }

int main() {
    Array<char> cells(512);
    crooked<<<1, 64>>>(cells);
    (void)hipDeviceSynchronize();
    return 0;
}
