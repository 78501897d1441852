// The two bots of examples/bot-match, played against each other without a referee's limits.
#include "../../../../../../examples/bot-match/game.hpp"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

int main(int argc, char **argv) {
  int turns = argc > 1 ? std::atoi(argv[1]) : 6;
  Field field = {};
  unsigned state = 7;
  for (int i = 0; i < 40; i++) {
    state = state * 1664525u + 1013904223u;
    field.coin[state >> 28][(state >> 20) % Side] = true;
  }
  Step (*const bots[])(const Field &) = {nearest_coin, deep_thinker};
  Position at[] = {{0, 0}, {Side - 1, Side - 1}};
  int coins[2] = {};
  for (int turn = 0; turn < turns; turn++)
    for (int who : {0, 1}) {
      field.me = at[who];
      field.other = at[1 - who];
      at[who] = after(at[who], bots[who](field));
      coins[who] += field.coin[at[who].y][at[who].x];
      field.coin[at[who].y][at[who].x] = false;
      field.coin[(turn * 7 + who) % Side][turn % Side] |= turn % 3 == 0;
    }
  std::printf("%d %d\n", coins[0], coins[1]);
}
