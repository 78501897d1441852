// flags: -std=c++17 -pthread
// Many host threads that launch, copy and wait on streams of their own, and on shared ones; callbacks and events between.
#include "check.h"
#include <atomic>
#include <mutex>
#include <thread>

__global__ void step(int *data, int n, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] * 3 + add;
}
__global__ void count(unsigned *cell) { atomicAdd(cell, 1u); }

static std::mutex printing;
static std::atomic<int> called{0};

static void own_stream(int id) {
    hipStream_t stream;
    hipEvent_t begin, end;
    HIP(hipSetDevice(0));
    HIP(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, id % 3 - 1));
    HIP(hipEventCreate(&begin));
    HIP(hipEventCreateWithFlags(&end, id % 2 ? hipEventDefault : hipEventBlockingSync));
    const int n = 1000 + id * 37;
    int *data, *host;
    HIP(hipHostMalloc(&host, n * sizeof(int)));
    for (int round = 0; round < 12; round++) {
        HIP(hipMalloc(&data, n * sizeof(int)));
        for (int i = 0; i < n; i++)
            host[i] = i + id;
        HIP(hipEventRecord(begin, stream));
        HIP(hipMemcpyAsync(data, host, n * sizeof(int), hipMemcpyHostToDevice, stream));
        for (int k = 0; k < 5; k++)
            step<<<(n + 127) / 128, 128, 0, stream>>>(data, n, k + round);
        HIP(hipMemcpyAsync(host, data, n * sizeof(int), hipMemcpyDeviceToHost, stream));
        HIP(hipStreamAddCallback(stream, [](hipStream_t, hipError_t, void *p) { called += *(int *)p >= 0; }, host, 0));
        HIP(hipEventRecord(end, stream));
        HIP(hipEventSynchronize(end));
        HIP(hipStreamSynchronize(stream));
        HIP(hipFree(data));
        float milliseconds = -1;
        HIP(hipEventElapsedTime(&milliseconds, begin, end));
        std::lock_guard<std::mutex> lock(printing);
        EXPECT(milliseconds >= 0 && milliseconds < 60000, "%g ms", milliseconds);
        for (int i = 0; i < n; i++) {
            int want = i + id;
            for (int k = 0; k < 5; k++)
                want = want * 3 + k + round;
            EXPECT(host[i] == want, "thread %d round %d [%d]: %d instead of %d", id, round, i, host[i], want);
        }
    }
    HIP(hipHostFree(host));
    HIP(hipEventDestroy(begin));
    HIP(hipEventDestroy(end));
    HIP(hipStreamDestroy(stream));
}

int main() {
    {
        std::vector<std::thread> threads;
        for (int id = 0; id < 8; id++)
            threads.emplace_back(own_stream, id);
        for (auto &thread : threads)
            thread.join();
        EXPECT(called == 8 * 12, "%d callbacks ran", called.load());
    }
    // All on the null stream and on one stream.
    {
        hipStream_t shared;
        HIP(hipStreamCreate(&shared));
        Array<unsigned> cells(2);
        cells.zero();
        std::vector<std::thread> threads;
        for (int id = 0; id < 6; id++)
            threads.emplace_back([&] {
                for (int k = 0; k < 50; k++) {
                    count<<<3, 65>>>(cells.data);
                    count<<<2, 33, 0, shared>>>(cells.data + 1);
                }
            });
        for (auto &thread : threads)
            thread.join();
        FINISH();
        auto got = cells.get();
        EXPECT(got[0] == 6 * 50 * 3 * 65 && got[1] == 6 * 50 * 2 * 33, "%u and %u counted", got[0], got[1]);
        HIP(hipStreamDestroy(shared));
    }
    // A chain over streams: every stage waits for the event of the one before.
    {
        const int n = 512, stages = 24;
        std::vector<hipStream_t> streams(6);
        std::vector<hipEvent_t> events(stages);
        for (auto &stream : streams)
            HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
        for (auto &event : events)
            HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming));
        Array<int> data(std::vector<int>(n, 1));
        int want = 1;
        for (int s = 0; s < stages; s++) {
            hipStream_t stream = streams[s * 5 % 6];
            if (s)
                HIP(hipStreamWaitEvent(stream, events[s - 1], 0));
            step<<<4, 128, 0, stream>>>(data, n, s);
            HIP(hipEventRecord(events[s], stream));
            want = int(unsigned(want) * 3u + s);
        }
        HIP(hipEventSynchronize(events.back()));
        for (int v : data.get())
            EXPECT(v == want, "after the chain: %d instead of %d", v, want);
        for (auto stream : streams)
            HIP(hipStreamDestroy(stream));
        for (auto event : events)
            HIP(hipEventDestroy(event));
    }
    // Callbacks in order.
    {
        static std::vector<int> order;
        hipStream_t stream;
        HIP(hipStreamCreate(&stream));
        static int numbers[20];
        for (int k = 0; k < 20; k++) {
            numbers[k] = k;
            HIP(hipStreamAddCallback(stream, [](hipStream_t, hipError_t, void *p) { order.push_back(*(int *)p); }, &numbers[k], 0));
        }
        HIP(hipStreamSynchronize(stream));
        EXPECT(order.size() == 20, "%zu callbacks", order.size());
        for (size_t k = 0; k < order.size(); k++)
            EXPECT(order[k] == int(k), "callback %zu is %d", k, order[k]);
        HIP(hipStreamDestroy(stream));
    }
    return verdict();
}
