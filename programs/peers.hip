// run: --gpus 2
// Two devices: kernels on each, copies between them, access to each other's memory.
#include "check.h"

__global__ void add(int *cells, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] += value;
}

int main() {
    int count = 0;
    HIP(hipGetDeviceCount(&count));
    EXPECT(count == 2, "%d devices", count);
    if (count < 2)
        return verdict();
    const int n = 10000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = i;
    int *cells[2];
    for (int device = 0; device < 2; device++) {
        HIP(hipSetDevice(device));
        HIP(hipMalloc(&cells[device], n * 4));
    }
    HIP(hipSetDevice(0));
    HIP(hipMemcpy(cells[0], in.data(), n * 4, hipMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(cells[0], n, 10);
    FINISH();
    HIP(hipMemcpyPeer(cells[1], 1, cells[0], 0, n * 4));
    HIP(hipSetDevice(1));
    add<<<(n + 255) / 256, 256>>>(cells[1], n, 100);
    FINISH();
    HIP(hipMemcpy(out.data(), cells[1], n * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == i + 110, "[%d] is %d", i, out[i]);
    int can = 0;
    HIP(hipDeviceCanAccessPeer(&can, 1, 0));
    if (can) {
        HIP(hipDeviceEnablePeerAccess(0, 0));
        add<<<(n + 255) / 256, 256>>>(cells[0], n, 1000);
        FINISH();
        HIP(hipMemcpy(out.data(), cells[0], n * 4, hipMemcpyDefault));
        for (int i = 0; i < n; i++)
            EXPECT(out[i] == i + 1010, "on the other device [%d] is %d", i, out[i]);
    } else {
        EXPECT(can, "device 1 cannot access device 0");
    }
    HIP(hipFree(cells[0]));
    HIP(hipFree(cells[1]));
    return verdict();
}
