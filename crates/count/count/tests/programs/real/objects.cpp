// Containers, virtual calls, strings and exceptions; the second file holds what is called through interfaces.
#include "objects.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>

int main(int argc, char **argv) {
  int size = argc > 1 ? std::atoi(argv[1]) : 60;
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < size; i++)
    shapes.push_back(shape(i));
  std::sort(shapes.begin(), shapes.end(), [](auto &a, auto &b) { return a->area() < b->area(); });
  std::map<std::string, int> words;
  for (auto &each : shapes)
    words["w" + std::to_string(each->area() % 17)] += each->area();
  std::priority_queue<std::pair<int, int>> queue;
  std::vector<int> distance(100, 1 << 20);
  distance[0] = 0;
  queue.push({0, 0});
  while (!queue.empty()) {
    auto [d, node] = queue.top();
    queue.pop();
    for (int step : {1, 7, 13}) {
      int next = (node + step) % 100, far = -d + step * 3 % 5 + 1;
      if (far < distance[next]) {
        distance[next] = far;
        queue.push({-far, next});
      }
    }
  }
  std::function<int(int)> fold = [&](int n) { return n == 0 ? 0 : distance[n] + fold(n - 1); };
  int sum = fold(99), caught = 0;
  for (int i = 0; i < size; i++) {
    try {
      sum += careful(i, words);
    } catch (int value) {
      caught += value;
    } catch (const std::exception &error) {
      caught += error.what()[0];
    }
  }
  for (auto &[word, value] : words)
    sum += value * int(word.size());
  std::printf("%d %d %d\n", sum, caught, alive);
}
