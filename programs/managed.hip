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

template <typename Allocate> void check(const char *name, Allocate allocate) {
    const int n = 5000;
    int *cells = allocate(n);
    for (int i = 0; i < n; i++)
        cells[i] = 1;
    for (int round = 0; round < 3; round++) {
        bump<<<(n + 255) / 256, 256>>>(cells, n);
        FINISH();
        cells[round] += 1000;
    }
    for (int i = 0; i < n; i++)
        EXPECT(cells[i] == 1 + 3 * i + (i < 3 ? 1000 : 0), "%s [%d] is %d", name, i, cells[i]);
}

int main() {
    check("managed", [](int n) { int *p; HIP(hipMallocManaged(&p, n * 4)); return p; });
    EXPECT(counter == 35, "managed variable %d", counter);
    check("pinned", [](int n) { int *p; HIP(hipHostMalloc(&p, n * 4, hipHostMallocDefault)); return p; });
    check("coherent", [](int n) { int *p; HIP(hipHostMalloc(&p, n * 4, hipHostMallocCoherent | hipHostMallocMapped)); return p; });
    static int registered[5000];
    check("registered", [](int n) {
        HIP(hipHostRegister(registered, n * 4, hipHostRegisterMapped));
        void *device;
        HIP(hipHostGetDevicePointer(&device, registered, 0));
        EXPECT(device == registered, "%p is %p on the device", (void *)registered, device);
        return registered;
    });
    HIP(hipHostUnregister(registered));
    int *managed;
    HIP(hipMallocManaged(&managed, 4096));
    HIP(hipMemPrefetchAsync(managed, 4096, 0, nullptr));
    HIP(hipMemAdvise(managed, 4096, hipMemAdviseSetReadMostly, 0));
    HIP(hipDeviceSynchronize());
    hipPointerAttribute_t attributes;
    HIP(hipPointerGetAttributes(&attributes, managed));
    EXPECT(attributes.isManaged, "hipPointerGetAttributes does not know managed memory");
    HIP(hipFree(managed));
    return verdict();
}
