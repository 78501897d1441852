// Inline assembly: scalar, vector and memory instructions with several addressing modes.
// devices: gfx90a gfx1030 gfx900
// also: *
#include "check.h"

__global__ void arithmetic(unsigned *out, int n) {
    unsigned lane = threadIdx.x, v, w, x, y, z;
    asm volatile("v_add3_u32 %0, %1, %2, 7" : "=v"(v) : "v"(lane), "s"(n));
    asm volatile("v_lshl_or_b32 %0, %1, 4, %1" : "=v"(w) : "v"(lane));
    asm volatile("v_bfe_u32 %0, %1, 2, 3" : "=v"(x) : "v"(lane * 37));
    asm volatile("v_perm_b32 %0, %1, %2, %3" : "=v"(y) : "v"(lane), "v"(~lane), "s"(0x05010400));
    asm volatile("s_mul_i32 %0, %1, -3\n\ts_bitset1_b32 %0, 20\n\ts_add_u32 %0, %0, 0x12345" : "=s"(z) : "s"(n) : "scc");
    out[lane * 8] = v;
    out[lane * 8 + 1] = w;
    out[lane * 8 + 2] = x;
    out[lane * 8 + 3] = y;
    out[lane * 8 + 4] = z;
    float f = lane, g;
    asm volatile("v_fma_f32 %0, -%1, |%2|, 2.0" : "=v"(g) : "v"(f), "v"(-f));
    out[lane * 8 + 5] = __float_as_int(g);
    asm volatile("v_max_f32 %0, %1, %1 clamp" : "=v"(g) : "v"(f * 0.0625f - 1));
    out[lane * 8 + 6] = __float_as_int(g);
    unsigned half;
    asm volatile("v_pk_add_u16 %0, %1, %2 op_sel:[0,1] op_sel_hi:[1,0]" : "=v"(half) : "v"(lane * 0x10001u), "v"(0x00200010u));
    out[lane * 8 + 7] = half;
}

__global__ void memory(const unsigned *in, unsigned *out) {
    unsigned lane = threadIdx.x, a, b, c;
    const unsigned *mine = in + lane;
    asm volatile("global_load_dword %0, %1, off offset:256\n\ts_waitcnt vmcnt(0)" : "=v"(a) : "v"(mine) : "memory");
    asm volatile("global_load_dword %0, %1, %2 offset:-4\n\ts_waitcnt vmcnt(0)" : "=v"(b) : "v"(lane * 4 + 4), "s"(in) : "memory");
    asm volatile("flat_load_dword %0, %1\n\ts_waitcnt vmcnt(0) lgkmcnt(0)" : "=v"(c) : "v"(mine) : "memory");
    uint2 pair;
    asm volatile("global_load_dwordx2 %0, %1, off\n\ts_waitcnt vmcnt(0)" : "=v"(pair) : "v"(in + 2 * lane) : "memory");
    unsigned short low;
    unsigned narrow;
    asm volatile("global_load_ubyte %0, %1, off offset:1\n\ts_waitcnt vmcnt(0)" : "=v"(narrow) : "v"(mine) : "memory");
    unsigned s;
    asm volatile("s_load_dword %0, %1, 0x8\n\ts_waitcnt lgkmcnt(0)" : "=s"(s) : "s"(in) : "memory");
    unsigned wide[4];
    typedef unsigned quad __attribute__((ext_vector_type(4)));
    quad q;
    asm volatile("s_load_dwordx4 %0, %1, 0x10\n\ts_waitcnt lgkmcnt(0)" : "=s"(q) : "s"(in) : "memory");
    (void)low;
    (void)wide;
    unsigned *o = out + lane * 8;
    asm volatile("global_store_dword %0, %1, off" ::"v"(o), "v"(a) : "memory");
    asm volatile("global_store_dword %0, %1, %2 offset:4" ::"v"(lane * 32), "v"(b), "s"(out) : "memory");
    asm volatile("flat_store_dword %0, %1" ::"v"(o + 2), "v"(c) : "memory");
    o[3] = pair.x + pair.y;
    o[4] = narrow;
    o[5] = s;
    o[6] = q.x + q.w;
    o[7] = 0;
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
}

__global__ void lds(unsigned *out) {
    __shared__ unsigned cells[256];
    unsigned lane = threadIdx.x, base = (unsigned)(size_t)(__attribute__((address_space(3))) unsigned *)cells, a;
    cells[lane] = lane;
    cells[lane + 64] = lane * 3;
    cells[lane + 128] = lane * 5;
    cells[lane + 192] = 0;
    __syncthreads();
    uint2 two;
    asm volatile("ds_read2_b32 %0, %1 offset0:0 offset1:64\n\ts_waitcnt lgkmcnt(0)" : "=v"(two) : "v"(base + 4 * lane) : "memory");
    asm volatile("ds_read_b32 %0, %1 offset:512\n\ts_waitcnt lgkmcnt(0)" : "=v"(a) : "v"(base + 4 * lane) : "memory");
    asm volatile("ds_write_b32 %0, %1 offset:768\n\ts_waitcnt lgkmcnt(0)" ::"v"(base + 4 * (63 - lane)), "v"(lane + 1) : "memory");
    // With 32 lanes a wave, another wave has written the cell.
    __syncthreads();
    unsigned old;
    asm volatile("ds_add_rtn_u32 %0, %1, %2 offset:768\n\ts_waitcnt lgkmcnt(0)" : "=v"(old) : "v"(base + 4 * lane), "v"(100) : "memory");
    __syncthreads();
    out[lane * 4] = two.x + two.y;
    out[lane * 4 + 1] = a;
    out[lane * 4 + 2] = cells[192 + lane];
    out[lane * 4 + 3] = old;
}

int main() {
    Array<unsigned> out(512);
    arithmetic<<<1, 64>>>(out, 1000);
    FINISH();
    auto got = out.get();
    for (unsigned t = 0; t < 64; t++) {
        unsigned *g = &got[t * 8];
        float f, e;
        EXPECT(g[0] == t + 1007, "add3 of %u: %u", t, g[0]);
        EXPECT(g[1] == (t << 4 | t), "lshl_or of %u: %u", t, g[1]);
        EXPECT(g[2] == (t * 37 >> 2 & 7), "bfe of %u: %u", t, g[2]);
        // Bytes 0 to 3 of the selector: 0 and 1 take from the second source, 4 and 5 from the first.
        unsigned perm = (~t & 255) | (t & 255) << 8 | (~t >> 8 & 255) << 16 | (t >> 8 & 255) << 24;
        EXPECT(g[3] == perm, "perm of %u: %x instead of %x", t, g[3], perm);
        EXPECT(g[4] == ((unsigned(-3000) | 1u << 20) + 0x12345), "scalar: %x", g[4]);
        memcpy(&f, &g[5], 4);
        e = 2 - float(t) * float(t);
        EXPECT(f == e, "fma of %u: %g instead of %g", t, f, e);
        memcpy(&f, &g[6], 4);
        e = std::fmin(1.f, std::fmax(0.f, t * 0.0625f - 1));
        EXPECT(f == e, "clamp of %u: %g instead of %g", t, f, e);
        EXPECT(g[7] == ((t + 0x10) << 16 | (t + 0x20)), "packed add of %u: %x", t, g[7]);
    }
    std::vector<unsigned> in(512);
    for (unsigned i = 0; i < 512; i++)
        in[i] = i * 0x01030507u;
    Array<unsigned> device_in(in);
    memory<<<1, 64>>>(device_in, out);
    FINISH();
    got = out.get();
    for (unsigned t = 0; t < 64; t++) {
        unsigned expected[8] = {in[t + 64], in[t], in[t], in[2 * t] + in[2 * t + 1], in[t] >> 8 & 255, in[2], in[4] + in[7], 0};
        for (int k = 0; k < 8; k++)
            EXPECT(got[t * 8 + k] == expected[k], "memory case %d of %u: %x instead of %x", k, t, got[t * 8 + k], expected[k]);
    }
    lds<<<1, 64>>>(out);
    FINISH();
    got = out.get();
    for (unsigned t = 0; t < 64; t++) {
        EXPECT(got[t * 4] == 4 * t, "read2 of %u: %u", t, got[t * 4]);
        EXPECT(got[t * 4 + 1] == 5 * t, "read of %u: %u", t, got[t * 4 + 1]);
    }
    return verdict();
}
