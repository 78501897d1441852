// Semaphores of the whole device (global wave sync), below the barriers of cooperative launches.
// devices: gfx90a gfx1030 gfx908
// also: gfx942 gfx950 gfx1100 gfx1151
// varies: waves wait for each other
#include "check.h"

enum { FULL = 1, EMPTY = 2, LOCK = 3, GATE = 4, ROUNDS = 50 };

// Block 0 hands numbers to block 1, one at a time.
__global__ void hand_over(volatile int *slot, int *received) {
    if (blockIdx.x == 0) {
        for (int i = 0; i < ROUNDS; i++) {
            *slot = i * i + 7;
            __threadfence();
            __builtin_amdgcn_ds_gws_sema_v(FULL);
            __builtin_amdgcn_ds_gws_sema_p(EMPTY);
        }
    } else {
        for (int i = 0; i < ROUNDS; i++) {
            __builtin_amdgcn_ds_gws_sema_p(FULL);
            received[i] = *slot;
            __threadfence();
            __builtin_amdgcn_ds_gws_sema_v(EMPTY);
        }
    }
}

// One wave is in the middle at a time. The first one opens.
__global__ void exclude(volatile int *count) {
    if (blockIdx.x == 0)
        __builtin_amdgcn_ds_gws_sema_v(LOCK);
    for (int i = 0; i < ROUNDS; i++) {
        __builtin_amdgcn_ds_gws_sema_p(LOCK);
        if (threadIdx.x == 0)
            *count = *count + 1;
        __threadfence();
        __builtin_amdgcn_ds_gws_sema_v(LOCK);
    }
}

// The last block writes what the others wait for, and opens for all at once, before or after they come.
__global__ void open(volatile int *word, int *seen) {
    if (blockIdx.x == gridDim.x - 1) {
        *word = 4711;
        __threadfence();
        __builtin_amdgcn_ds_gws_sema_br(gridDim.x - 1, GATE);
    } else {
        __builtin_amdgcn_ds_gws_sema_p(GATE);
        if (threadIdx.x == 0)
            seen[blockIdx.x] = *word;
    }
}

// One wave to a block.
static void launch(const void *kernel, int blocks, void *first, void *second) {
    void *arguments[] = {&first, &second};
    HIP(hipLaunchCooperativeKernel(kernel, dim3(blocks), dim3(32), arguments, 0, nullptr));
    FINISH();
}

int main() {
    const int blocks = 12;
    Array<int> word(1), results(ROUNDS);
    word.zero();
    launch(reinterpret_cast<const void *>(hand_over), 2, word.data, results.data);
    auto received = results.get();
    for (int i = 0; i < ROUNDS; i++)
        EXPECT(received[i] == i * i + 7, "number %d is %d", i, received[i]);

    word.zero();
    launch(reinterpret_cast<const void *>(exclude), blocks, word.data, nullptr);
    EXPECT(word.get()[0] == blocks * ROUNDS, "%d waves were alone instead of %d", word.get()[0], blocks * ROUNDS);

    word.zero();
    results.zero();
    launch(reinterpret_cast<const void *>(open), blocks, word.data, results.data);
    auto seen = results.get();
    for (int i = 0; i < blocks - 1; i++)
        EXPECT(seen[i] == 4711, "block %d saw %d", i, seen[i]);
    return verdict();
}
