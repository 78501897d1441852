#include "text.h"
#include <quickjs.h>
static const char program[] =
    "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
    "let total = fib(12), words = {}, list = [];\n"
    "for (let i = 0; i < rounds; i++) {\n"
    "  const word = 'w' + (i * 7919 % 97);\n"
    "  words[word] = (words[word] || 0) + i;\n"
    "  list.push({ key: i * 31 % 101, text: `${word}-${i}` });\n"
    "}\n"
    "list.sort((a, b) => a.key - b.key || (a.text < b.text ? -1 : 1));\n"
    "class Shape { constructor(n) { this.n = n; } area() { return this.n; } }\n"
    "class Square extends Shape { area() { return super.area() ** 2; } }\n"
    "total += list.map((x, i) => new Square(x.key + i).area()).reduce((a, b) => (a * 31 + b) % 1000003, 7);\n"
    "total += list.filter(x => /w(\\d)\\1?-/.test(x.text)).length;\n"
    "total += JSON.stringify(JSON.parse(JSON.stringify(words))).length;\n"
    "function* steps(n) { for (let i = 0; i < n; i++) yield i; }\n"
    "for (const x of steps(50)) total += x;\n"
    "try { null.x } catch (error) { total += error.message.length }\n"
    "String(total)";
int main(int argc, char **argv) {
  char start[64];
  snprintf(start, sizeof start, "var rounds = %zu;", size_from(argc, argv, 300));
  JSRuntime *runtime = JS_NewRuntime();
  JSContext *context = JS_NewContext(runtime);
  JS_FreeValue(context, JS_Eval(context, start, strlen(start), "start", 0));
  JSValue result = JS_Eval(context, program, sizeof program - 1, "program", 0);
  const char *text = JS_ToCString(context, JS_IsException(result) ? JS_GetException(context) : result);
  printf("%s\n", text);
  JS_FreeCString(context, text);
  JS_FreeValue(context, result);
  JS_FreeContext(context);
  JS_FreeRuntime(runtime);
}
