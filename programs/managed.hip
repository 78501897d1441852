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
