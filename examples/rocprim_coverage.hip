// Sorts, scans, reduces and selects with rocPRIM, and checks the results: an input for a coverage report of rocPRIM.
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

template <typename T> static T *upload(const std::vector<T> &values) {
  T *memory = nullptr;
  (void)hipMalloc(&memory, values.size() * sizeof(T));
  (void)hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice);
  return memory;
}

template <typename T> static std::vector<T> download(const T *memory, size_t count) {
  std::vector<T> values(count);
  (void)hipMemcpy(values.data(), memory, count * sizeof(T), hipMemcpyDeviceToHost);
  return values;
}

// rocPRIM asks for the size of its temporary storage first.
template <typename Call> static hipError_t with_storage(Call call) {
  size_t size = 0;
  hipError_t error = call(nullptr, size);
  void *storage = nullptr;
  if (error == hipSuccess)
    error = hipMalloc(&storage, size);
  if (error == hipSuccess)
    error = call(storage, size);
  (void)hipFree(storage);
  return error;
}

int main() {
  const size_t count = 5000;
  std::vector<unsigned> values(count);
  unsigned state = 1;
  for (unsigned &value : values)
    value = (state = state * 1664525u + 1013904223u) >> 16;
  unsigned *in = upload(values), *out = upload(values);
  bool good = true;

  good &=
      with_storage([&](void *s, size_t &n) { return rocprim::reduce(s, n, in, out, 0u, count, rocprim::plus<unsigned>()); }) == hipSuccess;
  good &= download(out, 1)[0] == std::accumulate(values.begin(), values.end(), 0u);
  printf("reduce %s\n", good ? "ok" : "WRONG");

  good &= with_storage([&](void *s, size_t &n) { return rocprim::exclusive_scan(s, n, in, out, 7u, count, rocprim::plus<unsigned>()); }) ==
          hipSuccess;
  std::vector<unsigned> expected(count);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 7u);
  good &= download(out, count) == expected;
  printf("scan %s\n", good ? "ok" : "WRONG");

  good &= with_storage([&](void *s, size_t &n) { return rocprim::radix_sort_keys(s, n, in, out, count); }) == hipSuccess;
  expected = values;
  std::sort(expected.begin(), expected.end());
  good &= download(out, count) == expected;
  printf("sort %s\n", good ? "ok" : "WRONG");
  return good ? 0 : 1;
}
