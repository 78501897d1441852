// Data movement between lanes by DPP, its masks and bounds, readlane and writelane, and SDWA-like byte code.
// devices: gfx90a gfx1030 gfx900 gfx906 gfx908
// also: *
#include "check.h"

template <int control, int rows = 15, int banks = 15, bool zero = false> __device__ int dpp(int old, int v) {
    return __builtin_amdgcn_update_dpp(old, v, control, rows, banks, zero);
}

__global__ void moves(int *out) {
    int t = threadIdx.x, v = t + 100;
    int *o = out + t;
    o[0 * 64] = dpp<0x1b>(-1, v);               // quad_perm 3 2 1 0
    o[1 * 64] = dpp<0x4e>(-1, v);               // quad_perm 2 3 0 1
    o[2 * 64] = dpp<0x101>(-1, v);              // row_shl 1
    o[3 * 64] = dpp<0x113>(-1, v);              // row_shr 3
    o[4 * 64] = dpp<0x125>(-1, v);              // row_ror 5
    o[5 * 64] = dpp<0x140>(-1, v);              // row_mirror
    o[6 * 64] = dpp<0x141>(-1, v);              // row_half_mirror
    o[7 * 64] = dpp<0x111, 15, 15, true>(-1, v); // row_shr 1, zero out of bounds
    o[8 * 64] = dpp<0x111, 5, 3>(-1, v);        // row_shr 1 in some rows and banks
    o[9 * 64] = __builtin_amdgcn_mov_dpp(v, 0x0, 15, 15, true); // quad_perm 0 0 0 0
}

// A row sum by DPP, as reductions do it.
__global__ void row_sum(const int *in, int *out) {
    int v = in[threadIdx.x];
    v += dpp<0x118, 15, 15, true>(0, v);
    v += dpp<0x114, 15, 15, true>(0, v);
    v += dpp<0x112, 15, 15, true>(0, v);
    v += dpp<0x111, 15, 15, true>(0, v);
    out[threadIdx.x] = v;
}

// Bytes and half words of packed values; compilers use sub-dword operands here where the target has them.
__global__ void bytes(const uchar4 *a, const ushort2 *b, unsigned *out) {
    uchar4 x = a[threadIdx.x];
    ushort2 y = b[threadIdx.x];
    out[threadIdx.x] = unsigned(x.x) + x.y * x.z + (x.w << 3) + unsigned(y.x) * y.y + (unsigned char)(x.x - x.w);
}

int main() {
    Array<int> out(640);
    moves<<<1, 64>>>(out);
    FINISH();
    auto got = out.get();
    for (int t = 0; t < 64; t++) {
        int row = t & ~15, in_row = t & 15, v = 100;
        int expected[10] = {
            v + (t ^ 3),
            v + (t ^ 2),
            in_row < 15 ? v + t + 1 : -1,
            in_row >= 3 ? v + t - 3 : -1,
            v + row + ((in_row + 11) & 15),
            v + (t ^ 15),
            v + (t ^ 7),
            in_row ? v + t - 1 : 0,
            0,
            v + (t & ~3),
        };
        bool chosen = (5 >> (t / 16 % 4) & 1) && (3 >> (t / 4 % 4) & 1);
        expected[8] = chosen && in_row ? v + t - 1 : -1;
        // In waves of 32, rows 2 and 3 are rows 0 and 1 of the second wave.
        hipDeviceProp_t properties;
        HIP(hipGetDeviceProperties(&properties, 0));
        if (properties.warpSize == 32) {
            chosen = (5 >> (t / 16 % 2) & 1) && (3 >> (t / 4 % 4) & 1);
            expected[8] = chosen && in_row ? v + t - 1 : -1;
        }
        for (int k = 0; k < 10; k++)
            EXPECT(got[k * 64 + t] == expected[k], "case %d lane %d: %d instead of %d", k, t, got[k * 64 + t], expected[k]);
    }
    std::vector<int> in(64);
    for (int i = 0; i < 64; i++)
        in[i] = i * i;
    Array<int> device_in(in);
    row_sum<<<1, 64>>>(device_in, out);
    FINISH();
    got = out.get();
    for (int row = 0; row < 64; row += 16) {
        int sum = 0;
        for (int i = 0; i < 16; i++)
            sum += in[row + i];
        EXPECT(got[row + 15] == sum, "row at %d: %d instead of %d", row, got[row + 15], sum);
    }
    std::vector<uchar4> a(64);
    std::vector<ushort2> b(64);
    Random random;
    for (int i = 0; i < 64; i++) {
        a[i] = make_uchar4(random.next(), random.next(), random.next(), random.next());
        b[i] = make_ushort2(random.next(), random.next());
    }
    Array<uchar4> device_a(a);
    Array<ushort2> device_b(b);
    Array<unsigned> sums(64);
    bytes<<<1, 64>>>(device_a, device_b, sums);
    FINISH();
    auto found = sums.get();
    for (int i = 0; i < 64; i++) {
        uchar4 x = a[i];
        unsigned expected = unsigned(x.x) + x.y * x.z + (x.w << 3) + unsigned(b[i].x) * b[i].y + (unsigned char)(x.x - x.w);
        EXPECT(found[i] == expected, "bytes %d: %u instead of %u", i, found[i], expected);
    }
    return verdict();
}
