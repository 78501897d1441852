// fork before and after the first use of the device, and several threads that use it at once.
// varies: one process ends by _exit, where tools cannot deliver
#include "check.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void square(int *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] = cells[i] * cells[i] + 1;
}

static int work(int seed) {
    const int n = 3000;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++)
        in[i] = i % 100 + seed;
    Array<int> cells(in);
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    for (int round = 0; round < 5; round++) {
        HIP(hipMemcpyAsync(cells, in.data(), n * 4, hipMemcpyHostToDevice, stream));
        square<<<(n + 255) / 256, 256, 0, stream>>>(cells, n);
        HIP(hipStreamSynchronize(stream));
    }
    auto got = cells.get();
    HIP(hipStreamDestroy(stream));
    for (int i = 0; i < n; i++)
        if (got[i] != in[i] * in[i] + 1)
            return 1;
    return 0;
}

static int child_status(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

int main() {
    pid_t first = fork();
    if (first == 0)
        _exit(work(1));
    EXPECT(child_status(first) == 0, "a child before the first use failed");
    EXPECT(work(2) == 0, "the parent's own work failed");
    // A child that does not touch the device lives and dies in peace.
    pid_t second = fork();
    if (second == 0)
        _exit(7);
    EXPECT(child_status(second) == 7, "a child after the first use failed");
    int results[4] = {9, 9, 9, 9};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&results, i] { results[i] = work(10 * i); });
    for (auto &thread : threads)
        thread.join();
    for (int i = 0; i < 4; i++)
        EXPECT(results[i] == 0, "thread %d: %d", i, results[i]);
    return verdict();
}
