// Infinities, NaNs, signed zeros and denormals through arithmetic, comparison, conversion, minimum and maximum.
#include "check.h"

template <typename T> __global__ void all_pairs(const T *v, int n, T *out, int *flags) {
    int i = blockIdx.x, j = threadIdx.x;
    T a = v[i], b = v[j];
    T *o = out + (i * n + j) * 8;
    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b;
    o[3] = a / b;
    o[4] = fmin(a, b);
    o[5] = fmax(a, b);
    o[6] = sqrt(a);
    o[7] = fma(a, b, a);
    flags[i * n + j] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | bool(isnan(a)) << 6 |
                       bool(isinf(a)) << 7 | bool(isfinite(a)) << 8 | bool(signbit(a)) << 9 | !(a < b) << 10;
}

template <typename T> void check(const char *name, std::vector<T> v) {
    int n = int(v.size());
    Array<T> device(v), out(n * n * 8);
    Array<int> flags(n * n);
    all_pairs<T><<<n, n>>>(device, n, out, flags);
    FINISH();
    auto got = out.get();
    auto bits = flags.get();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            volatile T a = v[i], b = v[j];
            T expected[8] = {
                a + b, a - b, a * b, a / b, std::fmin(T(a), T(b)), std::fmax(T(a), T(b)), std::sqrt(T(a)), std::fma(T(a), T(b), T(a))};
            for (int k = 0; k < 8; k++) {
                T g = got[(i * n + j) * 8 + k], e = expected[k];
                // The sign of a zero minimum of two zeros is not specified.
                bool same = (std::isnan(g) && std::isnan(e)) || (g == e && (std::signbit(g) == std::signbit(e) || k == 4 || k == 5));
                EXPECT(same, "%s case %d of %g and %g: %g instead of %g", name, k, double(a), double(b), double(g), double(e));
            }
            int want = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 |
                       bool(std::isnan(T(a))) << 6 | bool(std::isinf(T(a))) << 7 | bool(std::isfinite(T(a))) << 8 |
                       bool(std::signbit(T(a))) << 9 | !(a < b) << 10;
            EXPECT(bits[i * n + j] == want, "%s flags of %g and %g: %x instead of %x", name, double(a), double(b), bits[i * n + j], want);
        }
}

int main() {
    check<float>("float", {0, -0.0f, 1, -1, 1.5f, 3.4e38f, -3.4e38f, 1.1754944e-38f, 1e-40f, -1e-45f, INFINITY, -INFINITY, NAN, 0.1f,
                           16777216, 7e-30f});
    check<double>("double", {0, -0.0, 1, -1, 1.5, 1.7e308, -1.7e308, 2.3e-308, 1e-310, -5e-324, INFINITY, -INFINITY, NAN, 0.1, 7e-200});
    return verdict();
}
