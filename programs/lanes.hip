// Shuffles, votes and active masks, with and without divergence, in the wave size of the build.
#include "check.h"

__global__ void exchanges(int *out, unsigned long long *masks, int n) {
    int t = threadIdx.x, lane = t % warpSize;
    int v = t * 10 + 1;
    out[0 * n + t] = __shfl(v, 5);
    out[1 * n + t] = __shfl_up(v, 3);
    out[2 * n + t] = __shfl_down(v, 7);
    out[3 * n + t] = __shfl_xor(v, 9);
    out[4 * n + t] = __shfl(v, lane * 5 + 1);
    out[5 * n + t] = __shfl_xor(v, 3, 8);
    out[6 * n + t] = __shfl_down(v, 1, 4);
    out[7 * n + t] = __shfl(v, 2, 16);
    double wide = v * 0.5;
    out[8 * n + t] = int(2 * __shfl_xor(wide, 16));
    long long whole = (long long)v << 33;
    out[9 * n + t] = int(__shfl_up(whole, 1) >> 33);
    float single = v;
    out[10 * n + t] = int(__shfl_down(single, 16));
    masks[0 * n + t] = __ballot(lane % 3 == 0);
    masks[1 * n + t] = __ballot(1);
    masks[2 * n + t] = __any(lane == 17) * 2 + __all(lane < 64);
    masks[3 * n + t] = __any(lane == 64) * 2 + __all(lane != 5);
    if (lane % 2) {
        masks[4 * n + t] = __ballot(lane < 16);
        masks[5 * n + t] = __ballot(lane + n > 200);
    } else {
        masks[4 * n + t] = __ballot(lane >= 16);
        masks[5 * n + t] = __ballot(lane + n > 201);
    }
    masks[6 * n + t] = __lane_id();
    unsigned long long mask = 0x123456789abcdef0ull;
    masks[7 * n + t] = __popcll(mask & ((1ull << lane) - 1));
    out[11 * n + t] = __builtin_amdgcn_readfirstlane(v);
    out[12 * n + t] = __builtin_amdgcn_readlane(v, 13);
    out[13 * n + t] = __builtin_amdgcn_ds_bpermute(4 * ((lane * 3) % warpSize), v);
    out[14 * n + t] = __builtin_amdgcn_ds_permute(4 * ((lane * 3) % warpSize), v);
    out[15 * n + t] = __builtin_amdgcn_ds_swizzle(v, 0x041f); // and 0x1f, or 0, xor 1
}

__global__ void sizes(int *size) { *size = warpSize; }

int main() {
    Array<int> size(1);
    sizes<<<1, 1>>>(size);
    FINISH();
    int wave = size.get()[0];
    const int n = 256;
    Array<int> out(16 * n);
    Array<unsigned long long> masks(8 * n);
    exchanges<<<1, n>>>(out, masks, n);
    FINISH();
    auto got = out.get();
    auto bits = masks.get();
    // Permutations reach 32 lanes on RDNA, in waves of 64 too; so do the shuffles, which are made of them.
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    int reach = strstr(properties.gcnArchName, "gfx10") ? 32 : wave;
    unsigned long long full = wave == 64 ? ~0ull : 0xffffffffull;
    unsigned long long thirds = 0, odd = 0xaaaaaaaaaaaaaaaaull & full;
    for (int l = 0; l < wave; l += 3)
        thirds |= 1ull << l;
    for (int t = 0; t < n; t++) {
        int lane = t % wave, base = t - lane;
        auto of = [&](int l) { return (base + l) * 10 + 1; };
        auto pull = [&](int l) { return of((lane & ~(reach - 1)) | (l & (reach - 1))); };
        int expected[16] = {
            pull(5),
            pull(lane >= 3 ? lane - 3 : lane),
            pull(lane + 7 < wave ? lane + 7 : lane),
            of(lane ^ 9),
            pull((lane * 5 + 1) % wave),
            of(lane ^ 3),
            of(lane % 4 == 3 ? lane : lane + 1),
            of((lane & ~15) + 2),
            of(lane ^ 16),
            pull(lane ? lane - 1 : 0),
            pull(lane + 16 < wave ? lane + 16 : lane),
            of(0),
            of(13),
            pull(lane * 3 % wave),
            0,
            of(lane ^ 1),
        };
        for (int l = 0; l < wave; l++)
            if (l / reach == lane / reach && l * 3 % reach == lane % reach)
                expected[14] = of(l);
        for (int k = 0; k < 16; k++)
            EXPECT(got[k * n + t] == expected[k], "case %d thread %d: %d instead of %d", k, t, got[k * n + t], expected[k]);
        unsigned long long votes[8] = {
            thirds,
            full,
            3,
            0,
            lane % 2 ? odd & 0xffff : ~odd & full & ~0xffffull,
            lane % 2 ? odd : ~odd & full,
            (unsigned long long)lane,
            (unsigned long long)__builtin_popcountll(0x123456789abcdef0ull & ((1ull << lane) - 1)),
        };
        for (int k = 0; k < 8; k++)
            EXPECT(bits[k * n + t] == votes[k], "vote %d thread %d: %llx instead of %llx", k, t, bits[k * n + t], votes[k]);
    }
    return verdict();
}
