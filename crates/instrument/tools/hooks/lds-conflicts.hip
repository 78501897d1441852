// Turns that an LDS access takes because lanes want different words of one bank.
#include <luthier_device.h>

constexpr luthier_u32 BANKS = 32;

// Active lanes with the same value as this one, by each bit in which they differ; one of them has zero.
LUTHIER_INLINE luthier_u64 alike(luthier_u32 value) {
  luthier_u64 same = luthier::exec(), other = __builtin_amdgcn_ballot_w64(value != 0);
  if (other == 0)
    return same;
  do {
    luthier_u32 of_one = __builtin_amdgcn_readlane(value, __builtin_ctzll(other)), bit = of_one & -of_one;
    luthier_u64 ones = __builtin_amdgcn_ballot_w64((value & bit) != 0);
    same &= (value & bit) != 0 ? ones : ~ones;
    value &= ~bit;
    other = __builtin_amdgcn_ballot_w64(value != 0);
  } while (other != 0);
  return same;
}

// In a turn each bank gives one word to all lanes that want it. One lane is active at least.
LUTHIER_INLINE luthier_u32 turns(luthier_u32 address) {
  luthier_u64 lanes = luthier::exec(), run = lanes >> __builtin_ctzll(lanes);
  luthier_u32 first = __builtin_ctzll(lanes), count = __builtin_popcountll(lanes);
  luthier_u32 start = __builtin_amdgcn_readlane(address, first);

  // Lanes side by side, each as far from the one before as all others: arithmetic says how often the banks come round.
  luthier_u32 next = first + ((luthier_u32)(run >> 1) & 1); // a lane that is off has no address
  luthier_u32 stride = __builtin_amdgcn_readlane(address, next) - start;
  luthier_u32 distance = (int)stride < 0 ? -stride : stride;
  bool regular = (run & (run + 1)) == 0 && (distance <= 4 || distance % 4 == 0);
  if (regular && __builtin_amdgcn_ballot_w64(address != start + (luthier::lane() - first) * stride) == 0) {
    luthier_u32 between = (start + (count - 1) * stride) / 4 - start / 4;
    luthier_u32 words = distance > 4 ? count << __builtin_ctz(distance / 4 | BANKS) : ((int)between < 0 ? -between : between) + 1;
    return (words + BANKS - 1) / BANKS;
  }

  luthier_u32 apart = address / 4 ^ start / 4;
  luthier_u64 same_bank = alike(apart % BANKS), same_word = same_bank & alike(apart / BANKS);
  luthier_u64 leading = __builtin_amdgcn_ballot_w64(
      __builtin_amdgcn_mbcnt_hi((luthier_u32)(same_word >> 32), __builtin_amdgcn_mbcnt_lo((luthier_u32)same_word, 0u)) == 0);
  luthier_u32 words = __builtin_popcountll(same_bank & leading), most = 0;
  for (luthier_u64 more = lanes; more != 0; more = __builtin_amdgcn_ballot_w64(words > most))
    most = __builtin_amdgcn_readlane(words, __builtin_ctzll(more));
  return most;
}

// counters: accesses, turns.
LUTHIER_HOOK void conflicts(luthier_u64 *counters) {
  if (luthier::active_lanes() == 0)
    return;
  luthier_u32 taken = turns((luthier_u32)luthier::effective_address());
  if (luthier::elected()) {
    luthier::add(&counters[0], 1);
    luthier::add(&counters[1], taken);
  }
}

LUTHIER_TOOL(R"(
about = "bank conflicts of LDS accesses, by source line"
[hooks]
conflicts = ["scalar"]
)")
