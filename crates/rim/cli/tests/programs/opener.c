// Opens libraries, one after the other, and calls the function `run` of each with the word behind its name. "looked-up" does so without
// such a library: it has HIP itself give memory, which it does not free.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    void *library = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      puts(dlerror());
      return 4;
    }
    if (strcmp(arguments[i + 1], "looked-up")) {
      ((void (*)(const char *))dlsym(library, "run"))(arguments[i + 1]);
    } else {
      void *memory;
      if (((int (*)(void **, size_t))dlsym(library, "hipMalloc"))(&memory, 256))
        return 5;
      puts("done");
    }
  }
  return 0;
}
