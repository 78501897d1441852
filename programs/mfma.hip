// devices: gfx908 gfx90a
// also: gfx942 gfx950
// Matrix builtins of every input type, with the operand layouts of AMD's matrix instruction calculator, on small integers.
#include "check.h"

typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x32 __attribute__((ext_vector_type(32)));
typedef double f64x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef short bf16x2 __attribute__((ext_vector_type(2)));
typedef short bf16x4 __attribute__((ext_vector_type(4)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x16 __attribute__((ext_vector_type(16)));

__host__ __device__ inline int value_a(int block, int i, int k) { return (block * 3 + i * 5 + k * 7) % 11 - 5; }
__host__ __device__ inline int value_b(int block, int k, int j) { return (block * 2 + k * 3 + j * 4) % 9 - 4; }
__host__ __device__ inline int value_c(int block, int i, int j) { return (block + i + 2 * j) % 7; }
__device__ inline short brain(int v) { return short(__float_as_int(float(v)) >> 16); }

// Since gfx942 products of bytes take twice as many at once, and those of bfloat16 without `_1k` are gone.
#if defined(__gfx942__) || defined(__gfx950__)
#define HAS_GFX942_PRODUCTS
#endif

// Writes result registers to row-major blocks of M columns; the column is the lane number modulo M.
#define STORE(type, registers, result, M, place_row, place_block) \
    for (int r = 0; r < registers; r++)                           \
        out[(place_block * M + place_row) * M + lane % M] = type(result[r]);

__global__ void f32_32x32x2(float *out) {
    int lane = threadIdx.x;
    f32x16 c;
    for (int r = 0; r < 16; r++)
        c[r] = value_c(0, r / 4 * 8 + lane / 32 * 4 + r % 4, lane % 32);
    f32x16 d =
        __builtin_amdgcn_mfma_f32_32x32x2f32(float(value_a(0, lane % 32, lane / 32)), float(value_b(0, lane / 32, lane % 32)), c, 0, 0, 0);
    STORE(float, 16, d, 32, (r / 4 * 8 + lane / 32 * 4 + r % 4), 0)
}
__global__ void f32_32x32x1_2b(float *out) {
    int lane = threadIdx.x;
    f32x32 c;
    for (int r = 0; r < 32; r++)
        c[r] = value_c(r / 16, r % 16 / 4 * 8 + lane / 32 * 4 + r % 4, lane % 32);
    f32x32 d =
        __builtin_amdgcn_mfma_f32_32x32x1f32(float(value_a(lane / 32, lane % 32, 0)), float(value_b(lane / 32, 0, lane % 32)), c, 0, 0, 0);
    STORE(float, 32, d, 32, (r % 16 / 4 * 8 + lane / 32 * 4 + r % 4), (r / 16))
}
__global__ void f32_16x16x4(float *out) {
    int lane = threadIdx.x;
    f32x4 c;
    for (int r = 0; r < 4; r++)
        c[r] = value_c(0, lane / 16 * 4 + r, lane % 16);
    f32x4 d =
        __builtin_amdgcn_mfma_f32_16x16x4f32(float(value_a(0, lane % 16, lane / 16)), float(value_b(0, lane / 16, lane % 16)), c, 0, 0, 0);
    STORE(float, 4, d, 16, (lane / 16 * 4 + r), 0)
}
__global__ void f32_4x4x1_16b(float *out) {
    int lane = threadIdx.x;
    f32x4 c;
    for (int r = 0; r < 4; r++)
        c[r] = value_c(lane / 4, r, lane % 4);
    f32x4 d = __builtin_amdgcn_mfma_f32_4x4x1f32(float(value_a(lane / 4, lane % 4, 0)), float(value_b(lane / 4, 0, lane % 4)), c, 0, 0, 0);
    STORE(float, 4, d, 4, r, (lane / 4))
}
__global__ void f16_16x16x16(float *out) {
    int lane = threadIdx.x;
    f16x4 a, b;
    f32x4 c;
    for (int k = 0; k < 4; k++) {
        a[k] = _Float16(value_a(0, lane % 16, lane / 16 * 4 + k));
        b[k] = _Float16(value_b(0, lane / 16 * 4 + k, lane % 16));
        c[k] = value_c(0, lane / 16 * 4 + k, lane % 16);
    }
    f32x4 d = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
    STORE(float, 4, d, 16, (lane / 16 * 4 + r), 0)
}
__global__ void f16_32x32x8(float *out) {
    int lane = threadIdx.x;
    f16x4 a, b;
    f32x16 c;
    for (int k = 0; k < 4; k++) {
        a[k] = _Float16(value_a(0, lane % 32, lane / 32 * 4 + k));
        b[k] = _Float16(value_b(0, lane / 32 * 4 + k, lane % 32));
    }
    for (int r = 0; r < 16; r++)
        c[r] = value_c(0, r / 4 * 8 + lane / 32 * 4 + r % 4, lane % 32);
    f32x16 d = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
    STORE(float, 16, d, 32, (r / 4 * 8 + lane / 32 * 4 + r % 4), 0)
}
#ifndef HAS_GFX942_PRODUCTS
__global__ void bf16_16x16x8(float *out) {
    int lane = threadIdx.x;
    bf16x2 a, b;
    f32x4 c;
    for (int k = 0; k < 2; k++) {
        a[k] = brain(value_a(0, lane % 16, lane / 16 * 2 + k));
        b[k] = brain(value_b(0, lane / 16 * 2 + k, lane % 16));
    }
    for (int r = 0; r < 4; r++)
        c[r] = value_c(0, lane / 16 * 4 + r, lane % 16);
    f32x4 d = __builtin_amdgcn_mfma_f32_16x16x8bf16(a, b, c, 0, 0, 0);
    STORE(float, 4, d, 16, (lane / 16 * 4 + r), 0)
}
#else
__global__ void bf16_16x16x8(float *) {}
#endif
#if !defined(__gfx908__)
__global__ void bf16_1k_16x16x16(float *out) {
    int lane = threadIdx.x;
    bf16x4 a, b;
    f32x4 c;
    for (int k = 0; k < 4; k++) {
        a[k] = brain(value_a(0, lane % 16, lane / 16 * 4 + k));
        b[k] = brain(value_b(0, lane / 16 * 4 + k, lane % 16));
        c[k] = value_c(0, lane / 16 * 4 + k, lane % 16);
    }
    f32x4 d = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
    STORE(float, 4, d, 16, (lane / 16 * 4 + r), 0)
}
#else
// gfx908 lacks this one and the double-precision ones.
__global__ void bf16_1k_16x16x16(float *) {}
#endif
#ifndef HAS_GFX942_PRODUCTS
__global__ void i8_16x16x16(float *out) {
    int lane = threadIdx.x, a = 0, b = 0;
    i32x4 c;
    for (int k = 0; k < 4; k++) {
        a |= (value_a(0, lane % 16, lane / 16 * 4 + k) & 255) << 8 * k;
        b |= (value_b(0, lane / 16 * 4 + k, lane % 16) & 255) << 8 * k;
        c[k] = value_c(0, lane / 16 * 4 + k, lane % 16);
    }
    i32x4 d = __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, c, 0, 0, 0);
    STORE(float, 4, d, 16, (lane / 16 * 4 + r), 0)
}
__global__ void i8_32x32x8(float *out) {
    int lane = threadIdx.x, a = 0, b = 0;
    i32x16 c;
    for (int k = 0; k < 4; k++) {
        a |= (value_a(0, lane % 32, lane / 32 * 4 + k) & 255) << 8 * k;
        b |= (value_b(0, lane / 32 * 4 + k, lane % 32) & 255) << 8 * k;
    }
    for (int r = 0; r < 16; r++)
        c[r] = value_c(0, r / 4 * 8 + lane / 32 * 4 + r % 4, lane % 32);
    i32x16 d = __builtin_amdgcn_mfma_i32_32x32x8i8(a, b, c, 0, 0, 0);
    STORE(float, 16, d, 32, (r / 4 * 8 + lane / 32 * 4 + r % 4), 0)
}
__global__ void i8_16x16x32(float *) {}
__global__ void i8_32x32x16(float *) {}
#else
__global__ void i8_16x16x16(float *) {}
__global__ void i8_32x32x8(float *) {}
__global__ void i8_16x16x32(float *out) {
    int lane = threadIdx.x;
    long a = 0, b = 0;
    i32x4 c;
    for (int k = 0; k < 8; k++) {
        a |= (value_a(0, lane % 16, lane / 16 * 8 + k) & 255l) << 8 * k;
        b |= (value_b(0, lane / 16 * 8 + k, lane % 16) & 255l) << 8 * k;
    }
    for (int r = 0; r < 4; r++)
        c[r] = value_c(0, lane / 16 * 4 + r, lane % 16);
    i32x4 d = __builtin_amdgcn_mfma_i32_16x16x32_i8(a, b, c, 0, 0, 0);
    STORE(float, 4, d, 16, (lane / 16 * 4 + r), 0)
}
__global__ void i8_32x32x16(float *out) {
    int lane = threadIdx.x;
    long a = 0, b = 0;
    i32x16 c;
    for (int k = 0; k < 8; k++) {
        a |= (value_a(0, lane % 32, lane / 32 * 8 + k) & 255l) << 8 * k;
        b |= (value_b(0, lane / 32 * 8 + k, lane % 32) & 255l) << 8 * k;
    }
    for (int r = 0; r < 16; r++)
        c[r] = value_c(0, r / 4 * 8 + lane / 32 * 4 + r % 4, lane % 32);
    i32x16 d = __builtin_amdgcn_mfma_i32_32x32x16_i8(a, b, c, 0, 0, 0);
    STORE(float, 16, d, 32, (r / 4 * 8 + lane / 32 * 4 + r % 4), 0)
}
#endif
#if !defined(__gfx908__)
__global__ void f64_16x16x4(float *out) {
    int lane = threadIdx.x;
    f64x4 c;
    for (int r = 0; r < 4; r++)
        c[r] = value_c(0, r * 4 + lane / 16, lane % 16);
    f64x4 d = __builtin_amdgcn_mfma_f64_16x16x4f64(double(value_a(0, lane % 16, lane / 16)), double(value_b(0, lane / 16, lane % 16)), c, 0,
                                                   0, 0);
    STORE(float, 4, d, 16, (r * 4 + lane / 16), 0)
}
__global__ void f64_4x4x4_4b(float *out) {
    int lane = threadIdx.x, block = lane / 4 % 4;
    double d = __builtin_amdgcn_mfma_f64_4x4x4f64(double(value_a(block, lane % 4, lane / 16)), double(value_b(block, lane / 16, lane % 4)),
                                                  double(value_c(block, lane / 16, lane % 4)), 0, 0, 0);
    out[(block * 4 + lane / 16) * 4 + lane % 4] = float(d);
}
#else
__global__ void f64_16x16x4(float *) {}
__global__ void f64_4x4x4_4b(float *) {}
#endif

static void check(const char *name, void (*kernel)(float *), int m, int k, int blocks) {
    Array<float> out(m * m * blocks);
    out.zero();
    kernel<<<1, 64>>>(out);
    FINISH();
    auto got = out.get();
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                int sum = value_c(block, i, j);
                for (int x = 0; x < k; x++)
                    sum += value_a(block, i, x) * value_b(block, x, j);
                float found = got[(block * m + i) * m + j];
                EXPECT(found == sum, "%s block %d [%d][%d]: %g instead of %d", name, block, i, j, found, sum);
            }
}

int main() {
    check("f32 32x32x2", f32_32x32x2, 32, 2, 1);
    check("f32 32x32x1, 2 blocks", f32_32x32x1_2b, 32, 1, 2);
    check("f32 16x16x4", f32_16x16x4, 16, 4, 1);
    check("f32 4x4x1, 16 blocks", f32_4x4x1_16b, 4, 1, 16);
    check("f16 16x16x16", f16_16x16x16, 16, 16, 1);
    check("f16 32x32x8", f16_32x32x8, 32, 8, 1);
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    if (strncmp(properties.gcnArchName, "gfx90", 5) == 0) {
        check("bf16 16x16x8", bf16_16x16x8, 16, 8, 1);
        check("i8 16x16x16", i8_16x16x16, 16, 16, 1);
        check("i8 32x32x8", i8_32x32x8, 32, 8, 1);
    } else {
        check("i8 16x16x32", i8_16x16x32, 16, 32, 1);
        check("i8 32x32x16", i8_32x32x16, 32, 16, 1);
    }
    if (strncmp(properties.gcnArchName, "gfx908", 6) != 0) {
        check("bf16 1k 16x16x16", bf16_1k_16x16x16, 16, 16, 1);
        check("f64 16x16x4", f64_16x16x4, 16, 4, 1);
        check("f64 4x4x4, 4 blocks", f64_4x4x4_4b, 4, 4, 4);
    }
    return verdict();
}
