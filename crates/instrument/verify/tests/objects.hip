// Hooks with variables in memory, with floating-point numbers, with the condition codes and with MODE.
#include <luthier_device.h>

LUTHIER_GLOBAL luthier_u64 lanes, kept, shared, exact, small, ones, rounding, waves;
LUTHIER_GLOBAL luthier_u64 literally[3];

LUTHIER_HOOK void count_lanes() { luthier::count_wave(&lanes, luthier::active_lanes()); }

// A private array that is indexed at run time: one for every lane in which it holds what was put in.
LUTHIER_HOOK void keeps(luthier_u32 seed) {
  volatile luthier_u32 table[9];
  luthier_u32 lane = luthier::lane();
#pragma nounroll
  for (luthier_u32 i = 0; i < 9; ++i)
    table[i] = lane * 16 + i * 3 + seed;
  luthier_u32 k = (lane * 5 + seed) % 9;
  bool good = table[k] == lane * 16 + k * 3 + seed;
  luthier::count_wave(&kept, __builtin_popcountll(__builtin_amdgcn_ballot_w64(good)));
}

// Two LDS variables; all waves put the same there.
LUTHIER_HOOK void shares(luthier_u32 seed) {
  __shared__ luthier_u32 words[64];
  __shared__ luthier_u64 pairs[64];
  luthier_u32 lane = luthier::lane();
  *(volatile __attribute__((shared)) luthier_u32 *)&words[lane] = lane * 7 + 1;
  *(volatile __attribute__((shared)) luthier_u64 *)&pairs[lane] = lane * 0x100000003ull;
  bool good = *(volatile __attribute__((shared)) luthier_u32 *)&words[lane] == lane * 7 + 1 &&
              *(volatile __attribute__((shared)) luthier_u64 *)&pairs[lane] == lane * 0x100000003ull;
  luthier::count_wave(&shared, __builtin_popcountll(__builtin_amdgcn_ballot_w64(good)));
}

// Sums that depend on rounding and on denormals.
LUTHIER_HOOK void computes(luthier_u32 half_ulp, luthier_u32 denormal) {
  float sum = 1.0f + __builtin_bit_cast(float, half_ulp);
  float tiny = __builtin_bit_cast(float, denormal) * 2.0f;
  if (luthier::elected()) {
    luthier::add(&exact, __builtin_bit_cast(luthier_u32, sum));
    luthier::add(&small, __builtin_bit_cast(luthier_u32, tiny));
    luthier::add(&ones, 1);
  }
}

// Leaves the condition codes as they are, or all upside down.
LUTHIER_HOOK void writes_codes(luthier_u32 flip) {
  luthier::write_vcc(luthier::vcc() ^ -(luthier_u64)flip);
  luthier::write_scc(luthier::scc() != (flip != 0));
}

// How the application rounds, which the hook itself does not, and how it is to round from here on.
LUTHIER_HOOK void reads_mode() {
  luthier::count_wave(&rounding, luthier::mode() & 15);
  luthier::count_wave(&waves, 1);
}
LUTHIER_HOOK void writes_mode(luthier_u32 rounding) { luthier::write_mode((luthier::mode() & ~15u) | rounding); }

// Both are numbers of the place. One is read in parts.
LUTHIER_HOOK void counts_literally(luthier_u64 *at, luthier_u64 number) {
  luthier::count_wave(at, number);
  luthier::count_wave(at + 1, (luthier_u32)(number >> 32) == 7 ? (luthier_u32)number : 0);
}
