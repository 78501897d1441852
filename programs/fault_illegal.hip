// flags: -g
// expect: abort
// stderr: illegal instruction
// stderr: undecodable word 0xffffffff
// stderr: fault_illegal.hip:16 in
// stderr: no_such_instruction
// Words that are no instruction of the target stop the program where they are reached, not before.
// varies: stops inside a block
#include "check.h"

__global__ void no_such_instruction(int *out, int never) {
    out[threadIdx.x] = 1;
    if (never)
        out[0] = 2;
    else
        asm volatile(".long 0xffffffff");
}

int main() {
    Array<int> out(64);
    no_such_instruction<<<1, 64>>>(out, 1);
    FINISH();
    EXPECT(out.get()[0] == 2, "the other branch gave %d", out.get()[0]);
    no_such_instruction<<<1, 64>>>(out, 0);
    (void)hipDeviceSynchronize();
    return 0;
}
