// flags: -g
// expect: abort
// stderr: Memory access fault by GPU
// stderr: write_far
// stderr: _store_
// stderr: fault_source_line.hip:14 in
// stderr: inlined at
// stderr: fault_source_line.hip:18 in
// stderr: lane 9
// A fault in an inlined function is reported with instruction, both source lines, lane and address.
// varies: stops inside a block
#include "check.h"

__device__ __forceinline__ void poke(int *p, int i) { p[i] = 1; }

__global__ void write_far(int **table, int n) {
    if (int(threadIdx.x) > n)
        poke(table[0], threadIdx.x);
}

int main() {
    Array<int *> table(std::vector<int *>{reinterpret_cast<int *>(0x30001000)});
    write_far<<<1, 64>>>(table, 8);
    (void)hipDeviceSynchronize();
    return 0;
}
