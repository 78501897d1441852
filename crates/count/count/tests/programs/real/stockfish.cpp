// Moves generated, made and taken back, of positions whose numbers are known (chessprogramming.org, "Perft Results"). The search is
// not run: its threads wait for each other as often as they are not ready, and it looks at the clock.
#include "bitboard.h"
#include "perft.h"
#include "position.h"
#include <cstdio>
#include <cstdlib>
#include <iterator>
using namespace Stockfish;
struct Known {
  const char *position;
  int depth;
  unsigned long moves;
};
static const Known known[] = {
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197281},
    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97862},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43238},
    {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9467},
    {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62379},
};
int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  Bitboards::init();
  Position::init();
  for (int i = 0; i < rounds; i++)
    for (const Known &one : known)
      if (Benchmark::perft(one.position, one.depth, false) != one.moves)
        return 1;
  std::puts("as known");
}
