//! Random C++: virtual calls, templates, exceptions with destructors on their way, closures, coroutines, containers, and questions
//! that compilers answer by what they know.

use std::fmt::Write;

use super::Random;

/// With the library's containers and algorithms: most of a program's time goes into reading them.
const RICH: &str = r#"#include <algorithm>
#include <coroutine>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>
using List = std::vector<unsigned>;
using Error = std::out_of_range;
"#;

/// With what costs little to read: a container of our own, and what else a statement needs.
const SMALL: &str = r#"#include <coroutine>
#include <cstdio>
#include <exception>
#include <initializer_list>
struct Error : std::exception {
  const char *text;
  explicit Error(const char *text) : text(text) {}
  const char *what() const noexcept override { return text; }
};
template <class T> class ListOf {
  T *items = nullptr;
  unsigned used = 0, room = 0;
public:
  ListOf(std::initializer_list<T> from) { for (const T &item : from) push_back(item); }
  ListOf(const ListOf &) = delete;
  ~ListOf() { delete[] items; }
  void push_back(T item) {
    if (used == room) resize_room(room * 2 + 1);
    items[used++] = item;
  }
  void resize_room(unsigned n) {
    T *wider = new T[n];
    for (unsigned i = 0; i < used; i++) wider[i] = items[i];
    delete[] items;
    items = wider, room = n;
  }
  void resize(unsigned n) { if (n < used) used = n; }
  unsigned size() const { return used; }
  T *begin() { return items; }
  T *end() { return items + used; }
};
using List = ListOf<unsigned>;
namespace std {
template <class I, class T> static T accumulate(I from, I to, T sum) {
  for (; from != to; ++from) sum = sum + *from;
  return sum;
}
template <class I> static void sort(I from, I to) {
  for (I i = from; i != to; ++i)
    for (I j = i; j != from && *j < *(j - 1); --j) { auto kept = *j; *j = *(j - 1); *(j - 1) = kept; }
}
}
"#;

const HEAD: &str = r#"static unsigned seen = 1;
struct Guard {
  unsigned n;
  explicit Guard(unsigned n) : n(n) { seen += n; }
  Guard(const Guard &other) : n(other.n + 1) {}
  ~Guard() { seen = seen * 31 + n; }
};
struct Shape {
  virtual unsigned area(unsigned n) const { return n; }
  virtual ~Shape() = default;
};
struct Square : Shape {
  unsigned area(unsigned n) const override { return n * n + 1; }
};
struct Ring : Square {
  unsigned hole = 3;
  unsigned area(unsigned n) const override { return Square::area(n) - (n > hole ? hole : 0); }
};
template <class T> static inline T power(T x, int n) {
  if (__builtin_constant_p(n) && n == 2)
    return x * x;
  T result = 1;
  for (int i = 0; i < n; i++)
    result *= x;
  return result;
}
template <int N> struct Fold {
  static unsigned of(unsigned x) { return Fold<N - 1>::of(x * 5 + N); }
};
template <> struct Fold<0> {
  static unsigned of(unsigned x) { return x; }
};
struct Numbers {
  struct promise_type {
    unsigned value = 0;
    Numbers get_return_object() { return Numbers{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(unsigned v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() { value = 77; }
  };
  explicit Numbers(std::coroutine_handle<promise_type> h) : h(h) {}
  Numbers(const Numbers &) = delete;
  ~Numbers() { h.destroy(); }
  unsigned next() { if (!h.done()) h.resume(); return h.promise().value; }
  std::coroutine_handle<promise_type> h;
};
__attribute__((noinline)) static unsigned twisted(unsigned x, unsigned n) {
  for (n &= 7; n; n--)
    x = x * 31 + n;
  return x;
}
static Numbers count(unsigned from, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (i == 9)
      throw 9;
    co_yield from + i;
  }
}
"#;

/// One statement that may use `a`, `b` (unsigned), `list` (a vector of unsigned) and change them.
fn statement(random: &mut Random, rich: bool, function: u64, depth: u32, out: &mut String) {
    let n = random.below(9) + 1;
    let value = random.pick(&[
        "a",
        "b",
        "a * 7 + b",
        "a ^ (b >> 3)",
        "seen",
        "(unsigned)list.size()",
    ]);
    let kinds = if depth >= 2 { 12 } else { 19 };
    let text = match random.below(kinds) {
        0 => format!("a += power({value}, {});", random.pick(&["2", "(int)(b & 3)", "3"])),
        1 => format!("list.push_back({value});"),
        2 => format!("b ^= Fold<{n}>::of({value});"),
        3 => "{ Numbers numbers = count(a, b % 14); for (int i = 0; i < 11; i++) a += numbers.next(); }".to_owned(),
        4 => format!("b += std::accumulate(list.begin(), list.end(), {value});"),
        5 => "std::sort(list.begin(), list.end()); if (list.size() > 12) list.resize(7);".to_owned(),
        6 if rich => format!("{{ std::function<unsigned(unsigned)> f = [&, k = {value}](unsigned x) {{ return x + k + b; }}; a = f(b) + f({n}); }}"),
        6 => format!("{{ auto f = [&, k = {value}](unsigned x) {{ return x + k + b; }}; a = f(b) + f({n}); }}"),
        7 if rich => format!("{{ std::map<unsigned, std::string> m; for (unsigned i = 0; i < {n}; i++) m[(a + i) % 13] += \"ab\"; for (auto &[k, v] : m) b += k * (unsigned)v.size(); }}"),
        7 => format!("{{ unsigned long long wide = {value}; do b ^= (unsigned)(wide >>= 3); while (wide && b % {n} != 1); }}"),
        8 if rich => format!("{{ std::unique_ptr<Shape> s; if (a & 1) s = std::make_unique<Ring>(); else s = std::make_unique<Square>(); b += s->area({value} % 100); }}"),
        8 => format!("{{ Shape *s = a & 1 ? new Ring : new Square; b += s->area({value} % 100); delete s; }}"),
        9 => format!("{{ char text[{}] = \"xyz\"; b += (unsigned)__builtin_object_size(text + {n}, 0) + text[a % 3]; }}", n + 8),
        10 => format!("{{ Guard guard({value}); if (a % {n} == 1) a++; }}"),
        11 if function > 0 => format!("a += f{}({value}, b);", random.below(function)),
        11 => "a = a * 3 + 1;".to_owned(),
        12 | 13 => {
            let _ = writeln!(out, "  for (unsigned i{depth} = 0; i{depth} < {}; i{depth}++) {{", n + 2);
            statements(random, rich, function, depth + 1, out);
            let _ = writeln!(out, "  if (a % 11 == 5) {}; }}", random.pick(&["break", "continue", "b++"]));
            return;
        }
        // Several ways back to one header, as loops in hand-written parsers have them.
        17 | 18 => {
            let (first, second) = (random.below(3) + 2, random.pick(&["twisted(b, a)", "a ^ seen", "b * 3", "(unsigned)list.size()"]));
            let _ = writeln!(out, "  {{ unsigned at = 0, kept = {n}; while (at < {}) {{ at++; a = (a ^ kept) * 3 + at;", n * 4);
            let _ = writeln!(out, "  if (a % {first}) continue; kept = {second}; if (a & 8) continue; b += kept;");
            if random.below(2) == 0 {
                statements(random, rich, function, depth + 1, out);
            }
            let _ = writeln!(out, "  }} }}");
            return;
        }
        14 => {
            let _ = writeln!(out, "  try {{ Guard guard({n});");
            statements(random, rich, function, depth + 1, out);
            let _ = writeln!(out, "  if (a % {} == 2) throw {}; }} catch (const std::exception &e) {{ b += (unsigned)e.what()[0]; }} catch (int n) {{ a ^= (unsigned)n; }}",
                n + 1, random.pick(&["Error(\"r\")", "17", "Error(\"o\")"]));
            return;
        }
        15 => {
            let _ = writeln!(out, "  switch ({value} % 5) {{ case 0: a += 3; case 1: {{");
            statements(random, rich, function, depth + 1, out);
            let _ = writeln!(out, "  break; }} case 3: b = b * 3 + 1; break; default: a--; }}");
            return;
        }
        _ => {
            let _ = writeln!(out, "  if ({value} % {n} < {} && b != 3) {{", random.below(n + 1));
            statements(random, rich, function, depth + 1, out);
            let _ = writeln!(out, "  }} else {{ Guard guard(a); b += guard.n; }}");
            return;
        }
    };
    let _ = writeln!(out, "  {text}");
}

fn statements(random: &mut Random, rich: bool, function: u64, depth: u32, out: &mut String) {
    for _ in 0..random.below(3) + 1 {
        statement(random, rich, function, depth, out);
    }
}

/// A program that ends and prints what it has computed. `rich`: with the library's containers and algorithms.
pub fn program(random: &mut Random, rich: bool) -> String {
    let mut out = [if rich { RICH } else { SMALL }, HEAD].concat();
    let functions = random.below(4) + 2;
    for function in 0..functions {
        let kind = random.pick(&[
            "static",
            "inline",
            "__attribute__((noinline)) static",
            "__attribute__((pure)) static",
        ]);
        let _ = writeln!(
            out,
            "{kind} unsigned f{function}(unsigned a, unsigned b) {{\n  List list{{a, b}};"
        );
        statements(random, rich, function, 0, &mut out);
        out.push_str("  return a + b * 3;\n}\n");
    }
    out.push_str("int main() {\n  unsigned sum = 0;\n  for (unsigned i = 0; i < 5; i++) {\n");
    for function in 0..functions {
        let _ = writeln!(
            out,
            "    try {{ sum = sum * 31 + f{function}(i, sum & 255); }} catch (...) {{ sum++; }}"
        );
    }
    out.push_str("  }\n  std::printf(\"%u %u\\n\", sum, seen);\n}\n");
    out
}
