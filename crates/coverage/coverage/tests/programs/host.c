/* A framework: plain C, not linked to HIP, opens a library of kernels with all symbols hidden from everybody else. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return fprintf(stderr, "%s\n", dlerror()), 99;
    ((void (*)(int))dlsym(library, "library_run"))(10);
    return dlsym(RTLD_DEFAULT, "hipMalloc") ? 98 : 0;
}
