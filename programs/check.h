// The common part of all programs: calls that must succeed, expectations that are counted, and device arrays.
#pragma once
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int failures = 0;

// A HIP call that must succeed, or the program ends.
#define HIP(call)                                                                                 \
    do {                                                                                          \
        hipError_t error_ = (call);                                                               \
        if (error_ != hipSuccess) {                                                               \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(error_)); \
            std::exit(2);                                                                         \
        }                                                                                         \
    } while (0)

// A condition that must hold; the rest says with which values it did not.
#define EXPECT(condition, ...)                                              \
    do {                                                                    \
        if (!(condition) && failures++ < 10) {                              \
            std::printf("%s:%d: not %s: ", __FILE__, __LINE__, #condition); \
            std::printf(__VA_ARGS__);                                       \
            std::printf("\n");                                              \
        }                                                                   \
    } while (0)

// Ticks of the device's clock that goes on at one rate. Families since gfx11 have no s_memrealtime, and HIP 5 no wall_clock64.
static inline __device__ long long device_ticks() {
#if HIP_VERSION_MAJOR >= 6
    return wall_clock64();
#else
    return (long long)__builtin_amdgcn_s_memrealtime();
#endif
}

// The program's exit status.
inline int verdict() {
    if (failures)
        std::printf("%d expectations failed\n", failures);
    return failures ? 1 : 0;
}

// A device array that copies from and to vectors.
template <typename T> struct Array {
    T *data = nullptr;
    size_t count = 0;
    explicit Array(size_t n) : count(n) { HIP(hipMalloc(&data, n * sizeof(T))); }
    explicit Array(const std::vector<T> &from) : Array(from.size()) { set(from); }
    Array(const Array &) = delete;
    ~Array() { (void)hipFree(data); }
    void set(const std::vector<T> &from) { HIP(hipMemcpy(data, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice)); }
    void zero() { HIP(hipMemset(data, 0, count * sizeof(T))); }
    std::vector<T> get() const {
        std::vector<T> to(count);
        HIP(hipMemcpy(to.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
        return to;
    }
    operator T *() const { return data; }
};

// A small generator of reproducible bits.
struct Random {
    uint64_t state = 0x9e3779b97f4a7c15;
    uint32_t next() {
        state = state * 6364136223846793005 + 1442695040888963407;
        return uint32_t(state >> 33) ^ uint32_t(state >> 11);
    }
    // From low (inclusive) to high (exclusive).
    double between(double low, double high) { return low + (high - low) * (next() / 4294967296.0); }
};

// Waits for a launch and reports it.
#define FINISH()                     \
    do {                             \
        HIP(hipGetLastError());      \
        HIP(hipDeviceSynchronize()); \
    } while (0)

// Steps between two floats, 0 if both are NaN.
inline double steps(float a, double exact) {
    if (std::isnan(a) || std::isnan(exact))
        return std::isnan(a) && std::isnan(exact) ? 0 : INFINITY;
    float want = float(exact);
    if (std::isinf(want) || std::isinf(a))
        return a == want ? 0 : (std::fabs(a) > 3.3e38f && std::fabs(exact) > 3.3e38 ? 1 : INFINITY);
    int exponent = std::ilogb(want == 0 ? 1e-45f : want);
    if (exponent < -126)
        exponent = -126;
    return std::fabs(double(a) - exact) / std::ldexp(1.0, exponent - 23);
}
inline double steps(double a, long double exact) {
    if (std::isnan(a) || std::isnan(exact))
        return std::isnan(a) && std::isnan(exact) ? 0 : INFINITY;
    double want = double(exact);
    if (std::isinf(want) || std::isinf(a))
        return a == want ? 0 : INFINITY;
    int exponent = std::ilogb(want == 0 ? 4.9e-324 : want);
    if (exponent < -1022)
        exponent = -1022;
    return double(std::fabs((long double)a - exact) / std::ldexp(1.0L, exponent - 52));
}
