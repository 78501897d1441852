// Loads, stores and arithmetic of HIP's vector types, aligned and unaligned, and packed structures.
#include "check.h"

template <typename V> __global__ void move(const V *in, V *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[n - 1 - i] = in[i] + in[i];
}
template <typename V, typename T, int lanes> void check(const char *name) {
    const int n = 300;
    std::vector<V> in(n);
    T *flat = reinterpret_cast<T *>(in.data());
    for (int i = 0; i < int(n * sizeof(V) / sizeof(T)); i++)
        flat[i] = T(i % 50);
    Array<V> device_in(in), out(n);
    move<V><<<3, 100>>>(device_in, out, n);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < n; i++)
        for (int l = 0; l < lanes; l++) {
            T found = reinterpret_cast<T *>(&got[n - 1 - i])[l], expected = T(2 * reinterpret_cast<T *>(&in[i])[l]);
            EXPECT(found == expected, "%s [%d].%d", name, i, l);
        }
}

struct __attribute__((packed)) Packed {
    char tag;
    int number;
    short half;
    double real;
    long long big;
};
__global__ void unpack(const Packed *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].tag + 10.0 * in[i].number + 1000.0 * in[i].half + in[i].real + double(in[i].big);
}
__global__ void pack(Packed *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = {char(i), i * 3, short(-i), i * 0.5, (long long)i << 35};
}

int main() {
    check<char2, char, 2>("char2");
    check<char4, char, 4>("char4");
    check<uchar3, unsigned char, 3>("uchar3");
    check<short2, short, 2>("short2");
    check<short4, short, 4>("short4");
    check<ushort3, unsigned short, 3>("ushort3");
    check<int2, int, 2>("int2");
    check<int3, int, 3>("int3");
    check<int4, int, 4>("int4");
    check<float2, float, 2>("float2");
    check<float3, float, 3>("float3");
    check<float4, float, 4>("float4");
    check<double2, double, 2>("double2");
    check<double3, double, 3>("double3");
    check<double4, double, 4>("double4");
    check<longlong2, long long, 2>("longlong2");
    check<ulonglong4, unsigned long long, 4>("ulonglong4");
    const int n = 200;
    Array<Packed> packed(n);
    Array<double> out(n);
    pack<<<2, 100>>>(packed, n);
    FINISH();
    auto host = packed.get();
    for (int i = 0; i < n; i++)
        EXPECT(host[i].tag == char(i) && host[i].number == 3 * i && host[i].half == -i && host[i].real == i * 0.5 &&
                   host[i].big == (long long)i << 35,
               "packed %d", i);
    unpack<<<2, 100>>>(packed, out, n);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < n; i++) {
        double expected = char(i) + 30.0 * i - 1000.0 * i + i * 0.5 + double((long long)i << 35);
        EXPECT(got[i] == expected, "unpacked %d: %g instead of %g", i, got[i], expected);
    }
    return verdict();
}
