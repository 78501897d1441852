// The referee: gives each bot the same number of instructions per turn. A bot that is not done when they are used up
// stays where it is and goes on thinking in its next turn. No clock is involved: every match ends the same everywhere.
#include "game.hpp"

#include <luthier/count.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

constexpr uint64_t UnitsPerTurn = 100000;
constexpr int Turns = 60;

struct Player {
  const char *name;
  Step (*bot)(const Field &);
  Position at;
  Field view;
  Step answer;
  luthier_count_task *task;
  int coins, late;
  uint64_t units;
};

static void think(void *argument) {
  auto *player = static_cast<Player *>(argument);
  player->answer = player->bot(player->view);
}

static void turn(Player &player, const Player &other, bool (&coin)[Side][Side]) {
  if (!player.task) {
    for (int y = 0; y < Side; y++)
      for (int x = 0; x < Side; x++)
        player.view.coin[y][x] = coin[y][x];
    player.view.me = player.at;
    player.view.other = other.at;
    player.task = luthier_count_task_new(think, &player, 256 * 1024);
    if (!player.task) {
      std::fprintf(stderr, "no memory for a bot's stack\n");
      std::exit(1);
    }
  }
  uint64_t before = luthier_count_now();
  auto state = luthier_count_task_resume(player.task, UnitsPerTurn);
  player.units += luthier_count_now() - before;
  if (state == LUTHIER_COUNT_TASK_YIELDED) {
    player.late++;
    return;
  }
  luthier_count_task_free(player.task);
  player.task = nullptr;
  player.at = after(player.at, player.answer);
  player.coins += coin[player.at.y][player.at.x];
  coin[player.at.y][player.at.x] = false;
}

int main() {
  bool coin[Side][Side] = {};
  unsigned state = 7;
  for (int i = 0; i < 40; i++) {
    state = state * 1664525u + 1013904223u;
    coin[state >> 28][(state >> 20) % Side] = true;
  }
  // A loop with no end in a call that does not count would still hang the match: one second of wall-clock time per turn.
  luthier_count_watchdog(1000);
  Player players[] = {{"nearest_coin", nearest_coin, {0, 0}, {}, {}, nullptr, 0, 0, 0},
                      {"deep_thinker", deep_thinker, {Side - 1, Side - 1}, {}, {}, nullptr, 0, 0, 0}};
  for (int round = 0; round < Turns; round++)
    for (int who : {0, 1}) {
      luthier_count_watchdog(1000);
      turn(players[who], players[1 - who], coin);
    }
  for (auto &player : players)
    std::printf("%-13s %2d coins, %2d turns over budget, %llu units\n", player.name, player.coins, player.late,
                (unsigned long long)player.units);
  for (auto &player : players)
    luthier_count_task_free(player.task);
}
