// stdout: hello from 64 work-items
// The smallest whole program: one launch and one copy back. `cargo bench -p programs` times it.
#include "check.h"

__global__ void greet(int *out) { atomicAdd(out, 1); }

int main() {
    Array<int> count(1);
    count.zero();
    greet<<<1, 64>>>(count);
    FINISH();
    std::printf("hello from %d work-items\n", count.get()[0]);
    return verdict();
}
