// Cycles that an LDS access needs because lanes want different words of one bank.
#include <luthier_device.h>

// counters: accesses, cycles.
LUTHIER_HOOK void conflicts(luthier_u64 *counters) {
  luthier_u32 word = (luthier_u32)luthier::effective_address() / 4;
  luthier_u32 bank = word % 32, worst = 0;
  for (luthier_u64 rest = luthier::exec(); rest != 0;) {
    luthier_u32 busy = __builtin_amdgcn_readlane(bank, __builtin_ctzll(rest));
    luthier_u64 lanes = __builtin_amdgcn_ballot_w64(bank == busy);
    rest &= ~lanes;
    luthier_u32 words = 0;
    for (luthier_u64 left = lanes; left != 0; ++words)
      left &= ~__builtin_amdgcn_ballot_w64(word == (luthier_u32)__builtin_amdgcn_readlane(word, __builtin_ctzll(left)));
    worst = words > worst ? words : worst;
  }
  if (luthier::elected()) {
    luthier::add(&counters[0], 1);
    luthier::add(&counters[1], worst);
  }
}

LUTHIER_TOOL(R"(
about = "bank conflicts of LDS accesses, by source line"
[hooks]
conflicts = ["scalar"]
)")
