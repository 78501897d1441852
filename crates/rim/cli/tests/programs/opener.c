// Opens libraries, one after the other. Calls the function `run` of each with the word behind the library's name. With "looked-up", it
// allocates memory by HIP itself and does not free it.
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
