// flags: -std=c++17
// The less used memory calls: pitched, three-dimensional, peer, driver-style and typed fills and copies.
#include "check.h"
#include <algorithm>

__global__ void stamp(hipPitchedPtr volume, int width, int height, int depth) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < width && y < height && z < depth)
        *((short *)((char *)volume.ptr + (z * volume.ysize + y) * volume.pitch) + x) = short(x + 100 * y + 1000 * z);
}

int main() {
    // Fills by width, at offsets, synchronous and not.
    {
        const size_t n = 4099;
        Array<unsigned char> cells(n * 4);
        hipStream_t stream;
        HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
        HIP(hipMemset(cells, 0x11, n * 4));
        HIP(hipMemsetD8((hipDeviceptr_t)(cells.data + 1), 0x22, 15));
        HIP(hipMemsetD16((hipDeviceptr_t)(cells.data + 20), 0x3344, 7));
        HIP(hipMemsetD32((hipDeviceptr_t)(cells.data + 40), 0x55667788, 9));
        HIP(hipDeviceSynchronize());
        HIP(hipMemsetD8Async((hipDeviceptr_t)(cells.data + 101), 0x99, 1001, stream));
        HIP(hipMemsetD16Async((hipDeviceptr_t)(cells.data + 2000), 0xaabb, 333, stream));
        HIP(hipMemsetD32Async((hipDeviceptr_t)(cells.data + 4000), int(0xccddeeff), 2000, stream));
        HIP(hipMemsetAsync(cells.data + 15000, 0x7f, 999, stream));
        HIP(hipStreamSynchronize(stream));
        std::vector<unsigned char> want(n * 4, 0x11);
        std::fill_n(want.begin() + 1, 15, 0x22);
        auto words = [&](size_t at, size_t count, size_t width, uint32_t value) {
            for (size_t i = 0; i < count * width; i++)
                want[at + i] = value >> 8 * (i % width);
        };
        words(20, 7, 2, 0x3344);
        words(40, 9, 4, 0x55667788);
        words(101, 1001, 1, 0x99);
        words(2000, 333, 2, 0xaabb);
        words(4000, 2000, 4, 0xccddeeff);
        words(15000, 999, 1, 0x7f);
        auto got = cells.get();
        for (size_t i = 0; i < n * 4; i++)
            EXPECT(got[i] == want[i], "fill at %zu: %x instead of %x", i, got[i], want[i]);
        HIP(hipStreamDestroy(stream));
    }
    // Two dimensions.
    {
        const size_t width = 333, height = 29;
        void *a, *b;
        size_t pitch_a, pitch_b;
        HIP(hipMallocPitch(&a, &pitch_a, width, height));
        HIP(hipMallocPitch(&b, &pitch_b, width + 512, height + 1));
        std::vector<unsigned char> in(width * height), out(width * height);
        for (size_t i = 0; i < in.size(); i++)
            in[i] = i * 7 + i / 251;
        HIP(hipMemset2D(b, pitch_b, 0xe1, width + 512, height + 1));
        HIP(hipMemcpy2D(a, pitch_a, in.data(), width, width, height, hipMemcpyHostToDevice));
        HIP(hipMemcpy2DAsync((char *)b + pitch_b + 17, pitch_b, a, pitch_a, width, height, hipMemcpyDeviceToDevice, nullptr));
        HIP(hipMemcpy2D(out.data(), width, (char *)b + pitch_b + 17, pitch_b, width, height, hipMemcpyDeviceToHost));
        EXPECT(in == out, "two-dimensional copies");
        unsigned char edge[4];
        HIP(hipMemcpy(edge, (char *)b + pitch_b + 15, 2, hipMemcpyDeviceToHost));
        HIP(hipMemcpy(edge + 2, (char *)b + pitch_b + 17 + width, 2, hipMemcpyDeviceToHost));
        EXPECT(edge[0] == 0xe1 && edge[1] == 0xe1 && edge[2] == 0xe1 && edge[3] == 0xe1, "edges of a two-dimensional copy");
        HIP(hipFree(a));
        HIP(hipFree(b));
    }
    // Three dimensions.
    {
        const int width = 37, height = 11, depth = 5;
        hipExtent extent = make_hipExtent(width * sizeof(short), height, depth);
        hipPitchedPtr volume, other;
        HIP(hipMalloc3D(&volume, extent));
        HIP(hipMalloc3D(&other, extent));
        HIP(hipMemset3D(volume, 0xff, extent));
        stamp<<<dim3(2, 3, depth), dim3(32, 4)>>>(volume, width, height - 1, depth);
        FINISH();
        std::vector<short> out(width * height * depth, 0);
        hipMemcpy3DParms copy{};
        copy.srcPtr = volume;
        copy.dstPtr = other;
        copy.extent = extent;
        copy.kind = hipMemcpyDeviceToDevice;
        HIP(hipMemcpy3D(&copy));
        copy.srcPtr = other;
        copy.dstPtr = make_hipPitchedPtr(out.data(), width * sizeof(short), width, height);
        copy.kind = hipMemcpyDeviceToHost;
        HIP(hipMemcpy3D(&copy));
        for (int z = 0; z < depth; z++)
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++) {
                    short found = out[(z * height + y) * width + x], want = y == height - 1 ? -1 : short(x + 100 * y + 1000 * z);
                    EXPECT(found == want, "volume [%d][%d][%d]: %d", z, y, x, found);
                }
        // A box inside, at positions.
        std::vector<short> box(4 * 3 * 2, 0);
        hipMemcpy3DParms inner{};
        inner.srcPtr = other;
        inner.srcPos = make_hipPos(5 * sizeof(short), 2, 1);
        inner.dstPtr = make_hipPitchedPtr(box.data(), 4 * sizeof(short), 4, 3);
        inner.extent = make_hipExtent(4 * sizeof(short), 3, 2);
        inner.kind = hipMemcpyDeviceToHost;
        HIP(hipMemcpy3DAsync(&inner, nullptr));
        HIP(hipDeviceSynchronize());
        for (int i = 0; i < 24; i++)
            EXPECT(box[i] == i % 4 + 5 + 100 * (i / 4 % 3 + 2) + 1000 * (i / 12 + 1), "box %d: %d", i, box[i]);
        HIP(hipFree(volume.ptr));
        HIP(hipFree(other.ptr));
    }
    // Driver style, peers, addresses and ranges.
    {
        std::vector<int> in(5000), out(5000);
        for (int i = 0; i < 5000; i++)
            in[i] = i * i;
        hipDeviceptr_t a, b;
        HIP(hipMalloc(&a, 20000));
        HIP(hipMalloc(&b, 20000));
        HIP(hipMemcpyHtoD(a, in.data(), 20000));
        HIP(hipMemcpyDtoD(b, a, 20000));
        HIP(hipMemcpyPeer(a, 0, b, 0, 20000));
        HIP(hipMemcpyPeerAsync(b, 0, a, 0, 20000, nullptr));
        HIP(hipMemcpyDtoHAsync(out.data(), b, 20000, nullptr));
        HIP(hipDeviceSynchronize());
        EXPECT(in == out, "driver-style copies");
        // Overlap in one allocation is allowed if the ranges differ by more than their length.
        HIP(hipMemcpy((char *)a + 8000, a, 8000, hipMemcpyDeviceToDevice));
        HIP(hipMemcpyDtoH(out.data(), a, 16000));
        EXPECT(!memcmp(out.data(), out.data() + 2000, 8000), "copy within an allocation");
        hipDeviceptr_t base;
        size_t size;
        HIP(hipMemGetAddressRange(&base, &size, (char *)a + 12345));
        EXPECT(base == a && size == 20000, "address range of %zu bytes", size);
        size_t free_bytes, total;
        HIP(hipMemGetInfo(&free_bytes, &total));
        EXPECT(free_bytes <= total && total > (1u << 30), "%zu of %zu bytes are free", free_bytes, total);
        HIP(hipFree(a));
        HIP(hipFree(b));
    }
    // Values written and awaited by a stream.
    {
        int can = 0;
        HIP(hipDeviceGetAttribute(&can, hipDeviceAttributeCanUseStreamWaitValue, 0));
        if (can) {
            hipStream_t one, two;
            HIP(hipStreamCreate(&one));
            HIP(hipStreamCreate(&two));
            uint64_t *signal;
            HIP(hipExtMallocWithFlags((void **)&signal, 8, hipMallocSignalMemory));
            *signal = 0;
            Array<int> cell(1);
            cell.zero();
            HIP(hipDeviceSynchronize());
            HIP(hipStreamWaitValue64(one, signal, 7, hipStreamWaitValueEq, ~0ull));
            HIP(hipMemsetD32Async((hipDeviceptr_t)cell.data, 42, 1, one));
            EXPECT(hipStreamQuery(one) == hipErrorNotReady, "the stream did not wait");
            HIP(hipStreamWriteValue64(two, signal, 7, 0));
            HIP(hipStreamSynchronize(one));
            EXPECT(cell.get()[0] == 42, "after the wait: %d", cell.get()[0]);
            HIP(hipStreamDestroy(one));
            HIP(hipStreamDestroy(two));
            HIP(hipFree(signal));
        }
    }
    // A thousand allocations of odd sizes, freed out of order, and contents that stay.
    {
        Random random;
        std::vector<std::pair<unsigned char *, size_t>> blocks;
        for (int round = 0; round < 1000; round++) {
            if (blocks.size() > 60 || (blocks.size() && random.next() % 3 == 0)) {
                size_t which = random.next() % blocks.size();
                auto [data, size] = blocks[which];
                unsigned char ends[2];
                HIP(hipMemcpy(ends, data, 1, hipMemcpyDeviceToHost));
                HIP(hipMemcpy(ends + 1, data + size - 1, 1, hipMemcpyDeviceToHost));
                unsigned char tag = (unsigned char)(uintptr_t(data) >> 8 ^ size);
                EXPECT(ends[0] == tag && ends[1] == tag, "a block of %zu bytes lost its contents", size);
                HIP(hipFree(data));
                blocks[which] = blocks.back();
                blocks.pop_back();
            } else {
                size_t size = 1 + random.next() % (random.next() % 20 ? 5000 : 3000000);
                unsigned char *data;
                HIP(hipMalloc(&data, size));
                HIP(hipMemset(data, (unsigned char)(uintptr_t(data) >> 8 ^ size), size));
                blocks.push_back({data, size});
            }
        }
        for (auto [data, size] : blocks)
            HIP(hipFree(data));
    }
    return verdict();
}
