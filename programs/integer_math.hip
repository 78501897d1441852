// Integer arithmetic of all widths: division, wide products, bit tricks, conversions, packed bytes.
#include "check.h"

template <typename T> __host__ __device__ T mix(T a, T b) {
    T c = b == 0 ? T(1) : b;
    bool overflows = T(-1) < T(0) && c == T(-1);
    T quotient = overflows ? T(0) : T(a / c), rest = overflows ? T(0) : T(a % c);
    return T(quotient * 3 + rest * 5 + (a * b) + (a << (b & 7)) + (a >> (b & 7)) + (a < b ? 1 : 2) + (a ^ b) - (a & ~b));
}
template <typename T> __global__ void run_mix(const T *a, const T *b, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mix(a[i], b[i]);
}
template <typename T> void check_mix(const char *name) {
    const int n = 2000;
    Random random;
    std::vector<T> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = T(uint64_t(random.next()) << 32 | random.next());
        b[i] = T((uint64_t(random.next()) << 32 | random.next()) >> (random.next() % (8 * sizeof(T))));
    }
    Array<T> device_a(a), device_b(b), out(n);
    run_mix<T><<<(n + 127) / 128, 128>>>(device_a, device_b, out, n);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == mix(a[i], b[i]), "%s of %lld and %lld: %lld instead of %lld", name, (long long)a[i], (long long)b[i],
               (long long)got[i], (long long)mix(a[i], b[i]));
}

__global__ void bits(const unsigned *a, const unsigned *b, unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = a[i], y = b[i];
    unsigned long long w = (unsigned long long)x << 32 | y;
    unsigned long long *o = out + 16 * i;
    o[0] = __popc(x) + 100 * __clz(x) + 10000 * __ffs(x);
    o[1] = __popcll(w) + 100 * __clzll(w) + 10000 * __ffsll(w);
    o[2] = __brev(x);
    o[3] = __brevll(w);
    o[4] = __umulhi(x, y);
    o[5] = __umul64hi(w, w * 3 + 1);
    o[6] = unsigned(__mul24(int(x), int(y)));
    o[7] = unsigned(__umul24(x, y));
    o[8] = __byte_perm(x, y, 0x2715);
    o[9] = __funnelshift_l(x, y, y & 31);
    o[10] = __funnelshift_r(x, y, x & 31);
    o[11] = __sad(int(x) >> 1, int(y) >> 1, 7u); // HIP subtracts as int, which must not overflow.
    o[12] = __usad(x, y, 9u);
    o[13] = (unsigned long long)__mulhi(int(x), int(y));
    o[14] = (unsigned long long)__mul64hi((long long)w, -3ll);
    o[15] = __uhadd(x >> 1, y >> 1) + __urhadd(x >> 1, y >> 1);
}

__global__ void dots(const char4 *a, const char4 *b, const uchar4 *c, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    char4 x = a[i], y = b[i];
    uchar4 z = c[i];
    out[i] = amd_mixed_dot(make_short2(x.x, x.y), make_short2(y.z, y.w), 5, false);
    out[n + i] = amd_mixed_dot(x, y, 11, false);
    out[2 * n + i] = int(amd_mixed_dot(z, z, 3u, false));
    out[3 * n + i] = (x + y).x * 1000 + (x - y).w + (z * z).y;
}

__global__ void conversions(const float *f, const double *d, long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    long long *o = out + 12 * i;
    o[0] = int(f[i]);
    o[1] = (long long)(f[i] * 1e6f);
    o[2] = unsigned(fabsf(f[i]));
    o[3] = (unsigned long long)(fabs(d[i]) * 1e12);
    o[4] = __float2int_rn(f[i]);
    o[5] = __float2int_rd(f[i]);
    o[6] = __float2int_ru(f[i]);
    o[7] = __double2int_rn(d[i]);
    o[8] = __float_as_int(float((long long)(d[i] * 1e14)));
    o[9] = __double_as_longlong(double((unsigned long long)(fabs(d[i]) * 1e15)));
    o[10] = __float_as_int(float(int(d[i] * 1e5)));
    o[11] = (unsigned char)(int)f[i] + (short)(int)d[i];
}

int main() {
    check_mix<signed char>("char");
    check_mix<unsigned char>("unsigned char");
    check_mix<short>("short");
    check_mix<unsigned short>("unsigned short");
    check_mix<int>("int");
    check_mix<unsigned>("unsigned");
    check_mix<long long>("long long");
    check_mix<unsigned long long>("unsigned long long");
    const int n = 1000;
    Random random;
    std::vector<unsigned> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = random.next() >> (random.next() & 31);
        b[i] = random.next();
    }
    a[0] = 0;
    Array<unsigned> device_a(a), device_b(b);
    Array<unsigned long long> out(16 * n);
    bits<<<(n + 63) / 64, 64>>>(device_a, device_b, out, n);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < n; i++) {
        unsigned x = a[i], y = b[i];
        uint64_t w = uint64_t(x) << 32 | y;
        auto reverse = [](uint64_t v, int bits) {
            uint64_t r = 0;
            for (int k = 0; k < bits; k++)
                r |= (v >> k & 1) << (bits - 1 - k);
            return r;
        };
        auto signed24 = [](unsigned v) { return int64_t(int(v << 8) >> 8); };
        uint64_t both = uint64_t(y) << 32 | x;
        unsigned permuted = 0, selector = 0x2715;
        for (int k = 0; k < 4; k++)
            permuted |= unsigned(both >> 8 * (selector >> 4 * k & 7) & 255) << 8 * k;
        uint64_t expected[16] = {
            uint64_t(__builtin_popcount(x) + 100 * (x ? __builtin_clz(x) : 32) + 10000 * __builtin_ffs(x)),
            uint64_t(__builtin_popcountll(w) + 100 * (w ? __builtin_clzll(w) : 64) + 10000 * __builtin_ffsll(w)),
            reverse(x, 32),
            reverse(w, 64),
            uint64_t(x) * y >> 32,
            uint64_t((unsigned __int128)w * (w * 3 + 1) >> 64),
            unsigned(signed24(x) * signed24(y)),
            unsigned(uint64_t(x & 0xffffff) * (y & 0xffffff)),
            permuted,
            unsigned((uint64_t(y) << 32 | x) << (y & 31) >> 32),
            unsigned((uint64_t(y) << 32 | x) >> (x & 31)),
            unsigned(std::llabs((long long)(int(x) >> 1) - (int(y) >> 1)) + 7),
            unsigned((x > y ? x - y : y - x) + 9),
            uint64_t(int64_t(int(int64_t(int(x)) * int(y) >> 32))),
            uint64_t((long long)((__int128)(long long)w * -3 >> 64)),
            0,
        };
        expected[15] = unsigned((uint64_t(x >> 1) + (y >> 1)) >> 1) + unsigned((uint64_t(x >> 1) + (y >> 1) + 1) >> 1);
        for (int k = 0; k < 16; k++)
            EXPECT(got[16 * i + k] == expected[k], "case %d of %x and %x: %llx instead of %llx", k, x, y, got[16 * i + k],
                   (unsigned long long)expected[k]);
    }

    std::vector<char4> p(n), q(n);
    std::vector<uchar4> r(n);
    for (int i = 0; i < n; i++) {
        p[i] = make_char4(random.next(), random.next(), random.next(), random.next());
        q[i] = make_char4(random.next(), random.next(), random.next(), random.next());
        r[i] = make_uchar4(random.next(), random.next(), random.next(), random.next());
    }
    Array<char4> device_p(p), device_q(q);
    Array<uchar4> device_r(r);
    Array<int> sums(4 * n);
    dots<<<(n + 63) / 64, 64>>>(device_p, device_q, device_r, sums, n);
    FINISH();
    auto dot = sums.get();
    for (int i = 0; i < n; i++) {
        char4 x = p[i], y = q[i];
        uchar4 z = r[i];
        int expected[4] = {
            x.x * y.z + x.y * y.w + 5,
            x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w + 11,
            z.x * z.x + z.y * z.y + z.z * z.z + z.w * z.w + 3,
            (signed char)(x.x + y.x) * 1000 + (signed char)(x.w - y.w) + (unsigned char)(z.y * z.y),
        };
        for (int k = 0; k < 4; k++)
            EXPECT(dot[k * n + i] == expected[k], "dot case %d at %d: %d instead of %d", k, i, dot[k * n + i], expected[k]);
    }

    std::vector<float> f(n);
    std::vector<double> d(n);
    for (int i = 0; i < n; i++) {
        f[i] = float(random.between(-3000, 3000));
        d[i] = random.between(-5000, 5000);
        if (i % 5 == 0)
            f[i] = std::floor(f[i]) + 0.5f, d[i] = std::floor(d[i]) + 0.5;
    }
    Array<float> device_f(f);
    Array<double> device_d(d);
    Array<long long> wide(12 * n);
    conversions<<<(n + 63) / 64, 64>>>(device_f, device_d, wide, n);
    FINISH();
    auto converted = wide.get();
    for (int i = 0; i < n; i++) {
        float g;
        int32_t g32;
        double h;
        int64_t h64;
        g = float((long long)(d[i] * 1e14));
        memcpy(&g32, &g, 4);
        h = double((unsigned long long)(std::fabs(d[i]) * 1e15));
        memcpy(&h64, &h, 8);
        int32_t k32;
        float k = float(int(d[i] * 1e5));
        memcpy(&k32, &k, 4);
        long long expected[12] = {
            int(f[i]),
            (long long)(f[i] * 1e6f),
            unsigned(std::fabs(f[i])),
            (long long)(unsigned long long)(std::fabs(d[i]) * 1e12),
            (long long)std::nearbyint(f[i]),
            (long long)std::floor(f[i]),
            (long long)std::ceil(f[i]),
            (long long)std::nearbyint(d[i]),
            g32,
            h64,
            k32,
            (unsigned char)(int)f[i] + (short)(int)d[i],
        };
        for (int c = 0; c < 12; c++)
            EXPECT(converted[12 * i + c] == expected[c], "conversion %d of %.9g and %.17g: %lld instead of %lld", c, f[i], d[i],
                   converted[12 * i + c], expected[c]);
    }
    return verdict();
}
