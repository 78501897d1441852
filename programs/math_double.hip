// Sweeps of the double-precision math library against the host's long double.
#include "check.h"

// clang-format off
#define FUNCTIONS(X)                                                                                                  \
    X(sin, 2, -1e5, 1e5) X(cos, 2, -1e5, 1e5) X(tan, 3, -100, 100) X(exp, 1, -700, 700) X(exp2, 1, -1000, 1000)       \
    X(expm1, 2, -30, 700) X(log, 1, 1e-300, 1e300) X(log2, 1, 1e-300, 1e300) X(log10, 1, 1e-300, 1e300)               \
    X(log1p, 1, -0.999, 1e100) X(sqrt, 0, 0, 1e300) X(cbrt, 1, -1e200, 1e200) X(asin, 2, -1, 1) X(acos, 2, -1, 1)     \
    X(atan, 2, -1e6, 1e6) X(sinh, 2, -700, 700) X(cosh, 2, -700, 700) X(tanh, 2, -20, 20) X(asinh, 2, -1e100, 1e100)  \
    X(erf, 4, -5, 5) X(tgamma, 8, 0.5, 100) X(floor, 0, -1e15, 1e15) X(ceil, 0, -1e15, 1e15) X(rint, 0, -1e15, 1e15)  \
    X(trunc, 0, -1e15, 1e15)
// clang-format on

#define KERNEL(name, bound, low, high)                               \
    __global__ void k_##name(const double *in, double *out, int n) { \
        int i = blockIdx.x * blockDim.x + threadIdx.x;               \
        if (i < n)                                                   \
            out[i] = name(in[i]);                                    \
    }
FUNCTIONS(KERNEL)

__global__ void binary(const double *a, const double *b, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = a[i], y = b[i];
    out[i] = x / y;
    out[n + i] = pow(fabs(x), y * 0.01);
    out[2 * n + i] = atan2(x, y);
    out[3 * n + i] = fmod(x, y);
    out[4 * n + i] = fma(x, y, -x);
    out[5 * n + i] = ldexp(x, int(y));
    out[6 * n + i] = rsqrt(fabs(x));
    out[7 * n + i] = double(float(x)) + double((long long)(x * 1000)) + double((unsigned long long)fabs(y * 1e10)) + int(y);
}

int main() {
    const int n = 512;
    std::vector<double> in(n);
    Array<double> device_in(n), out(n);
    Random random;
#define RUN(name, bound, low, high)                                                                                          \
    {                                                                                                                        \
        for (int i = 0; i < n; i++)                                                                                          \
            in[i] = random.between(low, high) * (i % 4 == 3 && low <= 0 ? 1e-3 : 1);                                         \
        in[0] = low;                                                                                                         \
        in[1] = high;                                                                                                        \
        in[5] = NAN;                                                                                                         \
        device_in.set(in);                                                                                                   \
        k_##name<<<n / 64, 64>>>(device_in, out, n);                                                                         \
        FINISH();                                                                                                            \
        auto got = out.get();                                                                                                \
        for (int i = 0; i < n; i++) {                                                                                        \
            long double exact = name##l((long double)in[i]);                                                                 \
            EXPECT(steps(got[i], exact) <= bound + 0.501, #name "(%.17g) is %.17g instead of %.17Lg", in[i], got[i], exact); \
        }                                                                                                                    \
    }
    FUNCTIONS(RUN)

    std::vector<double> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = random.between(-1000, 1000);
        b[i] = random.between(-100, 100) * (i % 3 ? 1 : 1e-3);
    }
    Array<double> device_a(a), device_b(b), results(8 * n);
    binary<<<n / 64, 64>>>(device_a, device_b, results, n);
    FINISH();
    auto got = results.get();
    for (int i = 0; i < n; i++) {
        double x = a[i], y = b[i];
        long double X = x, Y = y;
        long double exact[8] = {
            X / Y,
            std::pow(std::fabs(X), (long double)(y * 0.01)),
            std::atan2(X, Y),
            std::fmod(x, y),
            std::fma(x, y, -x),
            std::ldexp(x, int(y)),
            1 / std::sqrt(std::fabs(X)),
            double(float(x)) + double((long long)(x * 1000)) + double((unsigned long long)std::fabs(y * 1e10)) + int(y),
        };
        double bounds[8] = {0, 2, 2, 0, 0, 0, 1, 0};
        for (int k = 0; k < 8; k++)
            EXPECT(steps(got[k * n + i], exact[k]) <= bounds[k] + 0.501, "case %d of %.17g and %.17g: %.17g instead of %.17Lg", k, x, y,
                   got[k * n + i], exact[k]);
    }
    return verdict();
}
