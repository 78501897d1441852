// C++20 as it is written today: concepts, ranges, views, spans, variants, coroutines, constant evaluation, three-way comparison.
#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
namespace views = std::views;
struct Version {
  int major, minor;
  auto operator<=>(const Version &) const = default;
};
template <class T>
concept Number = std::integral<T> || std::floating_point<T>;
template <Number T> constexpr T square(T x) { return x * x; }
consteval std::array<unsigned, 64> table() {
  std::array<unsigned, 64> out{};
  for (unsigned i = 0; i < 64; i++)
    out[i] = i * 2654435761u >> 7;
  return out;
}
struct Leaf {
  unsigned value;
};
struct Node;
using Tree = std::variant<Leaf, std::unique_ptr<Node>>;
struct Node {
  Tree left, right;
};
static Tree grow(unsigned n) {
  if (n < 3)
    return Leaf{n};
  return std::make_unique<Node>(Node{grow(n / 2), grow(n / 3)});
}
template <class... F> struct Overloaded : F... {
  using F::operator()...;
};
static unsigned total(const Tree &tree) {
  return std::visit(Overloaded{[](const Leaf &leaf) { return leaf.value; },
                               [](const std::unique_ptr<Node> &node) { return total(node->left) + 2 * total(node->right); }},
                    tree);
}
struct Primes {
  struct promise_type {
    unsigned value;
    Primes get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(unsigned v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
  std::optional<unsigned> next() {
    handle.resume();
    return handle.done() ? std::nullopt : std::optional(handle.promise().value);
  }
};
static Primes primes(unsigned below) {
  for (unsigned n = 2; n < below; n++)
    if (std::ranges::none_of(views::iota(2u, n) | views::take_while([n](unsigned d) { return d * d <= n; }),
                             [n](unsigned d) { return n % d == 0; }))
      co_yield n;
}
static unsigned words(std::string_view text) {
  std::map<std::string, unsigned, std::less<>> counts;
  for (auto word : text | views::split(' '))
    counts[std::string(word.begin(), word.end())]++;
  unsigned sum = 0;
  for (const auto &[word, count] : counts)
    sum = sum * 31 + unsigned(word.size()) * count;
  return sum;
}
int main(int argc, char **argv) {
  unsigned rounds = argc > 1 ? unsigned(std::atoi(argv[1])) : 20, sum = 0;
  static constexpr auto numbers = table();
  for (unsigned i = 0; i < rounds; i++) {
    std::vector<unsigned> values(200);
    std::ranges::generate(values, [&, n = i]() mutable { return square(n += 7) % 1009; });
    std::ranges::sort(values, std::greater{});
    for (unsigned v : values | views::filter([](unsigned v) { return v % 3 == 1; }) | views::transform(square<unsigned>) | views::drop(2) |
                          views::take(40))
      sum = sum * 5 + v;
    std::span<const unsigned> part(values.data() + i % 50, 100);
    sum += std::reduce(part.begin(), part.end()) ^ numbers[i % 64];
    std::vector<Version> versions;
    for (unsigned v : part)
      versions.push_back({int(v % 7), int(v % 11)});
    std::ranges::sort(versions);
    sum += unsigned(std::ranges::lower_bound(versions, Version{3, 4}) - versions.begin());
    sum += total(grow(1000 + i));
    Primes stream = primes(200);
    while (auto prime = stream.next())
      sum ^= *prime * i;
    stream.handle.destroy();
    sum += words("the wave of the lanes and the kernel of the waves");
  }
  std::printf("%u\n", sum);
}
