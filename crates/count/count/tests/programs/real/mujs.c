#include "text.h"
#include <mujs.h>
static const char program[] = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
                              "var total = fib(11), words = {}, list = [];\n"
                              "for (var i = 0; i < rounds; i++) {\n"
                              "  var word = 'w' + (i * 7919 % 97);\n"
                              "  words[word] = (words[word] || 0) + i;\n"
                              "  list.push({ key: i * 31 % 101, text: word + '-' + i });\n"
                              "}\n"
                              "list.reverse();\n"
                              "for (i = 0; i < list.length; i++) total = (total * 31 + list[i].key + list[i].text.length) % 1000003;\n"
                              "for (i in words) total += words[i];\n"
                              "total += JSON.stringify(words).length + 'aXbXc'.replace(/X/g, '--').length;\n"
                              "try { null.x } catch (error) { total += 3 }\n"
                              "result = String(total);";
int main(int argc, char **argv) {
  js_State *state = js_newstate(NULL, NULL, 0);
  js_newnumber(state, (double)size_from(argc, argv, 200));
  js_setglobal(state, "rounds");
  int status = js_dostring(state, program);
  js_getglobal(state, "result");
  printf("%d %s\n", status, js_tostring(state, -1));
  js_freestate(state);
}
