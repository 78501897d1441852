// std::string's members live in the library; inlined copies must not count where called ones do not.
#include <cstdio>
#include <sstream>
#include <string>
int main() {
  std::string text;
  for (int i = 0; i < 200; i++) {
    text += std::to_string(i);
    if (text.size() > 300)
      text = text.substr(150);
    text.insert(i % 7, "x");
  }
  std::ostringstream out;
  out << text.size() << ' ' << text.find("17") << ' ' << text.substr(0, 20);
  std::printf("%s\n", out.str().c_str());
}
