// stdout: block 0 thread 0: -1 4000000000 x 2.500000 text 100% 0x1234
// stdout: block 1 thread 2: -1 4000000002 z 4.500000 text 100% 0x1234
// stdout: long 1234567890123456789 and  padded|left      |
// stdout: odd lane 63
// printf from the device: formats, strings, divergence, many lanes.
// varies: waits for the host
#include "check.h"

__global__ void speak() {
    printf("block %d thread %d: %d %u %c %f %s 100%% %#x\n", int(blockIdx.x), int(threadIdx.x), -1, 4000000000u + threadIdx.x,
           char('x' + threadIdx.x), 2.5 + threadIdx.x, "text", 0x1234);
}
__global__ void wide() {
    if (threadIdx.x == 7)
        printf("long %lld and %7s|%-10s|\n", 1234567890123456789ll, "padded", "left");
}
__global__ void divergent() {
    if (threadIdx.x % 2)
        printf("odd lane %d\n", int(threadIdx.x));
    else if (threadIdx.x == 100)
        printf("no such lane\n");
}

int main() {
    speak<<<2, 3>>>();
    FINISH();
    wide<<<1, 64>>>();
    FINISH();
    divergent<<<1, 64>>>();
    FINISH();
    return verdict();
}
