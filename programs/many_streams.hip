// Sixteen streams with fifty launches and copies each, from four threads, with events between neighbours.
#include "check.h"
#include <thread>

__global__ void step(int *cells, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] = cells[i] * 3 + value;
}

int main() {
    const int n = 500, count = 16, rounds = 50;
    Array<int> cells(n * count);
    cells.zero();
    HIP(hipDeviceSynchronize());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&cells, t] {
            hipStream_t streams[4];
            for (auto &stream : streams)
                HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
            std::vector<int> out(n);
            for (int round = 0; round < rounds; round++)
                for (int s = 0; s < 4; s++) {
                    int *mine = cells + (t * 4 + s) * n;
                    step<<<(n + 127) / 128, 128, 0, streams[s]>>>(mine, n, t + s + round);
                    if (round % 10 == 9)
                        HIP(hipMemcpyAsync(out.data(), mine, n * 4, hipMemcpyDeviceToHost, streams[s]));
                }
            for (auto &stream : streams) {
                HIP(hipStreamSynchronize(stream));
                HIP(hipStreamDestroy(stream));
            }
        });
    for (auto &thread : threads)
        thread.join();
    auto got = cells.get();
    for (int k = 0; k < count; k++) {
        unsigned expected = 0;
        for (int round = 0; round < rounds; round++)
            expected = expected * 3 + k / 4 + k % 4 + round;
        for (int i = 0; i < n; i++)
            EXPECT(unsigned(got[k * n + i]) == expected, "stream %d [%d] is %x instead of %x", k, i, got[k * n + i], expected);
    }
    return verdict();
}
