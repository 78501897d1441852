// Random formulas of three literals per clause, near the number of clauses where half of them can be satisfied, and pigeons.
#include "cadical.hpp"
#include <cstdio>
#include <cstdlib>
// Clauses in an arena are sorted by their addresses, and their addresses compared with its bounds: that takes as many steps as the heap's
// place in memory wants.
static void settle(CaDiCaL::Solver &solver) {
  solver.set("arena", 0);
  solver.set("arenasort", 0);
}
static int solve(unsigned seed, int variables, int clauses) {
  CaDiCaL::Solver solver;
  settle(solver);
  unsigned state = seed;
  auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < clauses; i++) {
    for (int k = 0; k < 3; k++) {
      int variable = int(next() % unsigned(variables)) + 1;
      solver.add(next() & 1 ? variable : -variable);
    }
    solver.add(0);
  }
  return solver.solve();
}
static int pigeons(int holes) {
  CaDiCaL::Solver solver;
  settle(solver);
  auto in = [&](int pigeon, int hole) { return pigeon * holes + hole + 1; };
  for (int p = 0; p <= holes; p++) {
    for (int h = 0; h < holes; h++)
      solver.add(in(p, h));
    solver.add(0);
  }
  for (int h = 0; h < holes; h++)
    for (int p = 0; p <= holes; p++)
      for (int q = 0; q < p; q++)
        solver.add(-in(p, h)), solver.add(-in(q, h)), solver.add(0);
  return solver.solve();
}
int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 2;
  unsigned found = 0;
  for (int i = 0; i < rounds; i++)
    found = found * 3 + unsigned(solve(unsigned(i) + 1, 120, 510)) / 10;
  std::printf("%u %d\n", found, pigeons(6));
}
