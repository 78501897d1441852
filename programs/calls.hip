// Recursion, function pointers, virtual calls and lambdas.
#include "check.h"

__device__ __attribute__((noinline)) int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __attribute__((noinline)) unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__device__ bool is_odd(unsigned n);
__device__ __attribute__((noinline)) bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__device__ __attribute__((noinline)) bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

typedef int (*Operation)(int, int);
__device__ __attribute__((noinline)) int add(int a, int b) { return a + b; }
__device__ __attribute__((noinline)) int multiply(int a, int b) { return a * b; }
__device__ __attribute__((noinline)) int subtract(int a, int b) { return a - b; }
__device__ Operation operations[3] = {add, multiply, subtract};

// Pointers that one kernel puts into memory for another, whose callees read what their caller does not.
__device__ __attribute__((noinline)) void number(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__device__ __attribute__((noinline)) void threads(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = blockDim.x; }
typedef void (*Writer)(int *);
template <Writer W> __global__ void tell(Writer *where) { *where = W; }
__global__ void call(const Writer *writer, int *out) { (*writer)(out); }

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
    __device__ virtual int sides() const { return 0; }
};
struct Square : Shape {
    int a;
    __device__ Square(int x) : a(x) {}
    __device__ int area() const override { return a * a; }
    __device__ int sides() const override { return 4; }
};
struct Oblong : Shape {
    int a, b;
    __device__ Oblong(int x, int y) : a(x), b(y) {}
    __device__ int area() const override { return a * b; }
    __device__ int sides() const override { return 4; }
};
struct Circle : Shape {
    int r;
    __device__ Circle(int x) : r(x) {}
    __device__ int area() const override { return 3 * r * r; }
};

__global__ void recurse(int *out) {
    int t = threadIdx.x;
    out[t] = fibonacci(t % 16);
    out[64 + t] = ackermann(2, t % 8);
    out[128 + t] = is_even(t) ? 1 : 2;
}
__global__ void point(int *out, int shift) {
    int t = threadIdx.x;
    Operation mine = operations[(t + shift) % 3];
    out[t] = mine(t, 7);
}
__global__ void shapes(int *out) {
    int t = threadIdx.x;
    Square square(t);
    Oblong oblong(t, 2);
    Circle circle(t);
    const Shape *all[3] = {&square, &oblong, &circle};
    const Shape *mine = all[t % 3];
    out[t] = mine->area() * 10 + mine->sides();
}
template <typename F> __global__ void apply(F f, int *out) { out[threadIdx.x] = f(threadIdx.x); }

int main() {
#if HIP_VERSION_MAJOR >= 6
    // Code for debuggers has large frames, and HIP 7.2 gives a lane no more than 1 KiB unless it is told to.
    HIP(hipDeviceSetLimit(hipLimitStackSize, 16384));
#endif
    Array<int> out(192);
    recurse<<<1, 64>>>(out);
    FINISH();
    auto got = out.get();
    int f[16] = {0, 1};
    for (int i = 2; i < 16; i++)
        f[i] = f[i - 1] + f[i - 2];
    for (int t = 0; t < 64; t++) {
        EXPECT(got[t] == f[t % 16], "fibonacci %d: %d", t % 16, got[t]);
        EXPECT(got[64 + t] == 2 * (t % 8) + 3, "ackermann 2 %d: %d", t % 8, got[64 + t]);
        EXPECT(got[128 + t] == 1 + t % 2, "parity of %d", t);
    }
    Array<Writer> writer(1);
    tell<number><<<1, 1>>>(writer);
    call<<<2, 32>>>(writer, out);
    FINISH();
    got = out.get();
    for (int t = 0; t < 64; t++)
        EXPECT(got[t] == t % 32, "number %d: %d", t, got[t]);
    tell<threads><<<1, 1>>>(writer);
    call<<<2, 32>>>(writer, out);
    FINISH();
    got = out.get();
    for (int t = 0; t < 64; t++)
        EXPECT(got[t] == 32, "threads at %d: %d", t, got[t]);
    for (int shift = 0; shift < 3; shift++) {
        point<<<1, 64>>>(out, shift);
        FINISH();
        got = out.get();
        for (int t = 0; t < 64; t++) {
            int k = (t + shift) % 3, expected = k == 0 ? t + 7 : k == 1 ? t * 7 : t - 7;
            EXPECT(got[t] == expected, "operation %d of %d: %d", k, t, got[t]);
        }
    }
    shapes<<<1, 64>>>(out);
    FINISH();
    got = out.get();
    for (int t = 0; t < 64; t++) {
        int expected = t % 3 == 0 ? t * t * 10 + 4 : t % 3 == 1 ? t * 20 + 4 : 30 * t * t;
        EXPECT(got[t] == expected, "shape of %d: %d instead of %d", t, got[t], expected);
    }
    int factor = 6;
    apply<<<1, 64>>>([factor] __device__(int i) { return i * factor; }, out.data);
    FINISH();
    got = out.get();
    for (int t = 0; t < 64; t++)
        EXPECT(got[t] == 6 * t, "lambda of %d: %d", t, got[t]);
    return verdict();
}
