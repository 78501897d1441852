// A shared library with kernels of its own, opened at run time as frameworks do.
#include <hip/hip_runtime.h>

__global__ void library_work(int *out, int lanes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lanes)
        out[i] = i;
}

extern "C" void library_run(int lanes) {
    int *out;
    if (hipMalloc(&out, 1024 * sizeof(int)) != hipSuccess)
        return;
    library_work<<<1, 64>>>(out, lanes);
    (void)hipDeviceSynchronize();
    (void)hipFree(out);
}
