// devices: gfx90a gfx1030
// One kernel, launched four times: three times with 256 work-items, then with 512.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void add_one(int *values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main() {
    int *values = nullptr;
    if (hipMalloc(&values, 512 * sizeof(int)) != hipSuccess || hipMemset(values, 0, 512 * sizeof(int)) != hipSuccess)
        return 1;
    for (int blocks : {4, 4, 4, 8})
        add_one<<<blocks, 64>>>(values);
    int result[512];
    if (hipMemcpy(result, values, sizeof result, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    for (int index = 0; index < 512; ++index)
        if (int expected = index < 256 ? 4 : 1; result[index] != expected) {
            printf("value %d is %d, not %d\n", index, result[index], expected);
            return 1;
        }
    return 0;
}
