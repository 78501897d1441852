// What referee and bots share: a field with coins, two walkers.
#pragma once

struct Position {
  int x, y;
};

constexpr int Side = 16;

struct Field {
  bool coin[Side][Side];
  Position me, other;
};

enum class Step { Stay, North, East, South, West };

inline Position after(Position from, Step step) {
  static constexpr Position by[] = {{0, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
  Position to = {from.x + by[int(step)].x, from.y + by[int(step)].y};
  return to.x < 0 || to.y < 0 || to.x >= Side || to.y >= Side ? from : to;
}

// A bot sees the field and names its next step.
Step nearest_coin(const Field &field);
Step deep_thinker(const Field &field);
