// Floating-point atomics of the hardware on the host's memory: gfx90a does them on coarse-grained memory only, and says nothing.
// devices: gfx90a
// flags: -munsafe-fp-atomics
// stderr: floating-point atomics on fine-grained memory of the host changed nothing
#include "check.h"

template <class T> __global__ void add(T *cell, T *before) {
    T was = atomicAdd(cell, T(10));
    if (before)
        *before = was;
}

__global__ void least(double *cell, double *before) { *before = __builtin_amdgcn_global_atomic_fmin_f64(cell, 1.0); }

__global__ void count(unsigned *cell) { atomicAdd(cell, 1u); }

// Adds to 5, which lies at `on_device` for the device.
template <class T> static void check_at(T *cell, T *on_device, T sum, T returned, const char *what) {
    *cell = 5;
    Array<T> before(1);
    add<<<1, 1>>>(on_device, (T *)before);
    HIP(hipDeviceSynchronize());
    EXPECT(*cell == sum, "%s: %g instead of %g", what, double(*cell), double(sum));
    EXPECT(before.get()[0] == returned, "%s: returned %g instead of %g", what, double(before.get()[0]), double(returned));
}

template <class T> static void check(unsigned flags, T sum, T returned, const char *what) {
    T *cell;
    HIP(hipHostMalloc(&cell, sizeof(T), flags));
    check_at(cell, cell, sum, returned, what);
    HIP(hipHostFree(cell));
}

// The application's own memory is registered as fine-grained.
static void registered() {
    void *memory;
    EXPECT(posix_memalign(&memory, 4096, 4096) == 0, "no memory");
    double *cell = static_cast<double *>(memory), *on_device;
    HIP(hipHostRegister(cell, 4096, hipHostRegisterDefault));
    HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&on_device), cell, 0));
    check_at<double>(cell, on_device, 5, 0, "registered");
    HIP(hipHostUnregister(cell));
    free(memory);
}

// Managed memory is fine-grained until the program says otherwise of its pages.
static void managed() {
    const size_t page = 4096 / sizeof(float);
    float *cells;
    HIP(hipMallocManaged(&cells, 3 * 4096));
    check_at<float>(cells, cells, 5, 0, "managed");
    HIP(hipMemAdvise(cells + page, 4096, hipMemAdviseSetCoarseGrain, 0));
    check_at<float>(cells, cells, 5, 0, "managed, before what is coarse-grained");
    check_at<float>(cells + page, cells + page, 15, 5, "managed, coarse-grained");
    check_at<float>(cells + 2 * page, cells + 2 * page, 5, 0, "managed, behind what is coarse-grained");
    HIP(hipMemAdvise(cells + page, 4096, hipMemAdviseUnsetCoarseGrain, 0));
    check_at<float>(cells + page, cells + page, 5, 0, "managed, no longer coarse-grained");
    HIP(hipFree(cells));
}

int main() {
    check<float>(hipHostMallocCoherent, 5, 0, "float, coherent");
    check<double>(hipHostMallocCoherent, 5, 0, "double, coherent");
    check<float>(hipHostMallocNonCoherent, 15, 5, "float, not coherent");
    check<double>(hipHostMallocNonCoherent, 15, 5, "double, not coherent");

    registered();
    managed();

    double *cell;
    HIP(hipHostMalloc(&cell, sizeof(double), hipHostMallocCoherent));
    *cell = 5;
    Array<double> before(1);
    least<<<1, 1>>>(cell, before);
    HIP(hipDeviceSynchronize());
    EXPECT(*cell == 5 && before.get()[0] == 0, "minimum, coherent: %g, returned %g", *cell, before.get()[0]);
    HIP(hipHostFree(cell));

    // The device's own memory, and integers anywhere.
    Array<float> sum(1);
    sum.zero();
    add<float><<<300, 64>>>(sum, nullptr);
    EXPECT(sum.get()[0] == 192000, "%g on the device instead of 192000", sum.get()[0]);
    unsigned *counter;
    HIP(hipHostMalloc(&counter, sizeof *counter, hipHostMallocCoherent));
    *counter = 0;
    count<<<3, 64>>>(counter);
    HIP(hipDeviceSynchronize());
    EXPECT(*counter == 192, "%u integers instead of 192", *counter);
    HIP(hipHostFree(counter));
    return verdict();
}
