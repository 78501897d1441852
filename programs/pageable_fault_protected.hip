// environment: HSA_XNACK=1
// devices: gfx90a
// also: gfx942 gfx950
// expect: abort
// stderr: Memory access fault by GPU
// stderr: may not be accessed
// varies: stops inside a block
// A load from a page that the program has protected since the last launch.
#include "check.h"

#include <sys/mman.h>

__global__ void touch(volatile int *cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (cells[i] == 12345)
        cells[0] = 1;
}

int main() {
    void *memory = mmap(nullptr, 8192 * sizeof(int), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int *cells = (int *)memory;
    touch<<<32, 256>>>(cells);
    FINISH();
    if (mprotect(cells + 4096, 4096 * sizeof(int), PROT_NONE) != 0)
        return 3;
    touch<<<32, 256>>>(cells);
    (void)hipDeviceSynchronize();
    return 0;
}
