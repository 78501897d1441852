// The program's own functions for memory count, and ask for the count. Argument: a library, which is closed meanwhile.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
uint64_t luthier_count_process(void);

static char pool[1 << 22] __attribute__((aligned(16)));
static size_t used;
static volatile int asks, asked;

static void ask(void) {
  if (asks && luthier_count_process() > 0)
    ++asked;
}

void *malloc(size_t size) {
  ask();
  // In front of each piece: its size.
  size_t whole = (size + 31) / 16 * 16;
  size_t at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
  if (at + whole > sizeof pool)
    _exit(3);
  *(size_t *)(pool + at) = size;
  return pool + at + 16;
}

void *calloc(size_t count, size_t size) { return malloc(count * size); }

void *realloc(void *old, size_t size) {
  size_t before = old ? ((size_t *)old)[-2] : 0;
  void *new = malloc(size);
  memcpy(new, old ? old : new, before < size ? before : size);
  return new;
}

void free(void *old) {
  (void)old;
  ask();
}

int main(int count, char **words) {
  alarm(300); // instead of never
  for (int round = 0; round < 3; ++round) {
    void *library = dlopen(words[count - 1], RTLD_NOW);
    if (!library)
      return 1;
    ((int (*)(int))dlsym(library, "spin"))(100);
    asks = 1;
    dlclose(library);
    asks = 0;
  }
  return asked == 0;
}
