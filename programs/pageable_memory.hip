// environment: HSA_XNACK=1
// devices: gfx90a
// also: gfx942 gfx950
// Kernels read and write memory that nobody has told the device of: allocated by the C library, on the stack, static, of files.
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>

__global__ void bump(int *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] += i;
}
__global__ void sum(const int *cells, int n, long long *total) {
    long long own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += cells[i];
    atomicAdd((unsigned long long *)total, (unsigned long long)own);
}
// A list that the host has made of nodes anywhere.
struct Node {
    Node *next;
    int value;
};
__global__ void walk(Node *head, int *found) {
    int total = 0;
    for (Node *node = head; node; node = node->next) {
        total += node->value;
        node->value = -node->value;
    }
    *found = total;
}
__global__ void count(unsigned *one, unsigned long long *wide, int *most, int *taken, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < turns; turn++) {
        atomicAdd(one, 1u);
        atomicAdd(wide, 1ull << 32);
    }
    atomicMax(most, i);
    atomicCAS(taken, -1, i);
}
// Far apart, so that lanes of one wave reach several mappings and the device's own memory.
__global__ void scatter(int *const *places, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        *places[i] = 1000 + i;
}

static void check(const char *name, int *cells, int n) {
    for (int i = 0; i < n; i++)
        cells[i] = 1;
    for (int round = 0; round < 3; round++) {
        bump<<<(n + 255) / 256, 256>>>(cells, n);
        FINISH();
        cells[round] += 1000;
    }
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += cells[i] != 1 + 3 * i + (i < 3 ? 1000 : 0);
    EXPECT(wrong == 0, "%d of %d cells, %s", wrong, n, name);
    long long total = 0, expected = 0;
    for (int i = 0; i < n; i++)
        expected += cells[i];
    sum<<<4, 64>>>(cells, n, &total);
    FINISH();
    EXPECT(total == expected, "the sum of %s is %lld, not %lld", name, total, expected);
}

static int statics[5000];
static const int constants[] = {3, 1, 4, 1, 5, 9, 2, 6};

static void files() {
    char path[] = "/tmp/luthier-pageable-XXXXXX";
    int file = mkstemp(path);
    unlink(path);
    const int n = 20000;
    const size_t size = n * sizeof(int);
    EXPECT(ftruncate(file, size) == 0, "a file of %zu bytes", size);
    int *shared = (int *)mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    check("a shared file", shared, n);
    int there = 0;
    EXPECT(pread(file, &there, 4, 4 * 777) == 4 && there == shared[777], "the file has %d", there);
    // Read only: the rights of the pages are the host's.
    int *readable = (int *)mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    long long total = 0, expected = 0;
    for (int i = 0; i < n; i++)
        expected += shared[i];
    sum<<<4, 64>>>(readable, n, &total);
    FINISH();
    EXPECT(total == expected, "the sum of a file is %lld, not %lld", total, expected);
    // Other memory at the same address: nothing of the old may be remembered.
    EXPECT(mmap(readable, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == readable, "no");
    check("other memory at the same address", readable, n);
    check("the file once more", shared, n);
    munmap(readable, size);
    munmap(shared, size);
    close(file);
}

static void lists() {
    std::vector<std::unique_ptr<Node>> nodes;
    Node last{nullptr, 7};
    Node *head = &last;
    int expected = 7;
    for (int i = 0; i < 1000; i++) {
        nodes.emplace_back(new Node{head, i});
        head = nodes.back().get();
        expected += i;
    }
    int found = 0;
    walk<<<1, 1>>>(head, &found);
    FINISH();
    EXPECT(found == expected && last.value == -7, "%d %d", found, last.value);
}

static void atomics() {
    unsigned one = 0;
    std::unique_ptr<unsigned long long> wide(new unsigned long long(5));
    int most = -1, taken = -1;
    count<<<8, 256>>>(&one, wide.get(), &most, &taken, 10);
    FINISH();
    EXPECT(one == 20480 && *wide == (20480ull << 32) + 5, "%u %llx", one, *wide);
    EXPECT(most == 2047 && taken >= 0 && taken < 2048, "%d %d", most, taken);
}

static void everywhere() {
    const int n = 256;
    int *device = nullptr;
    HIP(hipMalloc(&device, n * sizeof(int)));
    HIP(hipMemset(device, 0, n * sizeof(int)));
    std::vector<int> heap(n);
    std::vector<int *> places(n);
    int stack[n] = {};
    for (int i = 0; i < n; i++) {
        int *of[] = {device + i, &heap[i], stack + i, statics + i};
        places[i] = of[i % 4];
    }
    scatter<<<1, n>>>(places.data(), n);
    FINISH();
    std::vector<int> back(n);
    HIP(hipMemcpy(back.data(), device, n * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int of[] = {back[i], heap[i], stack[i], statics[i]};
        EXPECT(of[i % 4] == 1000 + i, "place %d is %d", i, of[i % 4]);
    }
    HIP(hipFree(device));
}

static void managed() {
    const int n = 10000;
    int *cells = nullptr;
    HIP(hipMallocManaged((void **)&cells, n * sizeof(int), hipMemAttachGlobal));
    check("managed memory", cells, n);
    HIP(hipMemAdvise(cells, n * sizeof(int), hipMemAdviseSetReadMostly, 0));
    HIP(hipMemPrefetchAsync(cells, n * sizeof(int), 0, nullptr));
    FINISH();
    int value = -99;
    HIP(hipMemRangeGetAttribute(&value, sizeof(value), hipMemRangeAttributeReadMostly, cells, n * sizeof(int)));
    EXPECT(value == 1, "read mostly is %d", value);
    HIP(hipMemRangeGetAttribute(&value, sizeof(value), hipMemRangeAttributeLastPrefetchLocation, cells, n * sizeof(int)));
    EXPECT(value == 0, "prefetched to %d", value);
    check("managed memory with advice", cells, n);
    HIP(hipFree(cells));
    // Registered memory is pageable memory, too.
    std::vector<int> pinned(n);
    HIP(hipHostRegister(pinned.data(), n * sizeof(int), hipHostRegisterMapped));
    check("registered memory by its own address", pinned.data(), n);
    HIP(hipHostUnregister(pinned.data()));
    check("memory that is no longer registered", pinned.data(), n);
}

static void copies() {
    const int n = 3 << 20;
    std::vector<char> from(n), to(n);
    for (int i = 0; i < n; i++)
        from[i] = char(i * 7);
    char *device = nullptr;
    HIP(hipMalloc((void **)&device, n));
    HIP(hipMemcpy(device, from.data(), n, hipMemcpyHostToDevice));
    HIP(hipMemcpy(to.data(), device, n, hipMemcpyDeviceToHost));
    EXPECT(from == to, "copied there and back");
    std::fill(to.begin(), to.end(), 0);
    HIP(hipMemcpy(to.data(), from.data(), n, hipMemcpyDefault));
    EXPECT(from == to, "copied from host to host");
    HIP(hipFree(device));
}

int main() {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    EXPECT(strstr(properties.gcnArchName, ":xnack+"), "%s", properties.gcnArchName);
    EXPECT(properties.managedMemory == 1, "%d", properties.managedMemory);
    EXPECT(properties.pageableMemoryAccess == 1, "%d", properties.pageableMemoryAccess);
    EXPECT(properties.concurrentManagedAccess == 1, "%d", properties.concurrentManagedAccess);
    int *heap = (int *)malloc(100000 * sizeof(int));
    check("memory of malloc", heap, 100000);
    // HIP 5 takes such memory for the device's, newer ones for memory that they know nothing of.
    hipPointerAttribute_t attributes = {};
    if (hipPointerGetAttributes(&attributes, heap) == hipSuccess)
        EXPECT(!attributes.devicePointer || attributes.devicePointer == heap, "%p for %p", attributes.devicePointer, heap);
    else
        (void)hipGetLastError();
    free(heap);
    std::vector<int> vector(70000);
    check("a vector", vector.data(), 70000);
    int stack[3000];
    check("the stack", stack, 3000);
    check("static memory", statics, 5000);
    long long total = 0;
    sum<<<1, 64>>>(constants, 8, &total);
    FINISH();
    EXPECT(total == 31, "the sum of constants is %lld", total);
    std::string text = "short";
    check("a small string", (int *)text.data(), 1);
    files();
    lists();
    atomics();
    everywhere();
    managed();
    copies();
    return verdict();
}
