// Kernel arguments of every size and alignment, by value.
#include "check.h"

struct Inner {
    char c;
    short s;
    double d;
};
struct Big {
    int values[100];
    Inner inner;
    float3 vector;
    uint64_t last;
};
struct alignas(32) Aligned {
    float values[8];
};
struct Empty {};

__global__ void read(char a, Big big, bool flag, Aligned aligned, short b, Empty, double c, float3 v, unsigned char d, double *out) {
    double sum = 0;
    for (int i = 0; i < 100; i++)
        sum += big.values[i];
    out[0] = sum;
    out[1] = big.inner.c;
    out[2] = big.inner.s;
    out[3] = big.inner.d;
    out[4] = big.vector.x + 10 * big.vector.y + 100 * big.vector.z;
    out[5] = double(big.last);
    out[6] = aligned.values[0] + aligned.values[7];
    out[7] = a;
    out[8] = b;
    out[9] = c;
    out[10] = v.x * v.y * v.z;
    out[11] = d + (flag ? 1000 : 0);
}

template <int N> struct Bytes {
    unsigned char values[N];
};
template <int N> __global__ void sum_bytes(Bytes<N> bytes, int *out) {
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum * 3 + bytes.values[i];
    *out = sum;
}
template <int N> void check_bytes() {
    Bytes<N> bytes;
    int expected = 0;
    for (int i = 0; i < N; i++) {
        bytes.values[i] = i * 7 + 3;
        expected = int(unsigned(expected) * 3u + bytes.values[i]);
    }
    Array<int> out(1);
    sum_bytes<N><<<1, 1>>>(bytes, out);
    FINISH();
    EXPECT(out.get()[0] == expected, "%d bytes: %d instead of %d", N, out.get()[0], expected);
}

int main() {
    Big big{};
    for (int i = 0; i < 100; i++)
        big.values[i] = i * i;
    big.inner = {-5, -1234, 2.5};
    big.vector = {1, 2, 3};
    big.last = 1ull << 40;
    Aligned aligned{{1, 0, 0, 0, 0, 0, 0, 41}};
    Array<double> out(12);
    read<<<1, 1>>>('x', big, true, aligned, -7, {}, -0.125, {2, 3, 4}, 200, out);
    FINISH();
    double expected[] = {328350, -5, -1234, 2.5, 321, double(1ull << 40), 42, 'x', -7, -0.125, 24, 1200};
    auto got = out.get();
    for (int i = 0; i < 12; i++)
        EXPECT(got[i] == expected[i], "[%d] is %g instead of %g", i, got[i], expected[i]);
    check_bytes<1>();
    check_bytes<3>();
    check_bytes<17>();
    check_bytes<255>();
    check_bytes<2000>();
    return verdict();
}
