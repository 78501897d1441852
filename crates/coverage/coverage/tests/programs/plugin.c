/* A library with a HIP of its own inside, which no other library sees. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    unsigned magic, version;
    const void *binary, *unused;
} wrapper = {0x48495046, 1, "", NULL};
static void *module;
static int registered;

void **__hipRegisterFatBinary(const void *data) {
    registered += data == &wrapper;
    return &module;
}

void __hipUnregisterFatBinary(void **handle) { registered -= handle == &module; }

static void expect(int truth, const char *message) {
    if (!truth) {
        fprintf(stderr, "%s\n", message);
        exit(97);
    }
}

void library_run(int lanes) {
    (void)lanes;
    expect(dlsym(RTLD_DEFAULT, "__hipRegisterFatBinary") != NULL, "nothing is in front of HIP");
    void **handle = __hipRegisterFatBinary(&wrapper);
    expect(handle == &module && registered == 1, "not registered");
    __hipUnregisterFatBinary(handle);
    expect(registered == 0, "not unregistered");
}
