#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
static const char script[] = "local n = tonumber(SIZE)\n"
                             "local function fib(k) if k < 2 then return k end return fib(k-1) + fib(k-2) end\n"
                             "local t = {}\n"
                             "for i = 1, n * 20 do t[i] = (i * 7919) % 1009 end\n"
                             "table.sort(t)\n"
                             "local words = {}\n"
                             "for i = 1, n * 10 do words[#words+1] = string.format('%d:%s', t[i], string.rep('x', i % 5)) end\n"
                             "local caught = 0\n"
                             "for i = 1, FAILS do if not pcall(error, 'e' .. i) then caught = caught + 1 end end\n"
                             "return fib(12 + n // 40) .. ' ' .. #table.concat(words) .. ' ' .. caught\n";
int main(int argc, char **argv) {
  lua_State *state = luaL_newstate();
  luaL_openlibs(state);
  lua_pushstring(state, argc > 1 ? argv[1] : "100");
  lua_setglobal(state, "SIZE");
  // A second argument leaves errors out: they longjmp, and block profiles cannot see where a block is left.
  lua_pushinteger(state, argc > 2 ? 0 : argc > 1 ? atoi(argv[1]) : 100);
  lua_setglobal(state, "FAILS");
  int failed = luaL_dostring(state, script);
  printf("%d %s\n", failed, lua_tostring(state, -1));
  lua_close(state);
}
