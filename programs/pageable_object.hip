// devices: gfx90a:xnack+
// also: gfx942:xnack+ gfx950:xnack+
// Code that is built for XNACK, which the name of the device asks for.
#include "check.h"

__global__ void fill(int *cells, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        cells[i] = 3 * i;
}

int main() {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    EXPECT(strstr(properties.gcnArchName, ":xnack+"), "%s", properties.gcnArchName);
    std::vector<int> cells(100000);
    fill<<<8, 256>>>(cells.data(), 100000);
    FINISH();
    for (int i = 0; i < 100000; i++)
        EXPECT(cells[i] == 3 * i, "[%d] is %d", i, cells[i]);
    return verdict();
}
