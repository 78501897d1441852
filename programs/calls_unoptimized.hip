// devices: gfx90a
// flags: -O0
// The calls of calls.hip as debuggers want them: every local variable on a stack whose size launches decide.
#include "calls.hip"
