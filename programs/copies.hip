// Copies of every kind and many sizes, 2-D copies, symbols, and fills.
#include "check.h"

__device__ int device_symbol[16];
__constant__ int constant_symbol[1024];
__global__ void read_symbols(int *out) {
    int t = threadIdx.x;
    out[t] = device_symbol[t % 16] * 10000 + constant_symbol[t * 3 % 1024];
}
__global__ void write_symbol() { device_symbol[threadIdx.x] = -int(threadIdx.x); }

int main() {
    Random random;
    for (size_t size : {1u, 3u, 64u, 255u, 4096u, 65537u, 1000003u, 5000000u}) {
        std::vector<unsigned char> in(size), out(size);
        for (auto &v : in)
            v = random.next();
        Array<unsigned char> a(size), b(size);
        HIP(hipMemcpy(a, in.data(), size, hipMemcpyHostToDevice));
        HIP(hipMemcpy(b, a, size, hipMemcpyDeviceToDevice));
        HIP(hipMemcpy(out.data(), b, size, hipMemcpyDefault));
        EXPECT(in == out, "%zu bytes there and back", size);
        // Odd offsets.
        if (size > 64) {
            HIP(hipMemcpy(a + 3, in.data() + 7, size - 13, hipMemcpyHostToDevice));
            HIP(hipMemcpy(b + 1, a + 3, size - 13, hipMemcpyDeviceToDevice));
            HIP(hipMemcpy(out.data(), b + 1, size - 13, hipMemcpyDeviceToHost));
            EXPECT(!memcmp(out.data(), in.data() + 7, size - 13), "%zu bytes at odd offsets", size);
        }
        unsigned char *pinned;
        HIP(hipHostMalloc(&pinned, size));
        hipStream_t stream;
        HIP(hipStreamCreate(&stream));
        HIP(hipMemcpyAsync(a, in.data(), size, hipMemcpyHostToDevice, stream));
        HIP(hipMemcpyAsync(pinned, a, size, hipMemcpyDeviceToHost, stream));
        HIP(hipStreamSynchronize(stream));
        EXPECT(!memcmp(pinned, in.data(), size), "%zu bytes through pinned memory", size);
        HIP(hipStreamDestroy(stream));
        HIP(hipHostFree(pinned));
    }
    {   // Rows of a larger array.
        const size_t width = 300, height = 40;
        size_t pitch;
        unsigned char *image;
        HIP(hipMallocPitch(reinterpret_cast<void **>(&image), &pitch, width, height));
        EXPECT(pitch >= width, "pitch %zu", pitch);
        std::vector<unsigned char> in(width * height), out(width * height);
        for (auto &v : in)
            v = random.next();
        HIP(hipMemset2D(image, pitch, 0x3c, width, height));
        HIP(hipMemcpy2D(image, pitch, in.data(), width, width - 20, height, hipMemcpyHostToDevice));
        HIP(hipMemcpy2D(out.data(), width, image, pitch, width, height, hipMemcpyDeviceToHost));
        for (size_t i = 0; i < out.size(); i++)
            EXPECT(out[i] == (i % width < width - 20 ? in[i] : 0x3c), "2-D byte %zu is %x", i, out[i]);
        HIP(hipFree(image));
    }
    {   // A box.
        hipPitchedPtr box;
        hipExtent extent = make_hipExtent(50, 6, 4);
        HIP(hipMalloc3D(&box, extent));
        std::vector<unsigned char> in(50 * 6 * 4), out(in.size());
        for (auto &v : in)
            v = random.next();
        hipMemcpy3DParms copy{};
        copy.srcPtr = make_hipPitchedPtr(in.data(), 50, 50, 6);
        copy.dstPtr = box;
        copy.extent = extent;
        copy.kind = hipMemcpyHostToDevice;
        HIP(hipMemcpy3D(&copy));
        copy.srcPtr = box;
        copy.dstPtr = make_hipPitchedPtr(out.data(), 50, 50, 6);
        copy.kind = hipMemcpyDeviceToHost;
        HIP(hipMemcpy3D(&copy));
        EXPECT(in == out, "a box there and back");
        HIP(hipFree(box.ptr));
    }
    {   // Symbols.
        int values[16], table[1024];
        for (int i = 0; i < 16; i++)
            values[i] = i + 1;
        for (int i = 0; i < 1024; i++)
            table[i] = i * 2;
        HIP(hipMemcpyToSymbol(HIP_SYMBOL(device_symbol), values, sizeof values));
        HIP(hipMemcpyToSymbol(HIP_SYMBOL(constant_symbol), table, sizeof table));
        int patch = 77;
        HIP(hipMemcpyToSymbol(HIP_SYMBOL(device_symbol), &patch, 4, 8));
        values[2] = 77;
        Array<int> out(256);
        read_symbols<<<1, 256>>>(out);
        FINISH();
        auto got = out.get();
        for (int t = 0; t < 256; t++)
            EXPECT(got[t] == values[t % 16] * 10000 + t * 3 % 1024 * 2, "symbol [%d] is %d", t, got[t]);
        write_symbol<<<1, 16>>>();
        FINISH();
        HIP(hipMemcpyFromSymbol(values, HIP_SYMBOL(device_symbol), sizeof values));
        for (int i = 0; i < 16; i++)
            EXPECT(values[i] == -i, "symbol back [%d] is %d", i, values[i]);
        void *address;
        size_t size;
        HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(constant_symbol)));
        HIP(hipGetSymbolSize(&size, HIP_SYMBOL(constant_symbol)));
        EXPECT(size == 4096, "%zu", size);
    }
    {   // Fills of 1, 2 and 4 bytes, at odd places.
        Array<unsigned char> cells(10007);
        cells.zero();
        HIP(hipMemset(cells + 5, 0xab, 1001));
        HIP(hipMemsetD16(hipDeviceptr_t(cells + 2000), 0x1234, 501));
        HIP(hipMemsetD32(hipDeviceptr_t(cells + 4000), int(0xdeadbeef), 1001));
        HIP(hipMemsetAsync(cells + 9001, 7, 1000, nullptr));
        HIP(hipDeviceSynchronize());
        auto got = cells.get();
        for (int i = 0; i < 10007; i++) {
            int expected = 0;
            if (i >= 5 && i < 1006)
                expected = 0xab;
            else if (i >= 2000 && i < 3002)
                expected = i % 2 ? 0x12 : 0x34;
            else if (i >= 4000 && i < 8004)
                expected = 0xdeadbeefu >> 8 * (i % 4) & 255;
            else if (i >= 9001 && i < 10001)
                expected = 7;
            EXPECT(got[i] == expected, "filled byte %d is %x instead of %x", i, got[i], expected);
        }
    }
    return verdict();
}
