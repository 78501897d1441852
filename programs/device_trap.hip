// expect: abort
// stderr: trap
// A trap stops the program.
// varies: stops inside a block
#include "check.h"

__global__ void trap(int lane) {
    if (int(threadIdx.x) == lane)
        __builtin_trap();
}

int main() {
    trap<<<1, 64>>>(-1);
    FINISH();
    trap<<<1, 64>>>(5);
    (void)hipDeviceSynchronize();
    return 0;
}
