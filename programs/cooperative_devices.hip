// run: --gpus 2
// devices: gfx90a gfx1030
// varies: the last kernel waits for the other device's by polling
// Cooperative kernels on two devices at once. The blocks of each device wait for each other, and in the second part for those of the other one.
#include "check.h"
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int BLOCKS = 4, BLOCK = 128, THREADS = BLOCKS * BLOCK, ROUNDS = 20;

// In each round every block adds what its neighbour wrote before. The first device is late, the second one is early.
__global__ void neighbours(int *cells, int late) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int round = 0; round < ROUNDS; round++) {
        for (int turn = 0; turn < late * int(blockIdx.x + 1); turn++)
            __builtin_amdgcn_s_sleep(1);
        int from = cells[round % 2 * THREADS + (i + BLOCK) % THREADS];
        cells[(round + 1) % 2 * THREADS + i] = from + 1;
        grid.sync();
    }
}

// Every device counts its threads, waits for the other one, and sees all of them.
__global__ void meet(int *counter, int *seen) {
    cg::multi_grid_group grids = cg::this_multi_grid();
    atomicAdd_system(counter, 1);
    grids.sync();
    seen[grids.thread_rank()] = __hip_atomic_load(counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

static void each_alone() {
    int *cells[2];
    for (int device = 0; device < 2; device++) {
        HIP(hipSetDevice(device));
        HIP(hipMalloc(&cells[device], 2 * THREADS * sizeof(int)));
        HIP(hipMemset(cells[device], 0, 2 * THREADS * sizeof(int)));
        HIP(hipDeviceSynchronize());
    }
    for (int device = 0; device < 2; device++) {
        HIP(hipSetDevice(device));
        int late = device == 0 ? 3 : 0;
        void *arguments[] = {&cells[device], &late};
        const void *kernel = reinterpret_cast<const void *>(neighbours);
        HIP(hipLaunchCooperativeKernel(kernel, dim3(BLOCKS), dim3(BLOCK), arguments, 0, nullptr));
    }
    for (int device = 0; device < 2; device++) {
        HIP(hipSetDevice(device));
        FINISH();
        std::vector<int> out(THREADS);
        HIP(hipMemcpy(out.data(), cells[device], THREADS * sizeof(int), hipMemcpyDeviceToHost));
        for (int i = 0; i < THREADS; i++)
            EXPECT(out[i] == ROUNDS, "device %d: [%d] is %d", device, i, out[i]);
        HIP(hipFree(cells[device]));
    }
}

static void together() {
    int *counter, *seen;
    HIP(hipHostMalloc(&counter, sizeof(int), hipHostMallocCoherent | hipHostMallocPortable));
    HIP(hipHostMalloc(&seen, 2 * THREADS * sizeof(int), hipHostMallocCoherent | hipHostMallocPortable));
    *counter = 0;
    void *arguments[] = {&counter, &seen};
    hipStream_t streams[2];
    hipLaunchParams launches[2] = {};
    for (int device = 0; device < 2; device++) {
        HIP(hipSetDevice(device));
        HIP(hipStreamCreate(&streams[device]));
        launches[device].func = reinterpret_cast<void *>(meet);
        launches[device].gridDim = dim3(BLOCKS);
        launches[device].blockDim = dim3(BLOCK);
        launches[device].args = arguments;
        launches[device].stream = streams[device];
    }
    HIP(hipLaunchCooperativeKernelMultiDevice(launches, 2, 0));
    for (int device = 0; device < 2; device++)
        HIP(hipStreamSynchronize(streams[device]));
    for (int i = 0; i < 2 * THREADS; i++)
        EXPECT(seen[i] == 2 * THREADS, "thread %d saw %d threads", i, seen[i]);
    HIP(hipHostFree(counter));
    HIP(hipHostFree(seen));
}

int main() {
    int count = 0;
    HIP(hipGetDeviceCount(&count));
    EXPECT(count == 2, "%d devices", count);
    if (count < 2)
        return verdict();
    each_alone();
    together();
    return verdict();
}
