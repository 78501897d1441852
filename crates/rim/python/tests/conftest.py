"""What tests share: kernels, compiled once."""

import subprocess

import luthier
import pytest

pytest_plugins = ["pytester"]

HIP = """
#include <hip/hip_runtime.h>

extern "C" __global__ void scale(const float *in, float *out, float factor, int count) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count)
        out[index] = in[index] * factor;
}

template <typename T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }
template __global__ void fill<int>(int *, int);
template __global__ void fill<double>(double *, double);
"""

PROGRAM = """
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void fill(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
int main(int count, char **) {
    int *out;
    if (hipMalloc(&out, 4096) != hipSuccess)
        return 9;
    fill<<<4, 256>>>(out);
    if (hipDeviceSynchronize() != hipSuccess)
        return 8;
    puts("filled");
    return count > 1 ? 7 : 0;
}
"""

OPENCL = """
__attribute__((noinline)) int twice(int x) { return 2 * x; }
kernel void reversed(global int *values, local int *room) {
    int item = __builtin_amdgcn_workitem_id_x();
    room[item] = twice(values[item]);
    __builtin_amdgcn_s_barrier();
    values[item] = room[255 - item];
}
kernel void endless(global volatile int *flag) {
    while (!*flag)
        __builtin_amdgcn_s_sleep(1);
}
kernel void wild(global int *out) { *(out + (1l << 40)) = 1; }
"""


@pytest.fixture(scope="session")
def hip():
    return luthier.emulate.compile(HIP, "gfx90a")


@pytest.fixture(scope="session")
def opencl():
    return luthier.emulate.compile(OPENCL, "gfx1100", language="opencl")


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    source = folder / "fill.hip"
    source.write_text(PROGRAM)
    subprocess.run(["hipcc", "--offload-arch=gfx90a", "-O2", "-g", "-w", source, "-o", folder / "fill"], check=True)
    return folder / "fill"
