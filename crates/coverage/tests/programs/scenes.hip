// One short story per argument; each says how often `work` must have been executed, by lanes.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "luthier_coverage.h"

__global__ void work(int *out, int lanes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lanes)
        out[i] = i;
}

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        hipError_t error = (call);                                                                                     \
        if (error != hipSuccess) {                                                                                     \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error));                                              \
            exit(99);                                                                                                  \
        }                                                                                                              \
    } while (0)

static void run(int lanes) {
    int *out;
    CHECK(hipMalloc(&out, 1024 * sizeof(int)));
    work<<<(lanes + 63) / 64, 64>>>(out, lanes);
    CHECK(hipDeviceSynchronize());
    CHECK(hipFree(out));
}

// The module's kernel is the same as this file's, in an image of its own.
static void run_module(const char *path, int times) {
    hipModule_t module;
    hipFunction_t function;
    CHECK(hipModuleLoad(&module, path));
    CHECK(hipModuleGetFunction(&function, module, "module_work"));
    int *out;
    CHECK(hipMalloc(&out, 1024 * sizeof(int)));
    int lanes = 10;
    void *arguments[] = {&out, &lanes};
    for (int i = 0; i < times; ++i)
        CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(hipDeviceSynchronize());
    CHECK(hipModuleUnload(module));
    CHECK(hipFree(out));
}

int main(int count, char **arguments) {
    auto is = [&](const char *name) { return count > 1 && !strcmp(arguments[1], name); };
    if (is("status")) {
        run(10);
        return 7;
    }
    if (is("exit-in-thread")) {
        run(10);
        std::thread([] { exit(3); }).join();
    }
    if (is("quick-exit")) {
        run(10);
        quick_exit(4);
    }
    if (is("immediate-exit")) {
        run(10);
        _exit(5);
    }
    if (is("abort")) {
        run(10);
        abort();
    }
    if (is("uncaught")) {
        run(10);
        throw 1;
    }
    if (is("segfault")) {
        run(10);
        *(volatile int *)8 = 1;
    }
    if (is("device-fault")) {
        run(10);
        work<<<1, 64>>>((int *)0x10000, 10);
        (void)hipDeviceSynchronize();
        return 95;
    }
    if (is("wait")) {
        run(10);
        puts("ready");
        fflush(stdout);
        for (;;)
            sleep(60);
    }
    if (is("devices")) {
        int devices;
        CHECK(hipGetDeviceCount(&devices));
        for (int i = 0; i < devices; ++i) {
            CHECK(hipSetDevice(i));
            run(10 * (i + 1));
        }
        return 0;
    }
    if (is("module")) {
        for (int i = 0; i < 3; ++i)
            run_module(arguments[2], i + 1);
        return 0;
    }
    if (is("library")) {
        void *library = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return fprintf(stderr, "%s\n", dlerror()), 99;
        ((void (*)(int))dlsym(library, "library_run"))(10);
        if (count > 3)
            dlclose(library);
        return 0;
    }
    if (is("fork-before")) {
        pid_t child = fork();
        run(child ? 10 : 20);
        if (child)
            waitpid(child, nullptr, 0);
        return 0;
    }
    if (is("fork-after")) {
        run(10);
        pid_t child = fork();
        // Nothing of HIP works in a child, not even its exit handlers.
        if (!child)
            _exit(0);
        int status;
        waitpid(child, &status, 0);
        run(10);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
    }
    if (is("interface")) {
        run(10);
        if (luthier_coverage_reset_if_present() != 0)
            return 98;
        run(7);
        if (luthier_coverage_dump_if_present() != 0)
            return 97;
        run(7);
        return 0;
    }
    if (is("threads")) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([] {
                for (int k = 0; k < 5; ++k) {
                    run(10);
                    luthier_coverage_dump_if_present();
                }
            });
        for (auto &thread : threads)
            thread.join();
        return 0;
    }
    run(10);
    return 0;
}
