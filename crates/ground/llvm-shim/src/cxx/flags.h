// Translates LLVM's private per-opcode target flags (MCInstrDesc::TSFlags) to the flags of this crate.
#pragma once

#include "llvm/MC/MCInstrInfo.h"
#include <cstdint>
#include <string>

namespace luthier {

uint64_t opcodeFlags(const llvm::MCInstrDesc &Description);

// Empty when the private layout is the one this file was written for; otherwise what disagrees.
std::string checkFlagLayout(const llvm::MCInstrInfo &Instructions);

} // namespace luthier
