// Managed, pinned, mapped and registered memory, seen from both sides.
#include "check.h"

__managed__ int counter = 5;
__global__ void bump(int *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] += i;
    if (i == 0)
        counter += 10;
}

// `device` is where the device sees `cells`.
static void check(const char *name, int *cells, int *device, int n) {
    for (int i = 0; i < n; i++)
        cells[i] = 1;
    for (int round = 0; round < 3; round++) {
        bump<<<(n + 255) / 256, 256>>>(device, n);
        FINISH();
        cells[round] += 1000;
    }
    for (int i = 0; i < n; i++)
        EXPECT(cells[i] == 1 + 3 * i + (i < 3 ? 1000 : 0), "%s [%d] is %d", name, i, cells[i]);
}

static int told(hipMemRangeAttribute attribute, const void *memory, size_t bytes) {
    int value = -99;
    HIP(hipMemRangeGetAttribute(&value, sizeof(value), attribute, memory, bytes));
    return value;
}

// What a program advises it is told again, for just that part of the memory.
static void advise() {
    const size_t page = 4096;
    char *memory;
    HIP(hipMallocManaged(&memory, 4 * page));
    HIP(hipMemAdvise(memory, 4 * page, hipMemAdviseSetReadMostly, 0));
    EXPECT(told(hipMemRangeAttributeReadMostly, memory, 4 * page) == 1, "read mostly");
    HIP(hipMemAdvise(memory + page, page, hipMemAdviseUnsetReadMostly, 0));
    EXPECT(told(hipMemRangeAttributeReadMostly, memory, page) == 1, "the first page is read mostly");
    EXPECT(told(hipMemRangeAttributeReadMostly, memory + page, page) == 0, "the second is not");
    EXPECT(told(hipMemRangeAttributeReadMostly, memory, 4 * page) == 0, "so not all are");
    HIP(hipMemAdvise(memory, 2 * page, hipMemAdviseSetPreferredLocation, 0));
    EXPECT(told(hipMemRangeAttributePreferredLocation, memory, 2 * page) == 0, "preferred on device 0");
    EXPECT(told(hipMemRangeAttributePreferredLocation, memory, 4 * page) < 0, "but not all of it");
    HIP(hipMemPrefetchAsync(memory, 4 * page, 0, nullptr));
    HIP(hipDeviceSynchronize());
    EXPECT(told(hipMemRangeAttributeLastPrefetchLocation, memory, 4 * page) == 0, "prefetched to device 0");
    hipPointerAttribute_t attributes;
    HIP(hipPointerGetAttributes(&attributes, memory));
    EXPECT(attributes.isManaged, "hipPointerGetAttributes does not know managed memory");
    HIP(hipFree(memory));
}

int main() {
    const int n = 5000;
    int *p;
    HIP(hipMallocManaged(&p, n * 4));
    check("managed", p, p, n);
    EXPECT(counter == 35, "managed variable %d", counter);
    HIP(hipHostMalloc(&p, n * 4, hipHostMallocDefault));
    check("pinned", p, p, n);
    HIP(hipHostMalloc(&p, n * 4, hipHostMallocCoherent | hipHostMallocMapped));
    check("coherent", p, p, n);
    static int registered[n];
    for (int round = 0; round < 2; round++) {
        void *device;
        HIP(hipHostRegister(registered, n * 4, hipHostRegisterMapped));
        HIP(hipHostGetDevicePointer(&device, registered, 0));
        check("registered", registered, static_cast<int *>(device), n);
        std::vector<int> copy(n);
        HIP(hipMemcpy(copy.data(), registered, n * 4, hipMemcpyDefault));
        EXPECT(copy[n - 1] == 1 + 3 * (n - 1), "a copy of registered memory ends with %d", copy[n - 1]);
        HIP(hipHostUnregister(registered));
    }
    advise();
    return verdict();
}
