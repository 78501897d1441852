// flags: -std=c++17
// The limits: 64 KiB of LDS, 4 KiB of kernel arguments, sixty arguments, 1,024 work-items, deep recursion, big frames, many kernels.
#include "check.h"

extern __shared__ unsigned char room[];
template <typename T> __global__ void fill_lds(T *out, int bytes, int shift) {
    T *cells = reinterpret_cast<T *>(room);
    int count = bytes / sizeof(T);
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        for (int k = 0; k < int(sizeof(T) / 4); k++)
            reinterpret_cast<unsigned *>(&cells[i])[k] = (i + blockIdx.x) * 2654435761u + k;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        out[blockIdx.x * count + i] = cells[(i * 7 + shift) % count];
}
struct alignas(4) Triple {
    unsigned v[3];
};
template <typename T> static void check_lds(const char *name, int bytes) {
    int count = bytes / sizeof(T), words = sizeof(T) / 4;
    Array<T> out(3 * count);
    HIP(hipFuncSetAttribute(reinterpret_cast<const void *>(fill_lds<T>), hipFuncAttributeMaxDynamicSharedMemorySize, bytes));
    fill_lds<T><<<3, 1024, bytes>>>(out.data, bytes, 11);
    FINISH();
    auto got = out.get();
    for (int b = 0; b < 3; b++)
        for (int i = 0; i < count; i++)
            for (int k = 0; k < words; k++) {
                unsigned found = reinterpret_cast<unsigned *>(&got[b * count + i])[k], want = ((i * 7 + 11) % count + b) * 2654435761u + k;
                EXPECT(found == want, "%s of LDS, block %d [%d].%d: %x instead of %x", name, b, i, k, found, want);
            }
}

// Bytes of LDS at every misalignment.
__global__ void ragged(unsigned *out) {
    __shared__ unsigned char bytes[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        bytes[i] = i * 31 + i / 256;
    __syncthreads();
    struct __attribute__((packed)) Loose {
        unsigned long long a;
        unsigned b;
        unsigned short c;
    };
    const Loose *loose = reinterpret_cast<const Loose *>(bytes + threadIdx.x * 5);
    out[threadIdx.x * 3] = unsigned(loose->a) ^ unsigned(loose->a >> 32);
    out[threadIdx.x * 3 + 1] = loose->b;
    out[threadIdx.x * 3 + 2] = loose->c;
    __syncthreads();
    Loose *target = reinterpret_cast<Loose *>(bytes + threadIdx.x * 15 % 1800);
    if (threadIdx.x < 100)
        target->b = threadIdx.x * 0x01020304;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 2048; i++)
        sum = sum * 33 + bytes[i];
    out[600 + threadIdx.x] = sum;
}
static void check_ragged() {
    Array<unsigned> out(900);
    ragged<<<1, 200>>>(out);
    FINISH();
    auto got = out.get();
    unsigned char bytes[2048];
    for (int i = 0; i < 2048; i++)
        bytes[i] = i * 31 + i / 256;
    for (int t = 0; t < 200; t++) {
        uint64_t a;
        uint32_t b;
        uint16_t c;
        memcpy(&a, bytes + t * 5, 8), memcpy(&b, bytes + t * 5 + 8, 4), memcpy(&c, bytes + t * 5 + 12, 2);
        EXPECT(got[t * 3] == (unsigned(a) ^ unsigned(a >> 32)) && got[t * 3 + 1] == b && got[t * 3 + 2] == c, "ragged loads of thread %d",
               t);
    }
    for (unsigned t = 0; t < 100; t++) {
        unsigned value = t * 0x01020304;
        memcpy(bytes + t * 15 % 1800 + 8, &value, 4);
    }
    unsigned sum = 0;
    for (int i = 0; i < 2048; i++)
        sum = sum * 33 + bytes[i];
    for (int t = 0; t < 200; t++)
        EXPECT(got[600 + t] == sum, "ragged stores seen by thread %d", t);
}

struct Large {
    double a[200];
    int b[500];
    char tail[300];
};
__global__ void large(Large argument, double *out, int k) {
    int t = threadIdx.x;
    out[t] = argument.a[(t * k) % 200] + argument.b[(t * 3 + k) % 500] + argument.tail[(t + k) % 300];
    argument.b[t] = k;
    out[256 + t] = argument.b[(t + 1) % 500];
}
static void check_arguments() {
    Large argument;
    for (int i = 0; i < 200; i++)
        argument.a[i] = i * 0.5;
    for (int i = 0; i < 500; i++)
        argument.b[i] = i * i;
    for (int i = 0; i < 300; i++)
        argument.tail[i] = i % 100;
    Array<double> out(512);
    large<<<1, 256>>>(argument, out, 7);
    FINISH();
    auto got = out.get();
    for (int t = 0; t < 256; t++) {
        double want = (t * 7 % 200) * 0.5 + ((t * 3 + 7) % 500) * ((t * 3 + 7) % 500) + (t + 7) % 300 % 100;
        EXPECT(got[t] == want, "large argument, thread %d: %g instead of %g", t, got[t], want);
        EXPECT(got[256 + t] == double((t + 1) * (t + 1)), "own copy of thread %d: %g", t, got[256 + t]);
    }
}

template <typename... T> __global__ void sixty(long long *out, T... values) {
    long long sum = 0, weight = 1;
    ((sum += (long long)(values)*weight++), ...);
    out[threadIdx.x] = sum;
}
template <int... k> static void launch_sixty(Array<long long> &out, std::integer_sequence<int, k...>) {
    sixty<<<1, 64>>>(
        out.data,
        std::conditional_t<k % 5 == 0, char,
                           std::conditional_t<k % 5 == 1, double,
                                              std::conditional_t<k % 5 == 2, short, std::conditional_t<k % 5 == 3, long long, float>>>>(
            k + 1)...);
}
static void check_sixty() {
    Array<long long> out(64);
    launch_sixty(out, std::make_integer_sequence<int, 60>{});
    FINISH();
    long long want = 0;
    for (long long k = 1; k <= 60; k++)
        want += k * k;
    for (auto v : out.get())
        EXPECT(v == want, "sixty arguments: %lld instead of %lld", v, want);
}

// Private frames of kilobytes, indexed by data, under recursion.
__device__ __attribute__((noinline)) int frames(int depth, int seed) {
    int room[64];
    for (int i = 0; i < 64; i++)
        room[i] = seed * i + depth;
    if (depth == 0)
        return room[seed & 63];
    int below = frames(depth - 1, room[(seed * 5 + depth) & 63] & 1023);
    return below + room[below & 63];
}
static int frames_on_host(int depth, int seed) {
    int room[64];
    for (int i = 0; i < 64; i++)
        room[i] = seed * i + depth;
    if (depth == 0)
        return room[seed & 63];
    int below = frames_on_host(depth - 1, room[(seed * 5 + depth) & 63] & 1023);
    return below + room[below & 63];
}
__global__ void deep(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = frames(threadIdx.x % 20, threadIdx.x + blockIdx.x); }
static void check_frames() {
#if HIP_VERSION_MAJOR >= 6
    // Newer compilers do not guess how deep a recursion goes: what a work-item has is said to HIP.
    HIP(hipDeviceSetLimit(hipLimitStackSize, 16 << 10));
#endif
    Array<int> out(512);
    deep<<<2, 256>>>(out);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < 512; i++)
        EXPECT(got[i] == frames_on_host(i % 256 % 20, i % 256 + i / 256), "frames of %d: %d", i, got[i]);
}

template <int k> __global__ void one_of_many(int *out) { out[k] = k * k + int(threadIdx.x) * 0; }
template <int... k> static void launch_many(int *out, std::integer_sequence<int, k...>) { (one_of_many<k><<<1, 1>>>(out), ...); }
static void check_many() {
    Array<int> out(200);
    launch_many(out, std::make_integer_sequence<int, 200>{});
    FINISH();
    auto got = out.get();
    for (int k = 0; k < 200; k++)
        EXPECT(got[k] == k * k, "kernel %d wrote %d", k, got[k]);
}

// Shapes of blocks and grids, each work-item once.
__global__ void visit(unsigned *cells, dim3 extent) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
             z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < extent.x && y < extent.y && z < extent.z)
        atomicAdd(&cells[(z * extent.y + y) * extent.x + x], 1 + (gridDim.x * gridDim.y * gridDim.z == 0));
}
static void check_shapes() {
    const dim3 blocks[] = {dim3(1, 1, 1),   dim3(1024, 1, 1), dim3(1, 1024, 1), dim3(1, 1, 64),
                           dim3(7, 11, 13), dim3(3, 1, 33),   dim3(32, 32, 1),  dim3(63, 2, 2)};
    for (dim3 block : blocks) {
        dim3 extent(block.x * 2 + 1, block.y + 3, block.z * 2 - block.z / 2);
        Array<unsigned> cells(size_t(extent.x) * extent.y * extent.z);
        cells.zero();
        dim3 grid((extent.x + block.x - 1) / block.x, (extent.y + block.y - 1) / block.y, (extent.z + block.z - 1) / block.z);
        visit<<<grid, block>>>(cells, extent);
        FINISH();
        for (unsigned v : cells.get())
            EXPECT(v == 1, "block %u %u %u visited a cell %u times", block.x, block.y, block.z, v);
    }
}

int main() {
    check_lds<unsigned>("words", 65536);
    check_lds<uint2>("pairs", 65536);
    check_lds<uint4>("quads", 65536);
    check_lds<Triple>("triples", 65532);
    check_ragged();
    check_arguments();
    check_sixty();
    check_frames();
    check_many();
    check_shapes();
    return verdict();
}
