// flags: -std=c++17
// omits: mem-trace; blocks of a scan wait for each other, and records of mem-trace for the host
// rocPRIM: reduce, inclusive and exclusive scan, select, segmented reduce.
#include "check.h"
#include <rocprim/rocprim.hpp>

// Calls a rocPRIM function twice: for the size of its storage, then to run.
template <typename Call> static void with_storage(Call call) {
    size_t bytes = 0;
    HIP(call(nullptr, bytes));
    Array<char> storage(bytes + 1);
    HIP(call(storage.data, bytes));
    HIP(hipDeviceSynchronize());
}

struct IsOdd {
    __host__ __device__ bool operator()(int v) const { return v & 1; }
};

int main() {
    const size_t n = 30011;
    Random random;
    std::vector<int> in(n);
    for (auto &v : in)
        v = int(random.next() % 2001) - 1000;
    Array<int> device_in(in), out(n);

    with_storage([&](void *s, size_t &b) { return rocprim::reduce(s, b, device_in.data, out.data, 5, n, rocprim::plus<int>()); });
    int sum = 5, most = in[0];
    for (int v : in)
        sum += v, most = std::max(most, v);
    EXPECT(out.get()[0] == sum, "reduce: %d instead of %d", out.get()[0], sum);
    with_storage([&](void *s, size_t &b) { return rocprim::reduce(s, b, device_in.data, out.data, -5000, n, rocprim::maximum<int>()); });
    EXPECT(out.get()[0] == most, "maximum: %d instead of %d", out.get()[0], most);

    with_storage([&](void *s, size_t &b) { return rocprim::inclusive_scan(s, b, device_in.data, out.data, n, rocprim::plus<int>()); });
    auto got = out.get();
    sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += in[i];
        EXPECT(got[i] == sum, "inclusive scan [%zu] is %d instead of %d", i, got[i], sum);
    }
    with_storage([&](void *s, size_t &b) { return rocprim::exclusive_scan(s, b, device_in.data, out.data, 100, n, rocprim::plus<int>()); });
    got = out.get();
    sum = 100;
    for (size_t i = 0; i < n; i++) {
        EXPECT(got[i] == sum, "exclusive scan [%zu] is %d instead of %d", i, got[i], sum);
        sum += in[i];
    }

    Array<unsigned> selected(1);
    with_storage([&](void *s, size_t &b) { return rocprim::select(s, b, device_in.data, out.data, selected.data, n, IsOdd()); });
    got = out.get();
    std::vector<int> odd;
    for (int v : in)
        if (v & 1)
            odd.push_back(v);
    EXPECT(selected.get()[0] == odd.size(), "%u selected instead of %zu", selected.get()[0], odd.size());
    for (size_t i = 0; i < odd.size(); i++)
        EXPECT(got[i] == odd[i], "selected [%zu] is %d instead of %d", i, got[i], odd[i]);

    std::vector<int> offsets{0, 1, 1, 100, 5000, 5003, int(n)};
    Array<int> device_offsets(offsets);
    unsigned segments = unsigned(offsets.size() - 1);
    int *starts = device_offsets;
    with_storage([&](void *s, size_t &b) {
        return rocprim::segmented_reduce(s, b, device_in.data, out.data, segments, starts, starts + 1, rocprim::plus<int>(), 0);
    });
    got = out.get();
    for (unsigned k = 0; k < segments; k++) {
        sum = 0;
        for (int i = offsets[k]; i < offsets[k + 1]; i++)
            sum += in[i];
        EXPECT(got[k] == sum, "segment %u: %d instead of %d", k, got[k], sum);
    }
    return verdict();
}
