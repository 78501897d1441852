// Static and dynamic LDS of several types and sizes, barriers between the phases.
#include "check.h"

__global__ void reverse_static(const int *in, int *out) {
    __shared__ int tile[256];
    int base = blockIdx.x * 256;
    tile[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    out[base + threadIdx.x] = tile[255 - threadIdx.x];
}

extern __shared__ char dynamic[];
template <typename T> __global__ void rotate_dynamic(const T *in, T *out, int n) {
    T *tile = reinterpret_cast<T *>(dynamic);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        tile[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = tile[(i * 5 + 3) % n];
}

struct Odd {
    unsigned char bytes[3];
};
template <typename T> void check_rotation(int n, const char *name) {
    std::vector<T> in(n);
    for (int i = 0; i < int(n * sizeof(T)); i++)
        reinterpret_cast<unsigned char *>(in.data())[i] = (i * 37 + 11) & 0x3f;
    Array<T> device_in(in), out(n);
    rotate_dynamic<T><<<1, 192, n * sizeof(T)>>>(device_in, out, n);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < n; i++)
        EXPECT(!memcmp(&got[i], &in[(i * 5 + 3) % n], sizeof(T)), "%s, %d of %d", name, i, n);
}

// Sums by a tree with a barrier per level.
__global__ void tree_sum(const float *in, float *out) {
    __shared__ float tile[1024];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * 1024 + t];
    for (int half = 512; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            tile[t] += tile[t + half];
    }
    if (t == 0)
        out[blockIdx.x] = tile[0];
}

// The hardware's own way to count lanes: relative to M0, for all lanes at once.
__global__ void append(int *out) {
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0)
        count = 100;
    __syncthreads();
    if (t % 3 == 0)
        out[t] = __builtin_amdgcn_ds_append((__attribute__((address_space(3))) int *)&count);
    __syncthreads();
    if (t == 1)
        out[t] = count;
}

int main() {
    std::vector<int> in(1024);
    for (int i = 0; i < 1024; i++)
        in[i] = i * i;
    Array<int> device_in(in), out(1024);
    reverse_static<<<4, 256>>>(device_in, out);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < 1024; i++)
        EXPECT(got[i] == in[(i & ~255) + 255 - (i & 255)], "[%d] is %d", i, got[i]);
    check_rotation<char>(1001, "char");
    check_rotation<short>(777, "short");
    check_rotation<Odd>(1003, "three bytes");
    check_rotation<int>(1024, "int");
    check_rotation<double>(1021, "double");
    check_rotation<float4>(1024, "float4");
    check_rotation<int3>(1000, "int3");
    check_rotation<int>(16384, "64 KiB");
    std::vector<float> floats(8 * 1024);
    for (size_t i = 0; i < floats.size(); i++)
        floats[i] = float(i % 97);
    Array<float> device_floats(floats), sums(8);
    tree_sum<<<8, 1024>>>(device_floats, sums);
    FINISH();
    auto got_sums = sums.get();
    for (int b = 0; b < 8; b++) {
        float sum = 0;
        for (int i = 0; i < 1024; i++)
            sum += floats[b * 1024 + i];
        EXPECT(got_sums[b] == sum, "block %d: %g instead of %g", b, got_sums[b], sum);
    }
    append<<<1, 32>>>(out);
    FINISH();
    got = out.get();
    EXPECT(got[0] == 100 && got[30] == 100, "lanes found %d and %d", got[0], got[30]);
    EXPECT(got[1] == 111, "%d after 11 lanes", got[1]);
    return verdict();
}
