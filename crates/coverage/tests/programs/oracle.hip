// Runs the kernels of kernels.inc, on a GPU as HIP or on the CPU as plain C++, and prints a checksum of their results.
#include <cstdio>
#include <cstdlib>

#ifdef __HIP__
#include <hip/hip_runtime.h>
#define DEVICE __device__
#define KERNEL __global__
#define RUN(kernel, groups, lanes, ...) kernel<<<groups, lanes>>>(__VA_ARGS__)
#else
static int thread;
#define DEVICE
#define KERNEL
#define RUN(kernel, groups, lanes, ...)                                                                                \
    for (thread = 0; thread < (groups) * (lanes); ++thread)                                                            \
    kernel(__VA_ARGS__)
#endif

// A function, not a macro: macro expansions would make the two compilations' regions differ.
static DEVICE int thread_index() {
#ifdef __HIP__
    return blockIdx.x * blockDim.x + threadIdx.x;
#else
    return thread;
#endif
}

#include "kernels.inc"

static const int COUNT = 200;

static int *fresh() {
#ifdef __HIP__
    int *memory;
    if (hipMalloc(&memory, COUNT * sizeof(int)) != hipSuccess)
        abort();
    static int zeros[COUNT];
    if (hipMemcpy(memory, zeros, sizeof zeros, hipMemcpyHostToDevice) != hipSuccess)
        abort();
    return memory;
#else
    return (int *)calloc(COUNT, sizeof(int));
#endif
}

static void print(const char *name, int *memory) {
    int copy[COUNT];
#ifdef __HIP__
    if (hipMemcpy(copy, memory, sizeof copy, hipMemcpyDeviceToHost) != hipSuccess)
        abort();
#else
    for (int i = 0; i < COUNT; ++i)
        copy[i] = memory[i];
#endif
    unsigned sum = 0;
    for (int value : copy)
        sum = sum * 31 + (unsigned)value;
    printf("%s %u\n", name, sum);
}

int main() {
    int *out = fresh();
    RUN(early_exit, 4, 64, out, 190);
    print("early_exit", out);
    RUN(loops, 2, 96, out, 150);
    print("loops", out);
    RUN(templates, 3, 64, out, 170);
    print("templates", out);
    RUN(decisions, 1, 100, out, 100);
    RUN(decisions, 1, 3, out, 2);
    print("decisions", out);
    RUN(uneven, 5, 32, out, 140);
    print("uneven", out);
    return 0;
}
