// LLVM ends the process on what it calls fatal errors, some of which bad input can reach.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace luthier {

// Runs `Body`; if LLVM reports a fatal error meanwhile, abandons it (leaking what it had allocated) and returns the
// reason. Empty when `Body` returned.
std::string withoutAborting(llvm::function_ref<void()> Body);

} // namespace luthier
