// Aggregates of many sizes by value, floating point, bulk memory with lengths known only at run time.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
struct Small {
  int a;
  signed char b;
}; // plain char is unsigned on aarch64
struct Pair {
  long a;
  double b;
};
struct Wide {
  double a[4];
  int tag;
};
struct Mixed {
  float x, y, z;
  int n;
};
static Small shift(Small s) { return {s.a + s.b, (signed char)(s.b * 3 + 1)}; }
static Pair scale(Pair p, double by) { return {p.a + 1, p.b * by + 0.5}; }
static Wide turn(Wide w) {
  Wide r = {{w.a[1], w.a[2], w.a[3], w.a[0] * 0.5 + w.a[1]}, w.tag + 1};
  return r;
}
static float length(Mixed m) { return m.x * m.x + m.y * m.y + m.z * m.z + float(m.n); }
int main(int argc, char **) {
  Small s = {1, 2};
  Pair p = {3, 0.25};
  Wide w = {{1, 2, 3, 4}, 0};
  double sum = 0;
  for (int i = 0; i < 200; i++) {
    s = shift(s);
    s.a &= 1023;
    p = scale(p, 0.75);
    w = turn(w);
    sum += length({float(i), 2, 3, i}) + w.a[0] + p.b;
    if (w.a[3] > 100)
      w.a[3] -= 99;
  }
  std::vector<char> from(5000 * argc, 'x'), to(5000 * argc);
  for (unsigned n = 1; n < 2000; n = n * 2 + 1) {
    std::memcpy(to.data(), from.data(), n);
    std::memset(from.data() + n, int(n), n);
  }
  std::vector<std::string> names;
  for (int i = 0; i < 40; i++)
    names.push_back("name " + std::to_string(i * 37 % 41));
  for (auto &name : names)
    sum += double(name.size());
  std::printf("%d %ld %.6f %d %d\n", s.a, p.a, sum, w.tag, to[100]);
}
