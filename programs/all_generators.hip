// needs: rocrand/rocrand.h (Debian package librocrand-dev)
// omits: mem-trace; the generators begin with 293 million accesses
// flags: -std=c++17 -lrocrand
// Every rocRAND generator and distribution; the device's own generators give the host's numbers for the same seeds.
#include "check.h"
#include <algorithm>
#define FQUALIFIERS __forceinline__ __host__ __device__
#include <rocrand/rocrand.h>
#include <rocrand/rocrand_kernel.h>

#define RAND(call)                                                                       \
    do {                                                                                 \
        rocrand_status status_ = (call);                                                 \
        EXPECT(status_ == ROCRAND_STATUS_SUCCESS, "%s: status %d", #call, int(status_)); \
    } while (0)

template <typename T> static void judge(const char *name, const std::vector<T> &v, double mean, double deviation) {
    double sum = 0, squares = 0;
    for (T x : v) {
        sum += double(x);
        squares += double(x) * double(x);
    }
    double n = double(v.size()), found = sum / n, spread = std::sqrt(std::max(0.0, squares / n - found * found));
    EXPECT(std::fabs(found - mean) < 7 * deviation / std::sqrt(n), "%s: mean %g instead of %g", name, found, mean);
    EXPECT(std::fabs(spread - deviation) < 0.2 * deviation, "%s: deviation %g instead of %g", name, spread, deviation);
}

static void host_interface(rocrand_rng_type type, const char *name, bool quasi) {
    const size_t n = 6000;
    rocrand_generator generator;
    RAND(rocrand_create_generator(&generator, type));
    if (quasi)
        RAND(rocrand_set_quasi_random_generator_dimensions(generator, 3));
    else
        RAND(rocrand_set_seed(generator, 12345));
    {
        Array<float> out(n);
        RAND(rocrand_generate_uniform(generator, out, n));
        HIP(hipDeviceSynchronize());
        auto got = out.get();
        judge(name, got, 0.5, std::sqrt(1 / 12.0));
        EXPECT(*std::min_element(got.begin(), got.end()) > 0 && *std::max_element(got.begin(), got.end()) <= 1, "%s: out of (0, 1]", name);
        RAND(rocrand_generate_normal(generator, out, n, 3, 2));
        HIP(hipDeviceSynchronize());
        judge(name, out.get(), 3, 2);
        RAND(rocrand_generate_log_normal(generator, out, n, 0.5f, 0.25f));
        HIP(hipDeviceSynchronize());
        double mean = std::exp(0.5 + 0.25 * 0.25 / 2);
        judge(name, out.get(), mean, mean * std::sqrt(std::exp(0.25 * 0.25) - 1));
    }
    {
        Array<double> out(n);
        RAND(rocrand_generate_uniform_double(generator, out, n));
        HIP(hipDeviceSynchronize());
        judge(name, out.get(), 0.5, std::sqrt(1 / 12.0));
        RAND(rocrand_generate_normal_double(generator, out, n, -1, 0.5));
        HIP(hipDeviceSynchronize());
        judge(name, out.get(), -1, 0.5);
    }
    {
        Array<unsigned> out(n);
        RAND(rocrand_generate(generator, out, n));
        HIP(hipDeviceSynchronize());
        judge(name, out.get(), 2147483648.0, 4294967296.0 / std::sqrt(12.0));
        RAND(rocrand_generate_poisson(generator, out, n, 20.5));
        HIP(hipDeviceSynchronize());
        judge(name, out.get(), 20.5, std::sqrt(20.5));
    }
    RAND(rocrand_destroy_generator(generator));
}

// Thirty numbers of a state made on the spot; integers and floats must agree with the host bit for bit.
template <typename State> __host__ __device__ inline void numbers(unsigned i, unsigned *out) {
    State state;
    rocrand_init(42 + i, i % 5, i * 3, &state);
    for (int k = 0; k < 20; k++)
        out[k] = rocrand(&state);
    skipahead(1000ull + i, &state);
    for (int k = 20; k < 25; k++)
        out[k] = rocrand(&state);
    for (int k = 25; k < 30; k++) {
        float f = rocrand_uniform(&state);
        memcpy(&out[k], &f, 4);
    }
}
template <typename State> __global__ void device_numbers(unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers<State>(i, out + i * 30);
}
template <typename State> static void device_interface(const char *name) {
    const unsigned n = 192;
    Array<unsigned> out(n * 30);
    device_numbers<State><<<3, 64>>>(out.data);
    FINISH();
    auto got = out.get();
    for (unsigned i = 0; i < n; i++) {
        unsigned want[30];
        numbers<State>(i, want);
        for (int k = 0; k < 30; k++)
            EXPECT(got[i * 30 + k] == want[k], "%s: number %d of thread %u: %x instead of %x", name, k, i, got[i * 30 + k], want[k]);
    }
}

int main() {
    host_interface(ROCRAND_RNG_PSEUDO_XORWOW, "XORWOW", false);
    host_interface(ROCRAND_RNG_PSEUDO_MRG32K3A, "MRG32K3A", false);
    host_interface(ROCRAND_RNG_PSEUDO_MTGP32, "MTGP32", false);
    host_interface(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, "Philox", false);
    host_interface(ROCRAND_RNG_QUASI_SOBOL32, "Sobol 32", true);
    device_interface<rocrand_state_philox4x32_10>("Philox");
    device_interface<rocrand_state_xorwow>("XORWOW");
    device_interface<rocrand_state_mrg32k3a>("MRG32K3A");
    return verdict();
}
