// Calls of functions that the compiler does not know: virtual ones, and through a pointer in memory.
#include <cstdio>
#include <hip/hip_runtime.h>

struct Shape {
    __device__ virtual int area(int x) { return x; }
};
struct Square : Shape {
    __device__ int area(int x) override { return x % 4 == 0 ? 1 : x * x; }
};

__device__ __attribute__((noinline)) int ask(Shape *shape, int x) { return shape->area(x); }
__device__ int twice(int x) { return x > 40 ? 2 * x : x; }
__device__ int thrice(int x) { return 3 * x; }

using Function = int (*)(int);
__device__ Function functions[2] = {twice, thrice};

__global__ void call(int *out) {
    int lane = threadIdx.x;
    Square square;
    Shape shape;
    int sum = ask(lane < 48 ? &square : &shape, lane);
    out[lane] = sum + functions[lane & 1](lane);
}

int main() {
    int *out = nullptr, sum = 0, host[64];
    if (hipMalloc(reinterpret_cast<void **>(&out), sizeof host) != hipSuccess)
        return 9;
    call<<<1, 64>>>(out);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
        return 8;
    for (int value : host)
        sum += value;
    std::printf("%d\n", sum);
}
