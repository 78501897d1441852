// flags: -std=c++17
// omits: mem-trace; blocks of a scan wait for each other, and records of mem-trace for the host
// rocPRIM: radix sort of keys and pairs, merge sort, histogram.
#include "check.h"
#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

template <typename Call> static void with_storage(Call call) {
    size_t bytes = 0;
    HIP(call(nullptr, bytes));
    Array<char> storage(bytes + 1);
    HIP(call(storage.data, bytes));
    HIP(hipDeviceSynchronize());
}

int main() {
    const size_t n = 20011;
    Random random;
    std::vector<int> keys(n);
    std::vector<unsigned> values(n);
    for (auto &key : keys)
        key = int(random.next()) >> (random.next() % 20);
    std::iota(values.begin(), values.end(), 0u);
    Array<int> device_keys(keys), sorted(n);
    Array<unsigned> device_values(values), places(n);

    std::vector<unsigned> order(values);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
    with_storage([&](void *s, size_t &b) {
        return rocprim::radix_sort_pairs(s, b, device_keys.data, sorted.data, device_values.data, places.data, n);
    });
    auto got = sorted.get();
    auto where = places.get();
    for (size_t i = 0; i < n; i++)
        EXPECT(got[i] == keys[order[i]] && where[i] == order[i], "radix sort [%zu] is %d from %u instead of %d from %u", i, got[i],
               where[i], keys[order[i]], order[i]);

    with_storage([&](void *s, size_t &b) { return rocprim::merge_sort(s, b, device_keys.data, sorted.data, n, rocprim::greater<int>()); });
    got = sorted.get();
    for (size_t i = 0; i < n; i++)
        EXPECT(got[i] == keys[order[n - 1 - i]], "merge sort [%zu] is %d instead of %d", i, got[i], keys[order[n - 1 - i]]);

    std::vector<float> samples(n);
    for (auto &v : samples)
        v = float(random.between(-2, 12));
    Array<float> device_samples(samples);
    const unsigned levels = 11;
    Array<unsigned> bins(levels - 1);
    with_storage([&](void *s, size_t &b) {
        return rocprim::histogram_even(s, b, device_samples.data, unsigned(n), bins.data, levels, 0.0f, 10.0f);
    });
    std::vector<unsigned> expected(levels - 1);
    for (float v : samples)
        if (v >= 0 && v < 10)
            expected[unsigned(v)]++;
    auto counted = bins.get();
    for (unsigned i = 0; i + 1 < levels; i++)
        EXPECT(counted[i] == expected[i], "bin %u: %u instead of %u", i, counted[i], expected[i]);
    return verdict();
}
