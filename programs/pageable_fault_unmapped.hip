// environment: HSA_XNACK=1
// devices: gfx90a
// also: gfx942 gfx950
// expect: abort
// stderr: Memory access fault by GPU
// stderr: nothing is mapped there
// varies: stops inside a block
// A store to memory that the program has unmapped since the last launch.
#include "check.h"

#include <sys/mman.h>

__global__ void touch(volatile int *cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[i] = i;
}

int main() {
    void *memory = mmap(nullptr, 8192 * sizeof(int), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int *cells = (int *)memory;
    touch<<<32, 256>>>(cells);
    FINISH();
    if (munmap(cells, 8192 * sizeof(int)) != 0)
        return 3;
    touch<<<32, 256>>>(cells);
    (void)hipDeviceSynchronize();
    return 0;
}
