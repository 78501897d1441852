// flags: -std=c++17
// omits: mem-trace; blocks of a scan wait for each other, and records of mem-trace for the host
// known: gfx1102, clang 21: merge sort of 64 unsigned char; merge sort of 65 unsigned char; merge sort of 3001 unsigned char
// Clang 21 takes the low half of a register for its high half there; docs/found.md shows how.
// rocPRIM's device-wide operations at sizes around every boundary, with small and large types, against the host.
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
template <typename T> static std::vector<T> head(const Array<T> &array, size_t n) {
    auto all = array.get();
    all.resize(n);
    return all;
}

template <typename T> static void check(const char *name, size_t n) {
    Random random;
    random.state += n;
    std::vector<T> in(n);
    for (auto &v : in)
        v = T(random.next() % 50);
    size_t room = std::max<size_t>(n, 1);
    Array<T> device_in(room), out(room);
    Array<unsigned> count(1), lengths(room);
    device_in.set(in);

    T sum = std::accumulate(in.begin(), in.end(), T(7));
    with_storage([&](void *s, size_t &b) { return rocprim::reduce(s, b, device_in.data, out.data, T(7), n, rocprim::plus<T>()); });
    EXPECT(out.get()[0] == sum, "reduce of %zu %s: %g instead of %g", n, name, double(out.get()[0]), double(sum));

    std::vector<T> want(n);
    std::exclusive_scan(in.begin(), in.end(), want.begin(), T(3));
    with_storage([&](void *s, size_t &b) { return rocprim::exclusive_scan(s, b, device_in.data, out.data, T(3), n, rocprim::plus<T>()); });
    EXPECT(head(out, n) == want, "exclusive scan of %zu %s", n, name);
    std::inclusive_scan(in.begin(), in.end(), want.begin(), [](T a, T b) { return std::max(a, b); });
    with_storage([&](void *s, size_t &b) { return rocprim::inclusive_scan(s, b, device_in.data, out.data, n, rocprim::maximum<T>()); });
    EXPECT(head(out, n) == want, "inclusive scan of %zu %s", n, name);

    auto odd = [] __host__ __device__(T v) { return int(v) % 3 == 1; };
    want.clear();
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), odd);
    with_storage([&](void *s, size_t &b) { return rocprim::select(s, b, device_in.data, out.data, count.data, n, odd); });
    EXPECT(count.get()[0] == want.size() && head(out, want.size()) == want, "select of %zu %s", n, name);
    want = in;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    with_storage([&](void *s, size_t &b) { return rocprim::unique(s, b, device_in.data, out.data, count.data, n); });
    if (n)
        EXPECT(count.get()[0] == want.size() && head(out, want.size()) == want, "unique of %zu %s", n, name);
    if (n) {
        with_storage(
            [&](void *s, size_t &b) { return rocprim::run_length_encode(s, b, device_in.data, n, out.data, lengths.data, count.data); });
        auto runs = lengths.get();
        EXPECT(count.get()[0] == want.size() && head(out, want.size()) == want, "runs of %zu %s", n, name);
        EXPECT(std::accumulate(runs.begin(), runs.begin() + want.size(), size_t(0)) == n, "run lengths of %zu %s", n, name);
    }
    want = in;
    std::sort(want.begin(), want.end());
    with_storage([&](void *s, size_t &b) { return rocprim::merge_sort(s, b, device_in.data, out.data, n); });
    EXPECT(head(out, n) == want, "merge sort of %zu %s", n, name);
}

int main() {
    for (size_t n : {0, 1, 2, 63, 64, 65, 255, 257, 1023, 1025, 4096, 10007})
        check<int>("int", n);
    for (size_t n : {1, 64, 65, 3001})
        check<unsigned char>("unsigned char", n);
    return verdict();
}
