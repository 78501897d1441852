// Sweeps of the single-precision math library against the host's double precision, with HIP's published bounds.
#include "check.h"

typedef float (*Unary)(float);
// clang-format off
#define FUNCTIONS(X)                                                                                                  \
    X(sinf, 4, -1e5, 1e5) X(cosf, 4, -1e5, 1e5) X(tanf, 5, -100, 100) X(expf, 2, -90, 88) X(exp2f, 2, -130, 127)      \
    X(exp10f, 2, -38, 38) X(expm1f, 2, -20, 80) X(logf, 2, 1e-38, 1e38) X(log2f, 2, 1e-38, 1e38)                      \
    X(log10f, 3, 1e-38, 1e38) X(log1pf, 2, -0.999, 1e10) X(sqrtf, 1, 0, 1e38) X(rsqrtf, 2, 1e-30, 1e38)               \
    X(cbrtf, 2, -1e30, 1e30) X(asinf, 4, -1, 1) X(acosf, 4, -1, 1) X(atanf, 3, -1e6, 1e6) X(sinhf, 3, -80, 80)        \
    X(coshf, 3, -80, 80) X(tanhf, 3, -20, 20) X(asinhf, 3, -1e10, 1e10) X(acoshf, 3, 1, 1e10) X(atanhf, 3, -1, 1)     \
    X(erff, 4, -5, 5) X(erfcf, 6, -4, 9) X(tgammaf, 11, 0.5, 30) X(floorf, 0, -1e9, 1e9) X(ceilf, 0, -1e9, 1e9)       \
    X(truncf, 0, -1e9, 1e9) X(rintf, 0, -1e9, 1e9) X(roundf, 0, -1e9, 1e9) X(fabsf, 0, -1e38, 1e38)
// clang-format on

#define KERNEL(name, bound, low, high)                             \
    __global__ void k_##name(const float *in, float *out, int n) { \
        int i = blockIdx.x * blockDim.x + threadIdx.x;             \
        if (i < n)                                                 \
            out[i] = name(in[i]);                                  \
    }
FUNCTIONS(KERNEL)

static double rsqrtf_(double x) { return 1 / std::sqrt(x); }
#define HOST(name, f) \
    static double h_##name(double x) { return f(x); }
// clang-format off
HOST(sinf, std::sin) HOST(cosf, std::cos) HOST(tanf, std::tan) HOST(expf, std::exp) HOST(exp2f, std::exp2)
HOST(exp10f, exp10) HOST(expm1f, std::expm1) HOST(logf, std::log) HOST(log2f, std::log2) HOST(log10f, std::log10)
HOST(log1pf, std::log1p) HOST(sqrtf, std::sqrt) HOST(rsqrtf, rsqrtf_) HOST(cbrtf, std::cbrt) HOST(asinf, std::asin)
HOST(acosf, std::acos) HOST(atanf, std::atan) HOST(sinhf, std::sinh) HOST(coshf, std::cosh) HOST(tanhf, std::tanh)
HOST(asinhf, std::asinh) HOST(acoshf, std::acosh) HOST(atanhf, std::atanh) HOST(erff, std::erf) HOST(erfcf, std::erfc)
HOST(tgammaf, std::tgamma) HOST(floorf, std::floor) HOST(ceilf, std::ceil) HOST(truncf, std::trunc)
HOST(rintf, std::rint) HOST(roundf, std::round) HOST(fabsf, std::fabs)
// clang-format on

    __global__ void binary(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i], y = b[i];
    out[i] = x / y;
    out[n + i] = powf(fabsf(x), y * 0.01f);
    out[2 * n + i] = atan2f(x, y);
    out[3 * n + i] = fmodf(x, y);
    out[4 * n + i] = hypotf(x, y);
    out[5 * n + i] = fmaf(x, y, -x);
    out[6 * n + i] = fminf(x, y) + fmaxf(x, y);
    out[7 * n + i] = copysignf(x, y);
    int e;
    float m = frexpf(x, &e);
    out[8 * n + i] = ldexpf(m, e - 3);
    float whole, part = modff(x, &whole);
    out[9 * n + i] = whole + 2 * part;
    out[10 * n + i] = remainderf(x, y);
    out[11 * n + i] = nextafterf(x, y);
    float s, c;
    sincosf(x, &s, &c);
    out[12 * n + i] = s * 2 + c;
    out[13 * n + i] = __fdividef(x, y);
    out[14 * n + i] = float(ilogbf(x)) + logbf(y);
    out[15 * n + i] = fdimf(x, y);
}

int main() {
    const int n = 1024;
    std::vector<float> in(n);
    Array<float> device_in(n), out(n);
    Random random;
#define RUN(name, bound, low, high)                                                                                 \
    {                                                                                                               \
        for (int i = 0; i < n; i++)                                                                                 \
            in[i] = float(random.between(low, high)) * (i % 4 == 3 && low <= 0 ? 1e-3f : 1);                        \
        in[0] = float(low);                                                                                         \
        in[1] = float(high);                                                                                        \
        if (low < 0) {                                                                                              \
            in[2] = 0;                                                                                              \
            in[3] = -0.0f;                                                                                          \
            in[4] = 1e-40f;                                                                                         \
        }                                                                                                           \
        in[5] = NAN;                                                                                                \
        device_in.set(in);                                                                                          \
        k_##name<<<n / 128, 128>>>(device_in, out, n);                                                              \
        FINISH();                                                                                                   \
        auto got = out.get();                                                                                       \
        for (int i = 0; i < n; i++) {                                                                               \
            double error = steps(got[i], h_##name(in[i]));                                                          \
            EXPECT(error <= bound + 0.501, #name "(%.9g) is %.9g instead of %.9g", in[i], got[i], h_##name(in[i])); \
        }                                                                                                           \
    }
    FUNCTIONS(RUN)

    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = float(random.between(-1000, 1000));
        b[i] = float(random.between(-100, 100)) * (i % 3 ? 1 : 1e-3f);
    }
    Array<float> device_a(a), device_b(b), results(16 * n);
    binary<<<n / 128, 128>>>(device_a, device_b, results, n);
    FINISH();
    auto got = results.get();
    for (int i = 0; i < n; i++) {
        float x = a[i], y = b[i];
        double s = std::sin(double(x)), c = std::cos(double(x));
        double whole, part = std::modf(double(x), &whole);
        double exact[16] = {
            double(x) / y,
            std::pow(std::fabs(double(x)), double(y * 0.01f)),
            std::atan2(double(x), double(y)),
            std::fmod(x, y),
            std::sqrt(double(x) * x + double(y) * y),
            double(x) * y - x,
            double(float(x) + y),
            std::copysign(x, y),
            x / 8.0,
            whole + 2 * part,
            std::remainder(double(x), double(y)),
            std::nextafterf(x, y),
            2 * s + c,
            double(x) / y,
            double(std::ilogb(x)) + std::logb(y),
            x > y ? double(x) - y : 0,
        };
        double bounds[16] = {0, 3, 3, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0};
        for (int k = 0; k < 16; k++) {
            double error = steps(got[k * n + i], exact[k]);
            if (k == 12) // cancellation: compare absolutely
                error = std::fabs(got[k * n + i] - exact[k]) < 1e-6 ? 0 : error;
            EXPECT(error <= bounds[k] + 0.501, "case %d of %.9g and %.9g: %.9g instead of %.9g", k, x, y, got[k * n + i], exact[k]);
        }
    }
    return verdict();
}
