// expect: abort
// stderr: is_small
// A failing device assertion prints its place and aborts the program.
// varies: waits for the host
#undef NDEBUG
#include "check.h"
#include <cassert>

__global__ void check(int limit) {
    bool is_small = int(threadIdx.x) < limit;
    assert(is_small);
}

int main() {
    check<<<1, 64>>>(64);
    FINISH();
    std::printf("no failure yet\n");
    std::fflush(stdout);
    check<<<1, 64>>>(63);
    (void)hipDeviceSynchronize();
    return 0;
}
