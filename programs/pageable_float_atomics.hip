// environment: HSA_XNACK=1
// devices: gfx90a
// flags: -munsafe-fp-atomics
// stderr: floating-point atomics on fine-grained memory of the host changed nothing
// Floating-point atomics of the hardware on memory of the C library: it is fine-grained until the program says otherwise.
#include "check.h"

__global__ void add(double *cell) { atomicAdd(cell, 1.0); }

int main() {
    void *memory = nullptr;
    EXPECT(posix_memalign(&memory, 4096, 4096) == 0, "no memory");
    double *cell = (double *)memory;
    *cell = 5;
    add<<<2, 64>>>(cell);
    FINISH();
    EXPECT(*cell == 5, "fine-grained: %g", *cell);
    HIP(hipMemAdvise(memory, 4096, hipMemAdviseSetCoarseGrain, 0));
    add<<<2, 64>>>(cell);
    FINISH();
    EXPECT(*cell == 133, "coarse-grained: %g", *cell);
    HIP(hipMemAdvise(memory, 4096, hipMemAdviseUnsetCoarseGrain, 0));
    add<<<2, 64>>>(cell);
    FINISH();
    EXPECT(*cell == 133, "fine-grained again: %g", *cell);
    free(memory);
    return verdict();
}
