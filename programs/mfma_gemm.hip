// devices: gfx908 gfx90a
// also: gfx942 gfx950
// flags: -std=c++17
// A matrix product through LDS tiles and matrix instructions of f32, f16 and bf16, on integers that are exact in all of them.
#include "check.h"

typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef short bf16x2 __attribute__((ext_vector_type(2)));
typedef int i32x4 __attribute__((ext_vector_type(4)));

const int n = 96;

__global__ void single(const float *a, const float *b, float *c) {
    __shared__ float left[32][8], right[8][32];
    int lane = threadIdx.x, row = blockIdx.y * 32, column = blockIdx.x * 32;
    f32x16 sum = {};
    for (int k = 0; k < n; k += 8) {
        for (int i = lane; i < 256; i += 64) {
            left[i / 8][i % 8] = a[(row + i / 8) * n + k + i % 8];
            right[i / 32][i % 32] = b[(k + i / 32) * n + column + i % 32];
        }
        __syncthreads();
        for (int x = 0; x < 8; x += 2)
            sum = __builtin_amdgcn_mfma_f32_32x32x2f32(left[lane % 32][x + lane / 32], right[x + lane / 32][lane % 32], sum, 0, 0, 0);
        __syncthreads();
    }
    for (int r = 0; r < 16; r++)
        c[(row + r / 4 * 8 + lane / 32 * 4 + r % 4) * n + column + lane % 32] = sum[r];
}
__global__ void half(const float *a, const float *b, float *c) {
    int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;
    f32x4 sum = {};
    for (int k = 0; k < n; k += 16) {
        f16x4 x, y;
        for (int i = 0; i < 4; i++) {
            x[i] = _Float16(a[(row + lane % 16) * n + k + lane / 16 * 4 + i]);
            y[i] = _Float16(b[(k + lane / 16 * 4 + i) * n + column + lane % 16]);
        }
        sum = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, sum, 0, 0, 0);
    }
    for (int r = 0; r < 4; r++)
        c[(row + lane / 16 * 4 + r) * n + column + lane % 16] = sum[r];
}
__device__ short brain(float v) { return short(__float_as_int(v) >> 16); }
__global__ void bf16(const float *a, const float *b, float *c) {
    int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;
    f32x4 sum = {};
    for (int k = 0; k < n; k += 8) {
        bf16x2 x, y;
        for (int i = 0; i < 2; i++) {
            x[i] = brain(a[(row + lane % 16) * n + k + lane / 16 * 2 + i]);
            y[i] = brain(b[(k + lane / 16 * 2 + i) * n + column + lane % 16]);
        }
        sum = __builtin_amdgcn_mfma_f32_16x16x8bf16(x, y, sum, 0, 0, 0);
    }
    for (int r = 0; r < 4; r++)
        c[(row + lane / 16 * 4 + r) * n + column + lane % 16] = sum[r];
}
__global__ void bytes(const float *a, const float *b, float *c) {
    int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;
    i32x4 sum = {};
    for (int k = 0; k < n; k += 16) {
        int x = 0, y = 0;
        for (int i = 0; i < 4; i++) {
            x |= (int(a[(row + lane % 16) * n + k + lane / 16 * 4 + i]) & 255) << 8 * i;
            y |= (int(b[(k + lane / 16 * 4 + i) * n + column + lane % 16]) & 255) << 8 * i;
        }
        sum = __builtin_amdgcn_mfma_i32_16x16x16i8(x, y, sum, 0, 0, 0);
    }
    for (int r = 0; r < 4; r++)
        c[(row + lane / 16 * 4 + r) * n + column + lane % 16] = float(sum[r]);
}

int main() {
    std::vector<float> a(n * n), b(n * n), want(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = float(i * 7 % 23 - 11);
        b[i] = float(i * 5 % 19 - 9);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                want[i * n + j] += a[i * n + k] * b[k * n + j];
    Array<float> device_a(a), device_b(b), c(n * n);
    auto check = [&](const char *name, auto kernel, int tile) {
        c.zero();
        kernel<<<dim3(n / tile, n / tile), 64>>>(device_a.data, device_b.data, c.data);
        FINISH();
        auto got = c.get();
        for (int i = 0; i < n * n; i++)
            EXPECT(got[i] == want[i], "%s [%d][%d]: %g instead of %g", name, i / n, i % n, got[i], want[i]);
    };
    check("f32", single, 32);
    check("f16", half, 16);
    check("bf16", bf16, 16);
    check("i8", bytes, 16);
    return verdict();
}
