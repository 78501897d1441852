// Stream-ordered allocation, and many allocations of all sizes freed in another order.
#include "check.h"

__global__ void fill(unsigned char *p, size_t n, unsigned char value) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = value;
}

int main() {
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    int supported = 0;
    HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
    if (supported)
        for (int round = 0; round < 20; round++) {
            size_t n = 1000 + 5000 * round;
            void *p;
            HIP(hipMallocAsync(&p, n, stream));
            fill<<<4, 256, 0, stream>>>(static_cast<unsigned char *>(p), n, round + 1);
            std::vector<unsigned char> out(n);
            HIP(hipMemcpyAsync(out.data(), p, n, hipMemcpyDeviceToHost, stream));
            HIP(hipFreeAsync(p, stream));
            HIP(hipStreamSynchronize(stream));
            for (size_t i = 0; i < n; i++)
                EXPECT(out[i] == round + 1, "round %d [%zu] is %d", round, i, out[i]);
        }
    Random random;
    std::vector<unsigned char *> blocks(300);
    std::vector<size_t> sizes(300);
    for (int i = 0; i < 300; i++) {
        sizes[i] = 1 + random.next() % (i % 10 ? 5000 : 3000000);
        HIP(hipMalloc(reinterpret_cast<void **>(&blocks[i]), sizes[i]));
        fill<<<2, 256, 0, stream>>>(blocks[i], sizes[i], i);
        if (i % 3 == 2) {
            HIP(hipStreamSynchronize(stream));
            int victim = i - 1;
            unsigned char last;
            HIP(hipMemcpy(&last, blocks[victim] + sizes[victim] - 1, 1, hipMemcpyDeviceToHost));
            EXPECT(last == (victim & 255), "block %d ends with %d", victim, last);
            HIP(hipFree(blocks[victim]));
            blocks[victim] = nullptr;
        }
    }
    HIP(hipStreamSynchronize(stream));
    for (int i = 0; i < 300; i++)
        if (blocks[i]) {
            unsigned char ends[2];
            HIP(hipMemcpy(&ends[0], blocks[i], 1, hipMemcpyDeviceToHost));
            HIP(hipMemcpy(&ends[1], blocks[i] + sizes[i] - 1, 1, hipMemcpyDeviceToHost));
            EXPECT(ends[0] == (i & 255) && ends[1] == (i & 255), "block %d: %d %d", i, ends[0], ends[1]);
            HIP(hipFree(blocks[i]));
        }
    HIP(hipStreamDestroy(stream));
    return verdict();
}
