// flags: -g -std=c++17
// expect: abort
// stderr: is outside its aperture
// stderr: beyond_lds
// stderr: of LDS, of which the workgroup has 5120 bytes
// stderr: fault_lds.hip:15 in
// A flat access behind the workgroup's LDS is a fault; ds instructions there read zeros, as in hardware.
// varies: stops inside a block
#include "check.h"

__global__ void beyond_lds(int *out, int distance) {
    __shared__ int room[1280];
    room[threadIdx.x] = threadIdx.x + 1;
    int *volatile flat = room;
    int value = threadIdx.x < 40 ? 0 : *const_cast<volatile int *>(flat + distance + threadIdx.x);
    out[threadIdx.x] = value + room[(threadIdx.x + distance * 64) % 64];
}

int main() {
    Array<int> out(64);
    beyond_lds<<<1, 64>>>(out, 0);
    FINISH();
    EXPECT(out.get()[50] == 51 + 51, "%d", out.get()[50]);
    // LDS is given out in pieces of 512, 1024 or 1280 bytes.
    beyond_lds<<<1, 64>>>(out, 2000);
    (void)hipDeviceSynchronize();
    return 0;
}
