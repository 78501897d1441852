// Members of the library's classes: those that do nothing are no calls, those that throw or call others count nowhere.
#include <cstdio>
#include <stdexcept>
#include <string>

__attribute__((noinline)) std::string word(const char *text, unsigned length) { return std::string(text, length); }

__attribute__((noinline)) bool less(const std::string &a, const std::string &b) { return a.compare(b) < 0; }

__attribute__((noinline)) char letter(const std::string &text, unsigned at) {
  try {
    return text.at(at);
  } catch (const std::out_of_range &) {
    return '-';
  }
}

int main() {
  std::string all;
  for (unsigned i = 0; i < 100; i++) {
    std::string one = word("of the lanes of the waves", i % 24), other = word("the waves", i % 9);
    all += less(one, other) ? one.substr(one.size() / 2) : other;
    all += letter(one, i % 30);
    if (all.size() > 200)
      all.erase(3, 150);
  }
  std::printf("%zu %s\n", all.size(), all.c_str());
}
