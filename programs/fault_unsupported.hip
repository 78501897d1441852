// flags: -g
// devices: gfx90a
// expect: abort
// stderr: does not execute this instruction
// stderr: image_load_pck v0, v0, s[8:15]
// stderr: [f008
// stderr: fault_unsupported.hip:13 in
// stderr: loads_packed
// An instruction of the target that the emulator does not execute is named with its encoding, place and kernel.
// varies: stops inside a block
#include "check.h"

__global__ void loads_packed() { asm volatile(".long 0xf0080100\n.long 0x00020000"); }

int main() {
    loads_packed<<<1, 64>>>();
    (void)hipDeviceSynchronize();
    return 0;
}
