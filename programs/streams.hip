// Streams, events, waits between streams, callbacks, and priorities.
#include "check.h"
#include <atomic>

__global__ void add(int *cells, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] = cells[i] * 2 + value;
}

static std::atomic<int> calls{0};
static void on_stream(hipStream_t, hipError_t status, void *data) {
    if (status == hipSuccess)
        calls += *static_cast<int *>(data);
}
static void on_other(hipStream_t stream, hipError_t, void *data) {
    if (stream)
        calls += 100 * *static_cast<int *>(data);
}

int main() {
    const int n = 4000, count = 6;
    hipStream_t streams[count];
    hipEvent_t events[count];
    int least, greatest;
    HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
    for (int s = 0; s < count; s++) {
        if (s % 3 == 0)
            HIP(hipStreamCreate(&streams[s]));
        else if (s % 3 == 1)
            HIP(hipStreamCreateWithFlags(&streams[s], hipStreamNonBlocking));
        else
            HIP(hipStreamCreateWithPriority(&streams[s], hipStreamDefault, greatest));
        HIP(hipEventCreate(&events[s]));
    }
    // Each stream has its own cells.
    Array<int> cells(n * count);
    cells.zero();
    HIP(hipDeviceSynchronize());
    for (int round = 1; round <= 10; round++)
        for (int s = 0; s < count; s++)
            add<<<(n + 63) / 64, 64, 0, streams[s]>>>(cells + s * n, n, round + s);
    HIP(hipDeviceSynchronize());
    auto got = cells.get();
    for (int s = 0; s < count; s++) {
        int expected = 0;
        for (int round = 1; round <= 10; round++)
            expected = expected * 2 + round + s;
        for (int i = 0; i < n; i++)
            EXPECT(got[s * n + i] == expected, "stream %d [%d] is %d instead of %d", s, i, got[s * n + i], expected);
    }
    // One array goes through all streams in turn, ordered by events.
    cells.zero();
    HIP(hipDeviceSynchronize());
    int expected = 0, turn = 0;
    for (int round = 0; round < 5; round++)
        for (int s = 0; s < count; s++, turn++) {
            if (turn)
                HIP(hipStreamWaitEvent(streams[s], events[(s + count - 1) % count], 0));
            add<<<(n + 255) / 256, 256, 0, streams[s]>>>(cells, n, turn);
            HIP(hipEventRecord(events[s], streams[s]));
            expected = int(unsigned(expected) * 2u + unsigned(turn));
        }
    HIP(hipEventSynchronize(events[count - 1]));
    EXPECT(hipEventQuery(events[count - 1]) == hipSuccess, "the event is not done after its wait");
    got = cells.get();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == expected, "[%d] is %d instead of %d", i, got[i], expected);
    float elapsed = -1;
    HIP(hipEventElapsedTime(&elapsed, events[0], events[count - 1]));
    EXPECT(elapsed >= 0 && elapsed < 60000, "%g ms", elapsed);
    // Callbacks run in order with the stream's work.
    static int one = 1, two = 2;
    HIP(hipStreamAddCallback(streams[0], on_stream, &one, 0));
    add<<<1, 64, 0, streams[0]>>>(cells, 64, 0);
    HIP(hipStreamAddCallback(streams[0], on_stream, &two, 0));
    HIP(hipStreamAddCallback(streams[1], on_other, &two, 0));
    for (auto s : streams)
        HIP(hipStreamSynchronize(s));
    HIP(hipDeviceSynchronize());
    EXPECT(calls == 203, "callbacks added up to %d", calls.load());
    for (int s = 0; s < count; s++) {
        EXPECT(hipStreamQuery(streams[s]) == hipSuccess, "stream %d is busy", s);
        HIP(hipEventDestroy(events[s]));
        HIP(hipStreamDestroy(streams[s]));
    }
    return verdict();
}
