#include "objects.hpp"

#include <stdexcept>

int alive = 0;

namespace {
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
struct Alive {
  Alive() { alive++; }
  ~Alive() { alive--; }
};

int risky(int number) {
  Alive here;
  if (number % 5 == 0)
    throw number;
  if (number % 7 == 0)
    throw std::runtime_error("seven");
  return number * 2;
}
} // namespace

std::unique_ptr<Shape> shape(int number) {
  if (number % 3)
    return std::make_unique<Square>(number);
  return std::make_unique<Disc>(number);
}

int careful(int number, const std::map<std::string, int> &words) {
  Alive here;
  int sum = 0;
  try {
    sum += risky(number + 1);
  } catch (int value) {
    sum -= value;
  }
  return sum + risky(number) + int(words.count("w" + std::to_string(number % 17)));
}
