// devices: gfx900 gfx906 gfx908 gfx90a gfx1030
// also: *
// flags: -std=c++17
// Compiler builtins of AMD devices against what the manual says of their instructions.
#include "check.h"

__host__ __device__ inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}
__host__ __device__ inline uint32_t a_of(unsigned i) { return uint32_t(mix(3 * i)); }
__host__ __device__ inline uint32_t b_of(unsigned i) { return uint32_t(mix(3 * i + 1)); }
__host__ __device__ inline uint32_t c_of(unsigned i) { return uint32_t(mix(3 * i + 2)); }
__host__ __device__ inline float as_f(uint32_t v) {
    float f;
    memcpy(&f, &v, 4);
    return f;
}
__host__ __device__ inline uint32_t as_u(float v) {
    uint32_t u;
    memcpy(&u, &v, 4);
    return u;
}

typedef short short2v __attribute__((ext_vector_type(2)));
typedef unsigned short ushort2v __attribute__((ext_vector_type(2)));
typedef _Float16 half2v __attribute__((ext_vector_type(2)));
typedef __fp16 fp2v __attribute__((ext_vector_type(2)));

const int columns = 24;
__global__ void integers(uint32_t *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t a = a_of(i), b = b_of(i), c = c_of(i);
    uint32_t *o = out + i * columns;
    o[0] = __builtin_amdgcn_ubfe(a, b & 31, c & 31);
    o[1] = __builtin_amdgcn_sbfe(a, b & 31, c & 31);
    o[2] = __builtin_amdgcn_perm(a, b, c & 0x0f0f0f0f);
    o[3] = __builtin_amdgcn_alignbit(a, b, c);
    o[4] = __builtin_amdgcn_alignbyte(a, b, c);
    o[5] = __builtin_amdgcn_sad_u8(a, b, c);
    o[6] = __builtin_amdgcn_msad_u8(a, b, c);
    o[7] = __builtin_amdgcn_sad_u16(a, b, c);
    o[8] = __builtin_amdgcn_lerp(a, b, c);
    o[9] = __mul24(int(a), int(b));
    o[10] = __umul24(a, b);
    o[11] = __umulhi(a, b);
    o[12] = __mulhi(int(a), int(b));
    o[13] = __ffs(a & (b << 5));
    o[14] = __clz(a >> (b & 31));
    o[15] = __brev(a);
    o[16] = __byte_perm(a, b, c & 0x7777);
    o[17] = __popc(a) + __popcll(uint64_t(a) << 32 | b) * 100;
    short2v p = __builtin_amdgcn_cvt_pk_i16(int(a) >> (c & 31), int(b) >> (c & 31));
    memcpy(&o[18], &p, 4);
    ushort2v q = __builtin_amdgcn_cvt_pk_u16(a >> (c & 31), b >> (c & 31));
    memcpy(&o[19], &q, 4);
    o[20] = __sad(int(a) >> 1, int(b) >> 1, c); // HIP subtracts as int, which must not overflow.
    o[21] = __usad(a, b, c);
    o[22] = __builtin_amdgcn_sad_hi_u8(a, b, c);
    o[23] = uint32_t(__bitinsert_u32(a, b, c & 31, (c >> 5) & 15));
}
static uint32_t byte_sum(uint32_t a, uint32_t b, bool masked) {
    uint32_t sum = 0;
    for (int k = 0; k < 32; k += 8) {
        int x = a >> k & 255, y = b >> k & 255;
        if (!masked || y)
            sum += abs(x - y);
    }
    return sum;
}
static uint32_t pick(uint32_t a, uint32_t b, uint32_t select) {
    uint64_t both = uint64_t(a) << 32 | b;
    uint32_t out = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t s = select >> 8 * k & 255, value;
        if (s >= 13)
            value = 255;
        else if (s == 12)
            value = 0;
        else if (s >= 8)
            value = both >> ((s - 8) * 16 + 15) & 1 ? 255 : 0;
        else
            value = both >> 8 * s & 255;
        out |= value << 8 * k;
    }
    return out;
}
static void check_integers() {
    const unsigned n = 2000;
    Array<uint32_t> out(n * columns);
    integers<<<(n + 63) / 64, 64>>>(out, n);
    FINISH();
    auto got = out.get();
    for (unsigned i = 0; i < n; i++) {
        uint32_t a = a_of(i), b = b_of(i), c = c_of(i);
        uint64_t ab = uint64_t(a) << 32 | b;
        auto signed24 = [](uint32_t v) { return int64_t(int32_t(v << 8) >> 8); };
        unsigned width = c & 31, at = b & 31;
        uint32_t want[columns];
        want[0] = width ? a >> at & ((1u << width) - 1) : 0;
        want[1] = width ? uint32_t(at + width < 32 ? int32_t(a << (32 - at - width)) >> (32 - width) : int32_t(a) >> at) : 0;
        want[2] = pick(a, b, c & 0x0f0f0f0f);
        want[3] = uint32_t(ab >> (c & 31));
        want[4] = uint32_t(ab >> 8 * (c & 3));
        want[5] = byte_sum(a, b, false) + c;
        want[6] = byte_sum(a, b, true) + c;
        want[7] = abs(int(a & 0xffff) - int(b & 0xffff)) + abs(int(a >> 16) - int(b >> 16)) + c;
        want[8] = 0;
        for (int k = 0; k < 32; k += 8)
            want[8] |= (((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1) << k;
        want[9] = uint32_t(signed24(a) * signed24(b));
        want[10] = uint32_t(uint64_t(a & 0xffffff) * (b & 0xffffff));
        want[11] = uint32_t(uint64_t(a) * b >> 32);
        want[12] = uint32_t(int64_t(int32_t(a)) * int32_t(b) >> 32);
        want[13] = __builtin_ffs(a & (b << 5));
        uint32_t shifted = a >> (b & 31);
        want[14] = shifted ? __builtin_clz(shifted) : 32;
        want[15] = __builtin_bitreverse32(a);
        uint64_t ba = uint64_t(b) << 32 | a;
        want[16] = 0;
        for (int k = 0; k < 4; k++)
            want[16] |= uint32_t(ba >> 8 * (c >> 4 * k & 7) & 255) << 8 * k;
        want[17] = __builtin_popcount(a) + __builtin_popcountll(ab) * 100;
        auto clamp16 = [](int v) { return uint32_t(uint16_t(v < -32768 ? -32768 : v > 32767 ? 32767 : v)); };
        want[18] = clamp16(int(a) >> (c & 31)) | clamp16(int(b) >> (c & 31)) << 16;
        auto clampu16 = [](uint32_t v) { return v > 65535 ? 65535u : v; };
        want[19] = clampu16(a >> (c & 31)) | clampu16(b >> (c & 31)) << 16;
        want[20] = uint32_t(abs((int32_t(a) >> 1) - (int32_t(b) >> 1))) + c;
        want[21] = (a > b ? a - b : b - a) + c;
        want[22] = (byte_sum(a, b, false) << 16) + c;
        unsigned offset = c & 31, bits = (c >> 5) & 15;
        uint32_t mask = (1u << bits) - 1;
        want[23] = (a & ~(mask << offset)) | ((b & mask) << offset);
        for (int k = 0; k < columns; k++)
            EXPECT(got[i * columns + k] == want[k], "integer builtin %d of %x %x %x: %x instead of %x", k, a, b, c, got[i * columns + k],
                   want[k]);
    }
}

__global__ void reals(uint32_t *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t *o = out + i * columns;
    float x = as_f(a_of(i)), y = as_f(b_of(i)), z = as_f(c_of(i));
    float u = float(int(a_of(i))) * 0x1p-20f, v = float(int(b_of(i))) * 0x1p-20f, w = float(int(c_of(i))) * 0x1p-20f;
    o[0] = as_u(__builtin_amdgcn_fractf(u));
    o[1] = as_u(__builtin_amdgcn_frexp_mantf(x));
    o[2] = __builtin_amdgcn_frexp_expf(x);
    o[3] = as_u(__builtin_amdgcn_ldexpf(u, int(b_of(i) % 80) - 40));
    o[4] = __builtin_amdgcn_classf(x, 0x003) | __builtin_amdgcn_classf(x, 0x204) << 1 | __builtin_amdgcn_classf(x, 0x090) << 2 |
           __builtin_amdgcn_classf(x, 0x108) << 3 | __builtin_amdgcn_classf(x, 0x060) << 4;
    o[5] = as_u(__builtin_amdgcn_fmed3f(u, v, w));
    o[6] = __builtin_amdgcn_cvt_pk_u8_f32(u * 0.25f, b_of(i) & 3, c_of(i));
    auto packed = __builtin_amdgcn_cvt_pkrtz(u, v);
    memcpy(&o[7], &packed, 4);
    auto norm = __builtin_amdgcn_cvt_pknorm_i16(u * 0.001f, v * 0.001f);
    memcpy(&o[8], &norm, 4);
    auto unorm = __builtin_amdgcn_cvt_pknorm_u16(u * 0.001f, v * 0.001f);
    memcpy(&o[9], &unorm, 4);
    o[10] = as_u(__builtin_amdgcn_cubeid(u, v, w));
    o[11] = as_u(__builtin_amdgcn_cubema(u, v, w));
    o[12] = as_u(__builtin_amdgcn_cubesc(u, v, w));
    o[13] = as_u(__builtin_amdgcn_cubetc(u, v, w));
    float legacy;
    asm("v_mul_legacy_f32 %0, %1, %2" : "=v"(legacy) : "v"(i % 4 ? x : 0.0f), "v"(y));
    o[14] = as_u(legacy);
    o[15] = as_u(__builtin_amdgcn_rcpf(u));
    o[16] = as_u(__builtin_amdgcn_rsqf(fabsf(u)));
    o[17] = as_u(__builtin_amdgcn_sqrtf(fabsf(u)));
    o[18] = as_u(__builtin_amdgcn_sinf(u * 0.01f));
    o[19] = as_u(__builtin_amdgcn_cosf(u * 0.01f));
    o[20] = as_u(__builtin_exp2f(u * 0.05f));
    o[21] = as_u(__log2f(fabsf(u) + 0.001f));
    o[22] = 0;
    o[23] = 0;
}
static int half_toward_zero(float v) {
    // Finite values of half's range only.
    bool negative = std::signbit(v);
    double m = std::fabs(double(v));
    if (m >= 65504)
        return negative << 15 | 0x7bff;
    int e = m == 0 ? -14 : std::max(-14, std::ilogb(m));
    int digits = int(std::floor(std::ldexp(m, 10 - e)));
    int code = digits < 1024 ? digits : (e + 15) << 10 | (digits - 1024);
    return negative << 15 | code;
}
static void check_reals() {
    const unsigned n = 3000;
    Array<uint32_t> out(n * columns);
    reals<<<(n + 63) / 64, 64>>>(out, n);
    FINISH();
    auto got = out.get();
    for (unsigned i = 0; i < n; i++) {
        const uint32_t *g = &got[i * columns];
        float x = as_f(a_of(i)), y = as_f(b_of(i));
        float u = float(int(a_of(i))) * 0x1p-20f, v = float(int(b_of(i))) * 0x1p-20f, w = float(int(c_of(i))) * 0x1p-20f;
        auto expect = [&](int k, uint32_t want) {
            EXPECT(g[k] == want, "builtin %d of number %u (%g %g %g): %x instead of %x", k, i, u, v, w, g[k], want);
        };
        auto near = [&](int k, double want, double limit) {
            EXPECT(steps(as_f(g[k]), want) <= limit, "builtin %d of number %u (%g %g %g): %g instead of %g", k, i, u, v, w, as_f(g[k]),
                   want);
        };
        expect(0, as_u(std::min(u - std::floor(u), as_f(0x3f7fffff))));
        int e = 0;
        if (std::isfinite(x)) {
            float m = std::frexp(x, &e);
            expect(1, as_u(m));
            expect(2, x == 0 ? 0 : e);
        }
        expect(3, as_u(std::ldexp(u, int(b_of(i) % 80) - 40)));
        int kind = std::fpclassify(x);
        bool minus = std::signbit(x), quiet = a_of(i) >> 22 & 1;
        (void)quiet;
        expect(4, uint32_t(kind == FP_NAN) | uint32_t(kind == FP_INFINITE) << 1 | uint32_t(kind == FP_SUBNORMAL) << 2 |
                      uint32_t(kind == FP_NORMAL) << 3 | uint32_t(kind == FP_ZERO) << 4);
        expect(5, as_u(std::max(std::min(u, v), std::min(std::max(u, v), w))));
        float scaled = u * 0.25f;
        uint32_t byte = scaled <= 0 ? 0 : scaled >= 255 ? 255 : uint32_t(std::nearbyint(scaled));
        unsigned shift = 8 * (b_of(i) & 3);
        expect(6, (c_of(i) & ~(255u << shift)) | byte << shift);
        expect(7, uint32_t(half_toward_zero(u)) | uint32_t(half_toward_zero(v)) << 16);
        auto snorm = [](float f) {
            double c = std::max(-1.0, std::min(1.0, double(f)));
            return std::nearbyint(c * 32767);
        };
        auto unorm = [](float f) {
            double c = std::max(0.0, std::min(1.0, double(f)));
            return std::nearbyint(c * 65535);
        };
        for (int h = 0; h < 2; h++) {
            float f = (h ? v : u) * 0.001f;
            // The manual leaves the last step of the product open.
            EXPECT(std::fabs(int16_t(g[8] >> 16 * h) - snorm(f)) <= 1, "pknorm_i16 of %g: %d", f, int16_t(g[8] >> 16 * h));
            EXPECT(std::fabs(uint16_t(g[9] >> 16 * h) - unorm(f)) <= 1, "pknorm_u16 of %g: %u", f, uint16_t(g[9] >> 16 * h));
        }
        float au = std::fabs(u), av = std::fabs(v), aw = std::fabs(w);
        int face;
        float major, s, t;
        if (aw >= au && aw >= av)
            face = w < 0 ? 5 : 4, major = 2 * w, s = w < 0 ? -u : u, t = -v;
        else if (av >= au)
            face = v < 0 ? 3 : 2, major = 2 * v, s = u, t = v < 0 ? -w : w;
        else
            face = u < 0 ? 1 : 0, major = 2 * u, s = u < 0 ? w : -w, t = -v;
        expect(10, as_u(float(face)));
        expect(11, as_u(major));
        expect(12, as_u(s));
        expect(13, as_u(t));
        float first = i % 4 ? x : 0.0f;
        if (first == 0 || y == 0)
            expect(14, 0);
        near(15, 1.0 / double(u), 1);
        near(16, 1.0 / std::sqrt(double(au)), 1);
        near(17, std::sqrt(double(au)), 1);
        EXPECT(std::fabs(as_f(g[18]) - std::sin(double(u * 0.01f) * 2 * M_PI)) < 1e-4, "sin of %g turns: %g", u * 0.01f, as_f(g[18]));
        EXPECT(std::fabs(as_f(g[19]) - std::cos(double(u * 0.01f) * 2 * M_PI)) < 1e-4, "cos of %g turns: %g", u * 0.01f, as_f(g[19]));
        near(20, std::exp2(double(u * 0.05f)), 2);
        EXPECT(std::fabs(as_f(g[21]) - std::log2(double(au + 0.001f))) < 4e-6 + 2e-7 * std::fabs(std::log2(double(au + 0.001f))),
               "log2 of %g: %g", au, as_f(g[21]));
        (void)minus;
    }
}

// Rounding and denormals by the MODE register.
__global__ void modes(float *out, float a, float b, double c, double d, float tiny) {
    float r[4];
    double s[4];
#define IN_MODE(k, mode)                                                    \
    asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), " #mode "\n" \
                 "s_nop 3\n"                                                \
                 "v_add_f32 %0, %2, %3\n"                                   \
                 "v_mul_f64 %1, %4, %5\n"                                   \
                 "s_nop 3\n"                                                \
                 "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n"         \
                 : "=&v"(r[k]), "=&v"(s[k])                                 \
                 : "v"(a), "v"(b), "v"(c), "v"(d));
    IN_MODE(0, 0x0)
    IN_MODE(1, 0x5)
    IN_MODE(2, 0xa)
    IN_MODE(3, 0xf)
    for (int k = 0; k < 4; k++) {
        out[k] = r[k];
        double low = s[k] - s[3];
        out[4 + k] = float(low * 0x1p52);
    }
    float kept, flushed;
    asm volatile("v_mul_f32 %0, 1.0, %2\n"
                 "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n"
                 "s_nop 3\n"
                 "v_mul_f32 %1, 1.0, %2\n"
                 "s_nop 3\n"
                 "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n"
                 : "=&v"(kept), "=&v"(flushed)
                 : "v"(tiny));
    out[8] = kept * 0x1p100f;
    out[9] = flushed * 0x1p100f;
    unsigned mode;
    asm volatile("s_getreg_b32 %0, hwreg(HW_REG_MODE, 0, 8)" : "=s"(mode));
    out[10] = float(mode);
}
static void check_modes() {
    Array<float> out(11);
    float a = 1, b = 0x1.8p-24f;
    double c = 1 + 0x1p-30, d = 1 + 0x1.8p-23;
    modes<<<1, 1>>>(out, a, b, c, d, 0x1p-130f);
    FINISH();
    auto got = out.get();
    // 1 + 0.75 steps: nearest and up go up, down and zero stay.
    float up = 1 + 0x1p-23f;
    const float sums[] = {up, up, 1, 1};
    for (int k = 0; k < 4; k++)
        EXPECT(got[k] == sums[k], "rounding mode %d: %a", k, got[k]);
    // The product ends 0x1.8p-53 above a double: half a step is exceeded.
    const float low[] = {1, 1, 0, 0};
    for (int k = 0; k < 4; k++)
        EXPECT(got[4 + k] == low[k], "double rounding mode %d: %g", k, got[4 + k]);
    EXPECT(got[8] == 0x1p-30f && got[9] == 0, "denormals: kept %a, flushed %a", got[8], got[9]);
    EXPECT(int(got[10]) == 0xf0, "MODE %x", int(got[10]));
}

// What a kernel may know about itself.
__global__ void places(unsigned *out) {
    unsigned id = __builtin_amdgcn_workgroup_id_x() + 3 * (__builtin_amdgcn_workgroup_id_y() + 2 * __builtin_amdgcn_workgroup_id_z());
    unsigned size = __builtin_amdgcn_workgroup_size_x() * __builtin_amdgcn_workgroup_size_y() * __builtin_amdgcn_workgroup_size_z();
    unsigned t = __builtin_amdgcn_workitem_id_x() + 5 * (__builtin_amdgcn_workitem_id_y() + 7 * __builtin_amdgcn_workitem_id_z());
    __shared__ int word;
    int mine = int(t);
    unsigned flags = __builtin_amdgcn_is_shared((__attribute__((address_space(0))) void *)&word) |
                     __builtin_amdgcn_is_private((__attribute__((address_space(0))) void *)&mine) << 1 |
                     __builtin_amdgcn_is_shared((__attribute__((address_space(0))) void *)out) << 2 |
                     __builtin_amdgcn_is_private((__attribute__((address_space(0))) void *)&word) << 3;
    auto packet = (const unsigned short *)__builtin_amdgcn_dispatch_ptr();
    unsigned grid = __builtin_amdgcn_grid_size_x() * 10000 + __builtin_amdgcn_grid_size_y() * 100 + __builtin_amdgcn_grid_size_z();
    unsigned at = (id * size + t) * 4;
    out[at] = grid;
    out[at + 1] = flags;
    out[at + 2] = packet[2] * 10000u + packet[3] * 100u + packet[4];
    out[at + 3] = __lane_id() + 1000 * warpSize;
}
static void check_places() {
    const int size = 5 * 7 * 3, groups = 3 * 2 * 2;
    Array<unsigned> out(size * groups * 4);
    places<<<dim3(3, 2, 2), dim3(5, 7, 3)>>>(out);
    FINISH();
    auto got = out.get();
    int wave = 0;
    HIP(hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, 0));
    for (int i = 0; i < size * groups; i++) {
        EXPECT(got[i * 4] == 15 * 10000 + 14 * 100 + 6, "grid %u", got[i * 4]);
        EXPECT(got[i * 4 + 1] == 3, "apertures %u", got[i * 4 + 1]);
        EXPECT(got[i * 4 + 2] == 5 * 10000 + 7 * 100 + 3, "packet's workgroup size %u", got[i * 4 + 2]);
        EXPECT(got[i * 4 + 3] == unsigned(i % size % wave + 1000 * wave), "lane and wave size %u at %d", got[i * 4 + 3], i);
    }
}

// Exchanges over LDS hardware and lanes.
__global__ void exchanges(int *out) {
    int lane = __lane_id(), n = 64, v = lane * 3 + 1;
    out[0 * n + threadIdx.x] = __builtin_amdgcn_ds_swizzle(v, 0x041f);
    out[1 * n + threadIdx.x] = __builtin_amdgcn_ds_swizzle(v, 0x8000 | 0x1b);
    out[2 * n + threadIdx.x] = __builtin_amdgcn_ds_swizzle(v, 0x001f | 7 << 10);
    out[3 * n + threadIdx.x] = __builtin_amdgcn_ds_bpermute((lane ^ 21) * 4, v);
    out[4 * n + threadIdx.x] = __builtin_amdgcn_ds_permute((lane ^ 13) * 4, v);
    out[5 * n + threadIdx.x] = __builtin_amdgcn_readlane(v, 17);
    out[6 * n + threadIdx.x] = lane >= 9 ? __builtin_amdgcn_readfirstlane(v) : -1;
    out[7 * n + threadIdx.x] = __builtin_amdgcn_mov_dpp(v, 0x1b, 0xf, 0xf, true);
    out[8 * n + threadIdx.x] = __builtin_amdgcn_update_dpp(-5, v, 0x111, 0xf, 0xf, false);
    out[9 * n + threadIdx.x] = __builtin_amdgcn_update_dpp(-5, v, 0x101, 0xa, 0xf, true);
    out[10 * n + threadIdx.x] = __builtin_amdgcn_mov_dpp(v, 0x140, 0xf, 0xf, true);
    out[11 * n + threadIdx.x] = __builtin_amdgcn_mov_dpp(v, 0x141, 0xf, 0xf, true);
    out[12 * n + threadIdx.x] = __builtin_amdgcn_mov_dpp(v, 0x124, 0xf, 0xf, true);
    out[13 * n + threadIdx.x] = __builtin_amdgcn_mbcnt_hi(0x0f0f0f0f, __builtin_amdgcn_mbcnt_lo(0x33333333, 0));
}
static void check_exchanges() {
    Array<int> out(14 * 64);
    exchanges<<<1, 64>>>(out);
    FINISH();
    auto got = out.get();
    int wave = 0;
    HIP(hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, 0));
    for (int t = 0; t < 64; t++) {
        int lane = t % wave, row = lane & ~15, in = lane & 15;
        auto v = [](int l) { return l * 3 + 1; };
        int below = 0;
        for (int l = 0; l < lane; l++)
            below += l < 32 ? 0x33333333u >> l & 1 : 0x0f0f0f0fu >> (l - 32) & 1;
        const int want[] = {v(lane ^ 1),
                            v((lane & ~3) | (3 - (lane & 3))),
                            v(lane ^ 7),
                            v(lane ^ 21),
                            v(lane ^ 13),
                            v(17),
                            lane >= 9 ? v(9) : -1,
                            v((lane & ~3) | (3 - (lane & 3))),
                            in ? v(lane - 1) : -5,
                            row >> 4 & 1 ? (in < 15 ? v(lane + 1) : 0) : -5,
                            v(row | (15 - in)),
                            v((lane & ~7) | (7 - (lane & 7))),
                            v(row | ((in - 4) & 15)),
                            below};
        for (int k = 0; k < 14; k++)
            EXPECT(got[k * 64 + t] == want[k], "exchange %d of lane %d: %d instead of %d", k, t, got[k * 64 + t], want[k]);
    }
}

int main() {
    check_integers();
    check_reals();
    check_modes();
    check_places();
    check_exchanges();
    return verdict();
}
