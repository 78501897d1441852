#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
using nlohmann::json;
int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  unsigned state = 5, sum = 0;
  auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < rounds; i++) {
    json all = json::array();
    for (int k = 0; k < 60; k++) {
      json one = {{"name", "kernel \"" + std::to_string(next() % 100) + "\"\n"},
                  {"waves", next() % 1000},
                  {"share", double(next() % 4096) / 64},
                  {"flags", {true, false, nullptr}}};
      one["nested"]["lanes"] = std::vector<int>{int(next() % 64), 64, -1};
      all.push_back(one);
    }
    std::string text = all.dump(i % 3);
    json back = json::parse(text);
    if (back != all)
      return 1;
    for (auto &one : back)
      sum = sum * 31 + one["waves"].get<unsigned>() + unsigned(one["nested"]["lanes"].size());
    auto packed = json::to_cbor(back);
    sum += unsigned(packed.size());
    try {
      sum += unsigned(json::parse(text.substr(0, text.size() / 2)).size());
    } catch (const json::parse_error &error) {
      sum += unsigned(error.byte);
    }
  }
  std::printf("%u\n", sum);
}
