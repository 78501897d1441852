// Containers, virtual calls, strings, templates, function objects.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>
struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square final : Shape {
  explicit Square(int side) : side(side) {}
  int area() const override { return side * side; }
  int side;
};
struct Disc final : Shape {
  explicit Disc(int radius) : radius(radius) {}
  int area() const override { return 3 * radius * radius; }
  int radius;
};
int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 50; i++)
    if (i % 3)
      shapes.push_back(std::make_unique<Square>(i));
    else
      shapes.push_back(std::make_unique<Disc>(i));
  std::sort(shapes.begin(), shapes.end(), [](auto &a, auto &b) { return a->area() < b->area(); });
  std::map<std::string, int> words;
  for (auto &shape : shapes)
    words["w" + std::to_string(shape->area() % 17)] += shape->area();
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
  int sum = fold(99);
  for (auto &[word, value] : words)
    sum += value * int(word.size());
  std::printf("%d\n", sum);
}
