// Runs kernels on a GPU as HIP or on the CPU as plain C++, and prints a checksum of their results.
#pragma once

#include <cstdio>
#include <cstdlib>

#ifdef __HIP__
#include <hip/hip_runtime.h>
#define DEVICE __device__
#define KERNEL __global__
#define RUN(kernel, groups, lanes, ...) kernel<<<groups, lanes>>>(__VA_ARGS__)
#else
extern int thread;
#define DEVICE
#define KERNEL
#define RUN(kernel, groups, lanes, ...)                     \
    for (thread = 0; thread < (groups) * (lanes); ++thread) \
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
