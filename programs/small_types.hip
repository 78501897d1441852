// devices: gfx900 gfx906 gfx908 gfx90a gfx1030
// also: *
// flags: -std=c++17 -ffp-contract=off
// Vectors of bytes and shorts, half and bfloat16 arithmetic, packed arithmetic and dot products, against the host.
#include "check.h"
#include <algorithm>
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>

__host__ __device__ inline uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

__global__ void bytes(const uchar4 *in, uchar4 *out, char4 *signed_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 a = in[i], b = in[n - 1 - i];
    uchar4 average;
    average.x = (a.x + b.x + 1) / 2;
    average.y = a.y > b.y ? a.y - b.y : b.y - a.y;
    average.z = min(255, a.z + b.z);
    average.w = a.w * b.w >> 8;
    out[i] = average;
    char4 s = make_char4(a.x, a.y, a.z, a.w), t = make_char4(b.x, b.y, b.z, b.w);
    s += t;
    s.y = s.y / (t.x | 1);
    s.z = -s.z;
    s.w = t.w >> 3;
    signed_out[i] = s;
}
static void check_bytes() {
    const int n = 1021;
    std::vector<uchar4> in(n);
    for (int i = 0; i < n; i++) {
        uint32_t bits = mix(i);
        memcpy(&in[i], &bits, 4);
    }
    Array<uchar4> device_in(in), out(n);
    Array<char4> signed_out(n);
    bytes<<<8, 128>>>(device_in, out, signed_out, n);
    FINISH();
    auto got = out.get();
    auto got_signed = signed_out.get();
    for (int i = 0; i < n; i++) {
        uchar4 a = in[i], b = in[n - 1 - i];
        EXPECT(got[i].x == (a.x + b.x + 1) / 2 && got[i].y == abs(a.y - b.y) && got[i].z == std::min(255, a.z + b.z) &&
                   got[i].w == (a.w * b.w) >> 8,
               "bytes %d", i);
        signed char y = (signed char)(a.y + b.y), tx = (signed char)b.x;
        EXPECT(got_signed[i].x == (signed char)(a.x + b.x), "signed byte x of %d", i);
        EXPECT(got_signed[i].y == (signed char)(y / (tx | 1)), "signed byte y of %d", i);
        EXPECT(got_signed[i].z == (signed char)(-(signed char)(a.z + b.z)), "signed byte z of %d", i);
        EXPECT(got_signed[i].w == ((signed char)b.w) >> 3, "signed byte w of %d", i);
    }
}

typedef short s2 __attribute__((ext_vector_type(2)));
typedef unsigned short u2 __attribute__((ext_vector_type(2)));
__global__ void shorts(const s2 *in, s2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s2 a = in[i], b = in[n - 1 - i];
    u2 ua, ub;
    memcpy(&ua, &a, 4);
    memcpy(&ub, &b, 4);
    s2 *o = out + i * 10;
    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b + a;
    o[3] = a << (b & 15);
    o[4] = a >> (b & 15);
    u2 shifted = ua >> (ub & (unsigned short)15);
    memcpy(&o[5], &shifted, 4);
    o[6] = s2{a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y};
    u2 most = {ua.x > ub.x ? ua.x : ub.x, ua.y > ub.y ? ua.y : ub.y};
    memcpy(&o[7], &most, 4);
    o[8] = s2{a.y, b.x};
    o[9] = ~a ^ (b | a);
}
static void check_shorts() {
    const int n = 777;
    std::vector<s2> in(n);
    for (int i = 0; i < n; i++) {
        uint32_t bits = mix(i + 5000);
        memcpy(&in[i], &bits, 4);
    }
    Array<s2> device_in(in), out(n * 10);
    shorts<<<7, 128>>>(device_in, out, n);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < n; i++)
        for (int h = 0; h < 2; h++) {
            short a = in[i][h], b = in[n - 1 - i][h], other_a = in[i][1], other_b = in[n - 1 - i][0];
            unsigned short ua = a, ub = b;
            const short want[] = {short(a + b),          short(a - b),           short(a * b + a), short(a << (b & 15)),
                                  short(a >> (b & 15)),  short(ua >> (ub & 15)), std::min(a, b),   short(std::max(ua, ub)),
                                  h ? other_b : other_a, short(~a ^ (b | a))};
            for (int k = 0; k < 10; k++)
                EXPECT(got[i * 10 + k][h] == want[k], "short operation %d of %d and %d: %d instead of %d", k, a, b, got[i * 10 + k][h],
                       want[k]);
        }
}

// Halves: the host computes in float and rounds, which is exact for one operation.
__global__ void halves(const __half2 *in, __half2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 a = in[i], b = in[n - 1 - i], c = in[i * 7 % n];
    __half2 *o = out + i * 8;
    o[0] = __hadd2(a, b);
    o[1] = __hsub2(a, b);
    o[2] = __hmul2(a, b);
    o[3] = __hfma2(a, b, c);
    o[4] = __h2div(a, b);
    o[5] = h2sqrt(__halves2half2(__habs(__low2half(a)), __habs(__high2half(a))));
    o[6] = h2floor(a);
    o[7] = __halves2half2(__hgt(__low2half(a), __low2half(b)) ? __low2half(a) : __low2half(b), __hneg(__high2half(a)));
}
static float wide(__half h) { return __half2float(h); }
static void check_halves() {
    const int n = 1500;
    std::vector<__half2> in(n);
    for (int i = 0; i < n; i++) {
        float x = float(int(mix(i + 900) % 200001) - 100000) / float(1 + mix(i) % 3000), y = float(int(mix(i + 77) % 2001) - 1000) / 64;
        if (y == 0)
            y = 1;
        in[i] = __half2(__float2half(x), __float2half(y));
    }
    Array<__half2> device_in(in), out(n * 8);
    halves<<<12, 128>>>(device_in, out, n);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < n; i++)
        for (int h = 0; h < 2; h++) {
            auto part = [&](__half2 v) {
                __half parts[2];
                memcpy(parts, &v, 4);
                return wide(parts[h]);
            };
            float a = part(in[i]), b = part(in[n - 1 - i]), c = part(in[i * 7 % n]);
            auto round = [](double v) { return wide(__float2half(float(v))); };
            float want[] = {round(a + b),  round(a - b),           round(double(a) * b), 0, round(a / b), round(std::sqrt(std::fabs(a))),
                            std::floor(a), h ? -a : std::max(a, b)};
            // Two roundings of the fused product could differ from one: check it where the sum is exact in float.
            double fused = double(a) * b + c;
            want[3] = double(float(fused)) == fused ? round(fused) : part(got[i * 8 + 3]);
            for (int k = 0; k < 8; k++) {
                float found = part(got[i * 8 + k]);
                bool close = found == want[k] || (k == 4 && std::fabs(found - want[k]) <= std::fabs(want[k]) * 0x1p-10f) ||
                             (std::isnan(found) && std::isnan(want[k]));
                EXPECT(close, "half operation %d of %g %g %g: %g instead of %g", k, a, b, c, found, want[k]);
            }
        }
}

__global__ void brains(const hip_bfloat16 *in, hip_bfloat16 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    hip_bfloat16 a = in[i], b = in[n - 1 - i];
    out[i * 5] = a + b;
    out[i * 5 + 1] = a * b;
    out[i * 5 + 2] = a / b;
    out[i * 5 + 3] = hip_bfloat16(float(a) * 1.0009765625f);
    out[i * 5 + 4] = a < b ? -a : b;
}
static uint16_t brain(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return uint16_t(bits >> 16 | 0x40);
    return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static void check_brains() {
    const int n = 900;
    std::vector<hip_bfloat16> in(n);
    for (int i = 0; i < n; i++) {
        in[i].data = uint16_t(mix(i + 31) & 0xbfff);
        if ((in[i].data & 0x7f80) == 0)
            in[i].data |= 0x3f80;
    }
    Array<hip_bfloat16> device_in(in), out(n * 5);
    brains<<<8, 128>>>(device_in, out, n);
    FINISH();
    auto got = out.get();
    for (int i = 0; i < n; i++) {
        auto value = [](hip_bfloat16 v) {
            uint32_t bits = uint32_t(v.data) << 16;
            float f;
            memcpy(&f, &bits, 4);
            return f;
        };
        float a = value(in[i]), b = value(in[n - 1 - i]);
        const uint16_t want[] = {brain(a + b), brain(a * b), brain(a / b), brain(a * 1.0009765625f), brain(a < b ? -a : b)};
        for (int k = 0; k < 5; k++)
            EXPECT(got[i * 5 + k].data == want[k], "bfloat16 operation %d of %g and %g: %x instead of %x", k, a, b, got[i * 5 + k].data,
                   want[k]);
    }
}

__global__ void dots(const uint32_t *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t a = in[i], b = in[n - 1 - i];
    int c = int(in[i * 3 % n]) >> 4;
    int *o = out + i * 8;
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx1030__)
    s2 sa, sb;
    u2 ua, ub;
    memcpy(&sa, &a, 4), memcpy(&sb, &b, 4), memcpy(&ua, &a, 4), memcpy(&ub, &b, 4);
    o[0] = __builtin_amdgcn_sdot2(sa, sb, c, false);
    o[1] = int(__builtin_amdgcn_udot2(ua, ub, unsigned(c), false));
    o[2] = __builtin_amdgcn_sdot4(int(a), int(b), c, false);
    o[3] = int(__builtin_amdgcn_udot4(a, b, unsigned(c), false));
    o[4] = __builtin_amdgcn_sdot8(int(a), int(b), c, false);
    o[5] = int(__builtin_amdgcn_udot8(a, b, unsigned(c), false));
    o[6] = __builtin_amdgcn_sdot4(int(a), int(b), 0x7ffff000, true);
    o[7] = int(__builtin_amdgcn_udot4(a, b, 0xfffff000u, true));
#else
    for (int k = 0; k < 8; k++)
        o[k] = 0x80000000;
#endif
}
static void check_dots() {
    const int n = 600;
    std::vector<uint32_t> in(n);
    for (int i = 0; i < n; i++)
        in[i] = mix(i + 12345);
    Array<uint32_t> device_in(in);
    Array<int> out(n * 8);
    dots<<<5, 128>>>(device_in, out, n);
    FINISH();
    auto got = out.get();
    if (got[0] == int(0x80000000) && got[1] == int(0x80000000))
        return; // gfx900 has no dot products.
    for (int i = 0; i < n; i++) {
        uint32_t a = in[i], b = in[n - 1 - i];
        int c = int(in[i * 3 % n]) >> 4;
        auto dot = [&](int width, bool is_signed) {
            int64_t sum = 0;
            for (int k = 0; k < 32; k += width) {
                int64_t x = a >> k & ((1u << width) - 1), y = b >> k & ((1u << width) - 1);
                if (is_signed) {
                    x = x << (64 - width) >> (64 - width);
                    y = y << (64 - width) >> (64 - width);
                }
                sum += x * y;
            }
            return sum;
        };
        const int want[] = {int(dot(16, true) + c),
                            int(dot(16, false) + c),
                            int(dot(8, true) + c),
                            int(dot(8, false) + c),
                            int(dot(4, true) + c),
                            int(dot(4, false) + c),
                            int(std::min<int64_t>(0x7fffffff, dot(8, true) + 0x7ffff000)),
                            int(std::min<int64_t>(0xffffffff, dot(8, false) + 0xfffff000ll))};
        for (int k = 0; k < 8; k++)
            EXPECT(got[i * 8 + k] == want[k], "dot product %d of %x, %x and %d: %x instead of %x", k, a, b, c, got[i * 8 + k], want[k]);
    }
}

int main() {
    check_bytes();
    check_shorts();
    check_halves();
    check_brains();
    check_dots();
    return verdict();
}
