// expect: abort
// stderr: Memory access fault by GPU
// stderr: freed
// A store to memory that was freed.
// varies: stops inside a block
#include "check.h"

__global__ void store_freed(int *p) { p[threadIdx.x] = 1; }

int main() {
    int *p;
    HIP(hipMalloc(&p, 64 << 20));
    store_freed<<<1, 64>>>(p);
    FINISH();
    HIP(hipFree(p));
    store_freed<<<1, 64>>>(p);
    (void)hipDeviceSynchronize();
    return 0;
}
