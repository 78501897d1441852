#include "text.h"
#include <quickjs.h>
#include <sys/mman.h>
static const char program[] = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
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
// QuickJS hashes addresses of objects, and collects garbage by the results of `malloc_usable_size`. Its memory is
// therefore at the same address in every run, in blocks of powers of two that store how much was asked for.
#define ARENA ((char *)0x100000000000)
#define ARENA_SIZE ((size_t)4 << 30)
typedef struct Block {
  size_t size;        // asked for
  struct Block *next; // of the free ones
} Block;
static char *fresh;
static Block *free_blocks[48];
static unsigned order_of(size_t size) { return 64 - (unsigned)__builtin_clzl(size + sizeof(Block) - 1); }
static size_t size_of(const void *memory) { return memory ? ((const Block *)memory - 1)->size : 0; }
static void *allocate(JSMallocState *state, size_t size) {
  unsigned order = order_of(size);
  Block *block = free_blocks[order];
  if (block) {
    free_blocks[order] = block->next;
  } else {
    block = (Block *)fresh;
    if ((size_t)1 << order > (size_t)(ARENA + ARENA_SIZE - fresh))
      exit(3);
    fresh += (size_t)1 << order;
  }
  block->size = size;
  state->malloc_size += size;
  return block + 1;
}
static void give_back(JSMallocState *state, void *memory) {
  if (!memory)
    return;
  Block *block = (Block *)memory - 1;
  unsigned order = order_of(block->size);
  state->malloc_size -= block->size;
  block->next = free_blocks[order];
  free_blocks[order] = block;
}
static void *resize(JSMallocState *state, void *memory, size_t size) {
  size_t old = size_of(memory);
  void *made = NULL;
  if (size && memory && order_of(size) == order_of(old)) {
    ((Block *)memory - 1)->size = size;
    state->malloc_size += size - old;
    return memory;
  }
  if (size) {
    made = allocate(state, size);
    memcpy(made, memory, old < size ? old : size);
  }
  give_back(state, memory);
  return made;
}
static const JSMallocFunctions functions = {allocate, give_back, resize, size_of};

int main(int argc, char **argv) {
  char start[64];
  snprintf(start, sizeof start, "var rounds = %zu;", size_from(argc, argv, 300));
  fresh = mmap(ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (fresh != ARENA)
    return 4;
  JSRuntime *runtime = JS_NewRuntime2(&functions, NULL);
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
