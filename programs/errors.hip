// Wrong calls and launches give the documented errors, and the device stays usable. Occupancy and properties are sane.
#include "check.h"

__global__ void nothing(int *p) {
    if (p)
        *p = 1;
}
__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void uses_lds(int *p) {
    __shared__ int cells[8192];
    cells[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = cells[threadIdx.x ^ 1];
}

int main() {
    nothing<<<1, 2048>>>(nullptr);
    hipError_t error = hipGetLastError();
    EXPECT(error != hipSuccess, "a block of 2048 was launched");
    EXPECT(hipGetLastError() == hipSuccess, "the error stays");
    nothing<<<1, 64, 1 << 20>>>(nullptr);
    EXPECT(hipGetLastError() != hipSuccess, "a block with 1 MiB of LDS was launched");
    nothing<<<0, 64>>>(nullptr);
    EXPECT(hipGetLastError() != hipSuccess, "an empty grid was launched");
    void *p = nullptr;
    EXPECT(hipMalloc(&p, size_t(1) << 50) == hipErrorOutOfMemory, "a pebibyte was allocated");
    (void)hipGetLastError();
    EXPECT(hipFree(reinterpret_cast<void *>(0x1234567)) != hipSuccess, "a wild pointer was freed");
    EXPECT(hipMemcpy(nullptr, &p, 4, hipMemcpyHostToDevice) != hipSuccess, "a copy to null");
    EXPECT(hipSetDevice(99) == hipErrorInvalidDevice, "device 99");
    hipModule_t module;
    EXPECT(hipModuleLoad(&module, "/no/such/file") == hipErrorFileNotFound, "a missing module");
    hipFunction_t function;
    (void)function;
    (void)hipGetLastError();
    EXPECT(!strcmp(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue"), "%s", hipGetErrorName(hipErrorInvalidValue));

    Array<int> cells(1024);
    bounded<<<1, 128>>>(cells);
    FINISH();
    EXPECT(cells.get()[127] == 127, "%d", cells.get()[127]);
    uses_lds<<<1, 128>>>(cells);
    FINISH();
    EXPECT(cells.get()[127] == 126, "%d", cells.get()[127]);

    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    // HIP before 7 lets no device have more than 64 KiB.
    size_t most = strncmp(properties.gcnArchName, "gfx950", 6) || HIP_VERSION_MAJOR < 7 ? 64 : 160;
    EXPECT(properties.maxThreadsPerBlock == 1024, "%d", properties.maxThreadsPerBlock);
    EXPECT(properties.sharedMemPerBlock == most << 10, "%zu", properties.sharedMemPerBlock);
    EXPECT(properties.warpSize == 64 || properties.warpSize == 32, "%d", properties.warpSize);
    EXPECT(properties.multiProcessorCount > 0 && properties.totalGlobalMem > 1u << 30, "%d %zu", properties.multiProcessorCount,
           properties.totalGlobalMem);
    int blocks = 0, grid = 0, block = 0;
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void *>(uses_lds), 128, 0));
    // 160 KiB of LDS in a compute unit is the most there is.
    EXPECT(blocks >= 1 && blocks <= 5, "%d blocks with 32 KiB of LDS each", blocks);
    HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, reinterpret_cast<const void *>(nothing), 0, 0));
    EXPECT(block >= 64 && block <= 1024 && grid > 0, "%d x %d", grid, block);
    hipFuncAttributes attributes;
    HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(bounded)));
    EXPECT(attributes.maxThreadsPerBlock == 128, "%d", attributes.maxThreadsPerBlock);
    HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(uses_lds)));
    EXPECT(attributes.sharedSizeBytes == 32768, "%zu", attributes.sharedSizeBytes);
    size_t available, total;
    HIP(hipMemGetInfo(&available, &total));
    EXPECT(available <= total && available > 0, "%zu of %zu", available, total);
    return verdict();
}
