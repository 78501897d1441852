// expect: abort
// stderr: Memory access fault by GPU
// stderr: through_null
// A store through a null pointer is reported by ROCr, and by us with the kernel's name.
// varies: stops inside a block
#include "check.h"

__global__ void through_null(int *p) { p[threadIdx.x] = 1; }

int main() {
    through_null<<<1, 64>>>(nullptr);
    (void)hipDeviceSynchronize();
    return 0;
}
