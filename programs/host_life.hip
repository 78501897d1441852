// The host's life goes on: threads with a stream each, callbacks, exceptions, signals that are handled, a child by fork and exec.
// devices: gfx90a gfx1030
// also: *
// flags: -pthread
#include "check.h"
#include <atomic>
#include <csignal>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void add(int *data, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += by;
}
static std::atomic<int> called{0}, signals{0};
static void one_more(hipStream_t, hipError_t, void *) { called++; }

static int work(int which, int n, int rounds) {
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    hipEvent_t event;
    HIP(hipEventCreate(&event));
    std::vector<int> host(n, which);
    int *data;
    HIP(hipMalloc(&data, n * 4));
    HIP(hipMemcpyAsync(data, host.data(), n * 4, hipMemcpyHostToDevice, stream));
    for (int i = 0; i < rounds; i++) {
        add<<<(n + 127) / 128, 128, 0, stream>>>(data, n, i);
        HIP(hipStreamAddCallback(stream, one_more, nullptr, 0));
        raise(SIGUSR1);
    }
    HIP(hipEventRecord(event, stream));
    HIP(hipEventSynchronize(event));
    HIP(hipMemcpyAsync(host.data(), data, n * 4, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamSynchronize(stream));
    int wrong = 0;
    for (int value : host)
        wrong += value != which + rounds * (rounds - 1) / 2;
    HIP(hipFree(data));
    HIP(hipEventDestroy(event));
    HIP(hipStreamDestroy(stream));
    return wrong;
}

int main(int count, char **words) {
    signal(SIGUSR1, [](int) { signals++; });
    if (count > 1)
        return work(atoi(words[1]), 500, 3) ? 1 : 42;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int which = 0; which < 4; which++)
        threads.emplace_back([&, which] {
            try {
                wrong += work(which, 1000 + which, 6);
                throw std::runtime_error("as expected");
            } catch (const std::exception &error) {
                wrong += strcmp(error.what(), "as expected") != 0;
            }
        });
    for (auto &thread : threads)
        thread.join();
    EXPECT(wrong == 0, "%d wrong", wrong.load());
    EXPECT(called == 24, "%d callbacks", called.load());
    EXPECT(signals == 24, "%d signals", signals.load());
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", words[0], "5", nullptr);
        _exit(9);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42, "the child's status is %x", status);
    EXPECT(work(9, 300, 4) == 0, "after the child");
    return verdict();
}
