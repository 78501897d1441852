#!/bin/sh
# Builds the match and plays it twice. Usage: run.sh [COMMAND], COMMAND being `luthier count` or `luthier-count`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
count=${*:-luthier count}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for bot in nearest_coin deep_thinker; do
  # What participants hand in is built with budget checks ...
  $count c++ --preset portable-1 --budget -std=c++17 -O2 -c "$here/$bot.cpp" -o "$out/$bot.o"
done
# ... and the referee is not counted at all.
include=$($count flags include)
clang++-22 $include -std=c++17 -O2 -c "$here/referee.cpp" -o "$out/referee.o"
$count c++ "$out"/*.o -o "$out/match"
"$out/match" > "$out/first"
"$out/match" > "$out/second"
cmp "$out/first" "$out/second"
cat "$out/first"
