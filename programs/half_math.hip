// fp16 and bf16: conversions over all encodings, arithmetic, packed operations.
#include "check.h"
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>

__global__ void widen_all(float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short bits = i;
    _Float16 h;
    memcpy(&h, &bits, 2);
    out[i] = float(h);
}
__global__ void narrow(const float *in, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    _Float16 h = _Float16(in[i]);
    memcpy(&out[i], &h, 2);
    hip_bfloat16 b(in[i]);
    out[n + i] = b.data;
}
__global__ void arithmetic(const __half *a, const __half *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half x = a[i], y = b[i];
    out[i] = __half2float(__hadd(x, y));
    out[n + i] = __half2float(__hsub(x, y));
    out[2 * n + i] = __half2float(__hmul(x, y));
    out[3 * n + i] = __half2float(__hfma(x, y, x));
    out[4 * n + i] = __half2float(__hdiv(x, y));
    __half2 p = __halves2half2(x, y), q = __halves2half2(y, x);
    __half2 sum = __hadd2(p, q), product = __hmul2(p, q), fused = __hfma2(p, q, p);
    out[5 * n + i] = __low2float(sum) - __high2float(sum);
    out[6 * n + i] = __low2float(product) - __high2float(product);
    out[7 * n + i] = __low2float(fused);
    out[8 * n + i] = __hlt(x, y) + 2 * __heq(x, x) + 4 * __hge(x, y);
    out[9 * n + i] = __half2float(hsqrt(__habs(x)));
    out[10 * n + i] = int(float(x)) + __half2int_rz(y);
    out[11 * n + i] = __half2float(hfloor(x)) + __half2float(hceil(y));
    out[12 * n + i] = __half2float(__int2half_rn(i - 100));
    out[13 * n + i] = __half2float(__float2half_rn(float(i) * 1.37f));
}

// Decodes a half by its definition.
static float decode(unsigned short bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    float value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                  : exponent     ? std::ldexp(1024.f + mantissa, exponent - 25)
                                 : std::ldexp(float(mantissa), -24);
    return bits & 0x8000 ? -value : value;
}
// The nearest half, ties to even.
static float round_half(double x) {
    if (std::isnan(x) || std::isinf(x) || x == 0)
        return float(x);
    int exponent = std::max(std::ilogb(x), -14);
    double unit = std::ldexp(1.0, exponent - 10), rounded = std::nearbyint(x / unit) * unit;
    return std::fabs(rounded) >= 65520 ? std::copysign(INFINITY, x) : float(rounded);
}
static bool same(float a, float b) { return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)); }

int main() {
    Array<float> widened(65536);
    widen_all<<<256, 256>>>(widened);
    FINISH();
    auto all = widened.get();
    for (int i = 0; i < 65536; i++)
        EXPECT(same(all[i], decode(i)), "half %04x is %g instead of %g", i, all[i], decode(i));

    const int n = 4096;
    Random random;
    std::vector<float> in(n);
    for (int i = 0; i < n; i++) {
        uint32_t bits = random.next();
        memcpy(&in[i], &bits, 4);
        if (i % 2)
            in[i] = float(random.between(-1, 1) * std::ldexp(1.0, int(random.next() % 44) - 26));
    }
    in[0] = 65519.99f, in[1] = 65520, in[2] = 1.00048828125f, in[3] = 5.9604645e-8f, in[4] = 2.9802322e-8f;
    Array<float> device_in(in);
    Array<unsigned short> narrowed(2 * n);
    narrow<<<n / 256, 256>>>(device_in, narrowed, n);
    FINISH();
    auto got = narrowed.get();
    for (int i = 0; i < n; i++) {
        EXPECT(same(decode(got[i]), round_half(in[i])), "%.9g as half: %g instead of %g", in[i], decode(got[i]), round_half(in[i]));
        uint32_t bits;
        memcpy(&bits, &in[i], 4);
        uint16_t brain = uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        if (!std::isnan(in[i]))
            EXPECT(got[n + i] == brain, "%.9g as bf16: %04x instead of %04x", in[i], got[n + i], brain);
    }

    const int m = 1024;
    std::vector<__half> a(m), b(m);
    for (int i = 0; i < m; i++) {
        a[i] = __float2half(float(random.between(-8, 8)));
        b[i] = __float2half(float(random.between(-3, 3)));
    }
    Array<__half> device_a(a), device_b(b);
    Array<float> out(14 * m);
    arithmetic<<<m / 128, 128>>>(device_a, device_b, out, m);
    FINISH();
    auto results = out.get();
    for (int i = 0; i < m; i++) {
        double x = __half2float(a[i]), y = __half2float(b[i]);
        float expected[14] = {
            round_half(x + y),
            round_half(x - y),
            round_half(x * y),
            round_half(x * y + x),
            round_half(x / y),
            0,
            0,
            round_half(x * y + x),
            float((x < y) + 2 + 4 * (x >= y)),
            round_half(std::sqrt(std::fabs(x))),
            float(std::trunc(x) + std::trunc(y)),
            float(std::floor(x) + std::ceil(y)),
            round_half(i - 100),
            round_half(double(float(i) * 1.37f)),
        };
        for (int k = 0; k < 14; k++) {
            float value = results[k * m + i];
            bool close = k == 4 && std::fabs(value - expected[k]) <= std::fabs(expected[k]) / 1024;
            EXPECT(value == expected[k] || close, "case %d of %g and %g: %g instead of %g", k, x, y, value, expected[k]);
        }
    }
    return verdict();
}
