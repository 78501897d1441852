// needs: rocrand/rocrand.h (Debian package librocrand-dev)
// flags: -lrocrand
// rocRAND's host interface: its quickest generator's distributions, judged by their moments and by seeds. (The others, which
// start with long kernels, are in all_generators.hip.)
#include "check.h"
#include <rocrand/rocrand.h>

#define RAND(call)                                               \
    do {                                                         \
        rocrand_status status_ = (call);                         \
        if (status_ != ROCRAND_STATUS_SUCCESS) {                 \
            std::printf("%s: status %d\n", #call, int(status_)); \
            return 2;                                            \
        }                                                        \
    } while (0)

static void moments(const char *name, const std::vector<float> &v, double mean, double deviation) {
    double sum = 0, squares = 0;
    for (float x : v) {
        EXPECT(std::isfinite(x), "%s gave %g", name, x);
        sum += x;
        squares += double(x) * x;
    }
    double n = double(v.size()), found = sum / n, spread = std::sqrt(std::max(0.0, squares / n - found * found));
    // Six standard errors.
    EXPECT(std::fabs(found - mean) < 6 * deviation / std::sqrt(n), "%s: mean %g instead of %g", name, found, mean);
    EXPECT(std::fabs(spread - deviation) < 12 * deviation / std::sqrt(n), "%s: deviation %g instead of %g", name, spread, deviation);
}

int main() {
    const size_t n = 20000;
    Array<float> out(n), again(n);
    rocrand_generator generator;
    RAND(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
    RAND(rocrand_set_seed(generator, 1234));
    RAND(rocrand_generate_uniform(generator, out, n));
    HIP(hipDeviceSynchronize());
    auto first = out.get();
    moments("philox", first, 0.5, std::sqrt(1.0 / 12));
    for (float x : first)
        EXPECT(x > 0 && x <= 1, "philox: uniform gave %g", x);
    RAND(rocrand_generate_normal(generator, out, n, 3.0f, 2.0f));
    HIP(hipDeviceSynchronize());
    moments("philox", out.get(), 3, 2);
    RAND(rocrand_destroy_generator(generator));
    // The same seed gives the same numbers.
    RAND(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
    RAND(rocrand_set_seed(generator, 1234));
    RAND(rocrand_generate_uniform(generator, again, n));
    HIP(hipDeviceSynchronize());
    EXPECT(again.get() == first, "philox: the same seed gave other numbers");
    RAND(rocrand_destroy_generator(generator));
    RAND(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
    Array<unsigned> counts(n);
    RAND(rocrand_generate_poisson(generator, counts, n, 20.0));
    HIP(hipDeviceSynchronize());
    auto poisson = counts.get();
    moments("poisson", std::vector<float>(poisson.begin(), poisson.end()), 20, std::sqrt(20.0));
    RAND(rocrand_destroy_generator(generator));
    return verdict();
}
