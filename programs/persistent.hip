// flags: -std=c++17 -pthread
// Kernels that run on while the host and other kernels feed them: mailboxes in host memory, a queue of work, a pipe of two kernels.
// varies: waits for the host
#include "check.h"
#include <atomic>
#include <thread>

// One workgroup serves requests until it is told to stop.
struct Mailbox {
    unsigned request, answer, stop;
    float value[64];
};
__global__ void server(Mailbox *box) {
    unsigned served = 0;
    __shared__ unsigned now;
    while (true) {
        if (threadIdx.x == 0) {
            unsigned seen;
            do {
                seen = __hip_atomic_load(&box->request, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
                if (seen == served)
                    __builtin_amdgcn_s_sleep(2);
            } while (seen == served);
            now = seen;
        }
        __syncthreads();
        served = now;
        if (__hip_atomic_load(&box->stop, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
            return;
        box->value[threadIdx.x] = box->value[threadIdx.x] * 2 + served;
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0)
            __hip_atomic_store(&box->answer, served, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
        // Without it clang 22 lets all but the first lane go round from here to the next barrier alone, for ever.
        __syncthreads();
    }
}
static void mailboxes() {
    const int boxes = 4;
    Mailbox *box;
    HIP(hipHostMalloc(&box, sizeof(Mailbox) * boxes, hipHostMallocCoherent | hipHostMallocMapped));
    std::memset(box, 0, sizeof(Mailbox) * boxes);
    std::vector<hipStream_t> streams(boxes);
    for (int b = 0; b < boxes; b++) {
        HIP(hipStreamCreateWithFlags(&streams[b], hipStreamNonBlocking));
        server<<<1, 64, 0, streams[b]>>>(box + b);
    }
    std::vector<std::thread> clients;
    for (int b = 0; b < boxes; b++)
        clients.emplace_back([&, b] {
            Mailbox &mine = box[b];
            float want[64] = {};
            for (unsigned k = 1; k <= 30; k++) {
                for (int i = 0; i < 64; i++) {
                    mine.value[i] += i + b;
                    want[i] = (want[i] + i + b) * 2 + k;
                    if (want[i] > 1e6f)
                        want[i] = mine.value[i] = 0, want[i] = k;
                }
                __atomic_store_n(&mine.request, k, __ATOMIC_RELEASE);
                while (__atomic_load_n(&mine.answer, __ATOMIC_ACQUIRE) != k)
                    std::this_thread::yield();
                for (int i = 0; i < 64; i++)
                    if (mine.value[i] != want[i])
                        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
            }
            __atomic_store_n(&mine.stop, 1, __ATOMIC_RELEASE);
            __atomic_store_n(&mine.request, 1000, __ATOMIC_RELEASE);
        });
    for (auto &client : clients)
        client.join();
    FINISH();
    for (auto stream : streams)
        HIP(hipStreamDestroy(stream));
    HIP(hipHostFree(box));
}

// A kernel on one stream produces what a kernel on another consumes, through a ring in device memory.
struct Ring {
    unsigned written, read;
    unsigned cells[16];
};
__global__ void produce(Ring *ring, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        while (k - __hip_atomic_load(&ring->read, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) >= 16)
            ;
        ring->cells[k % 16] = k * k;
        __hip_atomic_store(&ring->written, k + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}
__global__ void consume(Ring *ring, unsigned n, unsigned long long *sum) {
    unsigned long long total = 0;
    for (unsigned k = 0; k < n; k++) {
        while (__hip_atomic_load(&ring->written, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == k)
            ;
        total += ring->cells[k % 16];
        __hip_atomic_store(&ring->read, k + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
    *sum = total;
}
static void pipe() {
    const unsigned n = 500;
    hipStream_t one, two;
    HIP(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&two, hipStreamNonBlocking));
    Array<Ring> ring(1);
    Array<unsigned long long> sum(1);
    ring.zero();
    HIP(hipDeviceSynchronize());
    // The consumer first, so that it must be set aside.
    consume<<<1, 1, 0, one>>>(ring, n, sum);
    produce<<<1, 1, 0, two>>>(ring, n);
    FINISH();
    unsigned long long want = 0;
    for (unsigned long long k = 0; k < n; k++)
        want += k * k;
    EXPECT(sum.get()[0] == want, "%llu instead of %llu", sum.get()[0], want);
    HIP(hipStreamDestroy(one));
    HIP(hipStreamDestroy(two));
}

// Work that makes work: nodes of a tree are pushed and popped by all workgroups, which wait in between for each other's.
__global__ void tree(unsigned *queue, unsigned *head, unsigned *tail, unsigned *done, unsigned depth, unsigned total) {
    if (threadIdx.x)
        return;
    while (true) {
        unsigned at = atomicAdd(head, 1u);
        if (at >= total)
            return;
        unsigned node;
        while ((node = __hip_atomic_load(&queue[at], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) == 0)
            __builtin_amdgcn_s_sleep(1);
        if (node < 1u << depth)
            for (unsigned child = 0; child < 2; child++)
                __hip_atomic_store(&queue[atomicAdd(tail, 1u)], node * 2 + child, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        atomicAdd(done, node);
    }
}
static void trees() {
    const unsigned depth = 9, total = (1u << (depth + 1)) - 1;
    std::vector<unsigned> first(total + 8, 0);
    first[0] = 1;
    Array<unsigned> queue(first), counters(std::vector<unsigned>{0, 1, 0});
    tree<<<24, 64>>>(queue, counters.data, counters.data + 1, counters.data + 2, depth, total);
    FINISH();
    auto got = counters.get();
    EXPECT(got[1] == total, "%u nodes instead of %u", got[1], total);
    EXPECT(got[2] == total * (total + 1) / 2, "sum of nodes %u", got[2]);
}

int main() {
    mailboxes();
    pipe();
    trees();
    return verdict();
}
