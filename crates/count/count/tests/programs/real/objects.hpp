#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};

std::unique_ptr<Shape> shape(int number);

// Throws for some numbers, through frames with something to destroy.
int careful(int number, const std::map<std::string, int> &words);
extern int alive;
