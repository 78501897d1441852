// One short story per argument; each says how often `work` must have been executed, by lanes.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <string>
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

#define CHECK(call)                                                       \
    do {                                                                  \
        hipError_t error = (call);                                        \
        if (error != hipSuccess) {                                        \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error)); \
            exit(99);                                                     \
        }                                                                 \
    } while (0)

static void run(int lanes) {
    int *out;
    CHECK(hipMalloc(&out, 1024 * sizeof(int)));
    work<<<(lanes + 63) / 64, 64>>>(out, lanes);
    CHECK(hipDeviceSynchronize());
    CHECK(hipFree(out));
}

static void launch(hipModule_t module, const char *kernel, int groups, int lanes) {
    hipFunction_t function;
    CHECK(hipModuleGetFunction(&function, module, kernel));
    int *out;
    CHECK(hipMalloc(&out, 1024 * sizeof(int)));
    void *arguments[] = {&out, &lanes};
    CHECK(hipModuleLaunchKernel(function, groups, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(hipDeviceSynchronize());
    CHECK(hipFree(out));
}

// Loads a module, launches its kernel and unloads it; prints where it was.
static void run_module(const char *path, const char *kernel, int times) {
    hipModule_t module;
    hipDeviceptr_t marker;
    size_t size;
    CHECK(hipModuleLoad(&module, path));
    CHECK(hipModuleGetGlobal(&marker, &size, module, "module_marker"));
    printf("%s %p\n", kernel, (void *)marker);
    for (int i = 0; i < times; ++i)
        launch(module, kernel, 1, 10);
    CHECK(hipModuleUnload(module));
}

// Compiles a program and runs its kernel; the status of the compilation.
static hiprtcResult run_rtc(const char *source, const char *name, const char *expression) {
    hiprtcProgram program;
    const char *headers[] = {"#define FIRST_LANE 0\n"}, *names[] = {"part.h"};
    if (hiprtcCreateProgram(&program, source, name, 1, headers, names) != HIPRTC_SUCCESS)
        exit(94);
    if (expression)
        hiprtcAddNameExpression(program, expression);
    const char *options[] = {"-O1"};
    hiprtcResult result = hiprtcCompileProgram(program, 1, options);
    if (result != HIPRTC_SUCCESS) {
        size_t size;
        hiprtcGetProgramLogSize(program, &size);
        std::string log(size, 0);
        hiprtcGetProgramLog(program, &log[0]);
        puts(log.c_str());
        return result;
    }
    const char *kernel = "rtc_work";
    if (expression)
        hiprtcGetLoweredName(program, expression, &kernel);
    size_t size;
    hiprtcGetCodeSize(program, &size);
    std::vector<char> code(size);
    hiprtcGetCode(program, code.data());
    hipModule_t module;
    CHECK(hipModuleLoadData(&module, code.data()));
    launch(module, kernel, 1, 10);
    CHECK(hipModuleUnload(module));
    hiprtcDestroyProgram(&program);
    return result;
}

// Runtimes before this one had programs call these.
extern "C" {
__attribute__((weak)) void __llvm_profile_offload_register_shadow(void *);
__attribute__((weak)) void __llvm_profile_offload_register_section_shadow(void *);
__attribute__((weak)) void __llvm_profile_offload_register_dynamic_module(int, void **, void *);
__attribute__((weak)) int __llvm_profile_hip_collect_device_data(void);
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
    // Another program in place of this one, by every function that there is; `becomes` says which.
    if (is("become")) {
        const char *how = arguments[2];
        auto by = [&](const char *name) { return !strcmp(how, name); };
        char self[] = "/proc/self/exe", *words[] = {arguments[0], (char *)"status", nullptr};
        char *gone[] = {(char *)"gone", nullptr};
        run(10);
        // One that does not start: this one goes on.
        if (execv("/nowhere", gone) != -1 || execl("/nowhere", "a", (char *)nullptr) != -1)
            return 90;
        run(10);
        if (by("execv"))
            execv(self, words);
        if (by("execve"))
            execve(self, words, environ);
        if (by("execvp"))
            execvp(self, words);
        if (by("execl"))
            execl(self, arguments[0], "status", (char *)nullptr);
        if (by("execl-long"))
            execl(self, arguments[0], "status", "3", "4", "5", "6", "7", "8", "9", (char *)nullptr);
        if (by("execlp"))
            execlp(self, arguments[0], "status", "3", "4", "5", "6", "7", (char *)nullptr);
        if (by("execle"))
            execle(self, arguments[0], "status", "3", "4", "5", "6", "7", (char *)nullptr, environ);
        if (by("fexecve"))
            fexecve(open(self, O_RDONLY), words, environ);
        return 91;
    }
    if (is("killed")) {
        run(10);
        pid_t child = fork();
        if (!child) {
            execl("/proc/self/exe", arguments[0], "kill", (char *)nullptr);
            _exit(91);
        }
        int status;
        waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? 0 : 92;
    }
    if (is("kill")) {
        run(10);
        raise(SIGKILL);
    }
    if (is("spawn")) {
        run(10);
        pid_t child;
        char *words[] = {arguments[0], (char *)"status", nullptr};
        if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, words, environ) != 0)
            return 91;
        int status;
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    }
    if (is("uncaught")) {
        run(10);
        throw 1;
    }
    if (is("raise")) {
        // The process that started this one may have ignored it.
        int number = atoi(arguments[2]);
        signal(number, SIG_DFL);
        run(10);
        raise(number);
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
    if (is("idle")) {
        void *memory;
        CHECK(hipMalloc(&memory, 4));
        return 0;
    }
    if (is("module")) {
        for (int i = 0; i < 3; ++i)
            run_module(arguments[2], "module_work", i + 1);
        return 0;
    }
    if (is("reload")) {
        for (int i = 0; i < 4; ++i) {
            run_module(arguments[2], "module_work", 1);
            run_module(arguments[3], "other_work", 2);
        }
        return 0;
    }
    if (is("pick")) {
        hipModule_t module;
        CHECK(hipModuleLoad(&module, arguments[2]));
        for (int i = 3; i < count; ++i) {
            hipFunction_t function;
            CHECK(hipModuleGetFunction(&function, module, arguments[i]));
            CHECK(hipModuleLaunchKernel(function, i - 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr));
        }
        CHECK(hipDeviceSynchronize());
        return 0;
    }
    if (is("rtc")) {
        run_rtc("#include \"part.h\"\n"
                "extern \"C\" __global__ void rtc_work(int *out, int lanes) {\n"
                "    int i = threadIdx.x;\n"
                "    if (i >= FIRST_LANE && i < lanes)\n"
                "        out[i] = i;\n"
                "}\n",
                "plain.hip", nullptr);
        run_rtc("template <typename T> __global__ void generic(T *out, int lanes) {\n"
                "    for (int i = threadIdx.x; i < lanes; i += 4)\n"
                "        out[i] = i;\n"
                "}\n",
                nullptr, "generic<int>");
        return run_rtc("no program at all", "broken.hip", nullptr) == HIPRTC_ERROR_COMPILATION ? 0 : 93;
    }
    if (is("legacy")) {
        if (!__llvm_profile_hip_collect_device_data)
            return 92;
        __llvm_profile_offload_register_shadow(&count);
        __llvm_profile_offload_register_section_shadow(&count);
        __llvm_profile_offload_register_dynamic_module(1, nullptr, &count);
        run(10);
        int status = __llvm_profile_hip_collect_device_data();
        // Nothing after this writes: what the call wrote is what there is.
        raise(SIGKILL);
        return status;
    }
    if (is("late")) {
        // Registered before the runtime starts, so it runs after every handler of the runtime and of its tools. HIP has
        // already forgotten the main thread by then, so another one does it.
        atexit([] { std::thread(run, 20).join(); });
        run(10);
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
