// flags: -g
// devices: gfx90a
// expect: abort
// stderr: does not execute this instruction
// stderr: image_atomic_add v0, v0, s[8:15]
// stderr: [f048
// stderr: fault_unsupported.hip:13 in
// stderr: adds_to_image
// An instruction of the target that the emulator does not execute is named with its encoding, place and kernel.
// varies: stops inside a block
#include "check.h"

__global__ void adds_to_image() { asm volatile(".long 0xf0480100\n.long 0x00020000"); }

int main() {
    adds_to_image<<<1, 64>>>();
    (void)hipDeviceSynchronize();
    return 0;
}
