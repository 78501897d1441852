// A kernel waits for flags that the host writes while it runs, and answers each.
// varies: waits for the host
#include "check.h"
#include <chrono>
#include <thread>

__global__ void echo(volatile int *question, volatile int *answer, int rounds) {
    for (int i = 1; i <= rounds; i++) {
        while (__hip_atomic_load(const_cast<int *>(question), __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != i)
            ;
        __hip_atomic_store(const_cast<int *>(answer), i * i, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    }
}

int main() {
    int *cells;
    HIP(hipHostMalloc(&cells, 4096, hipHostMallocCoherent));
    cells[0] = cells[512] = 0;
    echo<<<1, 1>>>(cells, cells + 512, 20);
    HIP(hipGetLastError());
    for (int i = 1; i <= 20; i++) {
        if (i == 10)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        __atomic_store_n(&cells[0], i, __ATOMIC_RELEASE);
        auto start = std::chrono::steady_clock::now();
        while (__atomic_load_n(&cells[512], __ATOMIC_ACQUIRE) != i * i) {
            if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) {
                std::printf("no answer to question %d\n", i);
                std::_Exit(1);
            }
            std::this_thread::yield();
        }
    }
    HIP(hipDeviceSynchronize());
    return verdict();
}
