// stdout: launches done
// Many launches of the smallest kernel in every way that a program can wait for one. `cargo bench -p programs --bench launching` prints
// how long they take, which this says on standard error.
#include "check.h"

#include <algorithm>
#include <chrono>
#include <vector>

constexpr int ROUNDS = 60, NODES = 20;

__global__ void count(int *out) {
    if (threadIdx.x == 0)
        *out += 1;
}

static double microseconds() {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(now).count();
}

static void report(const char *what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    std::fprintf(stderr, "%-36s median %8.1f us, least %8.1f us\n", what, times[times.size() / 2], times[0]);
}

/// Times `act`, which is `parts` launches.
template <class Act> void measure(const char *what, int rounds, int parts, Act act) {
    std::vector<double> times;
    for (int round = 0; round < rounds; round++) {
        double began = microseconds();
        act();
        times.push_back((microseconds() - began) / parts);
    }
    report(what, times);
}

int main() {
    Array<int> counter(1);
    counter.zero();
    hipStream_t stream;
    hipEvent_t event;
    HIP(hipStreamCreate(&stream));
    HIP(hipEventCreate(&event));
    int launches = 0;
    auto launch = [&] {
        count<<<1, 64, 0, stream>>>(counter);
        launches++;
    };
    measure("launch, wait for the stream", ROUNDS, 1, [&] {
        launch();
        HIP(hipStreamSynchronize(stream));
    });
    measure("launch, wait for the device", ROUNDS, 1, [&] {
        launch();
        HIP(hipDeviceSynchronize());
    });
    measure("launch, wait for an event", ROUNDS, 1, [&] {
        launch();
        HIP(hipEventRecord(event, stream));
        HIP(hipEventSynchronize(event));
    });
    measure("one of 20 launches in a row", ROUNDS / 10, NODES, [&] {
        for (int node = 0; node < NODES; node++)
            launch();
        HIP(hipStreamSynchronize(stream));
    });
    std::vector<double> late;
    for (int round = 0; round < ROUNDS / 10; round++) {
        for (double began = microseconds(); microseconds() - began < 5000;) {
        }
        double began = microseconds();
        launch();
        HIP(hipStreamSynchronize(stream));
        late.push_back(microseconds() - began);
    }
    report("launch after 5 ms of other work", late);
    hipGraph_t graph;
    hipGraphExec_t executable;
    HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (int node = 0; node < NODES; node++)
        count<<<1, 64, 0, stream>>>(counter);
    HIP(hipStreamEndCapture(stream, &graph));
    HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    measure("node of a graph of 20", ROUNDS / 10, NODES, [&] {
        HIP(hipGraphLaunch(executable, stream));
        HIP(hipStreamSynchronize(stream));
        launches += NODES;
    });
    EXPECT(counter.get()[0] == launches, "%d of %d", counter.get()[0], launches);

    std::puts("launches done");
    return verdict();
}
