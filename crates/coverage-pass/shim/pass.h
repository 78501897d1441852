// What the parts of the plugin know of each other.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"

namespace luthier {

// A place that counts: "add `step` to `*counter`", as a call that touches no memory the program can see.
struct Site {
  llvm::CallInst *call;
  llvm::Constant *counter;
  llvm::Value *step;
};

// Counters as atomic additions become sites, so that the optimiser sees through them.
bool mark(llvm::Function &function);
// Null if the instruction is no site.
Site site(llvm::Instruction &instruction);
// A site becomes the atomic addition that it was.
void restore(const Site &site);
bool restore_all(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

// How a value that a lane has gathered becomes a count.
enum Kind : unsigned {
  Always, // every lane that came here adds `weight`
  Bit,    // lanes whose value has bit `bit` set add `weight`
  Sum,    // lanes add their value
};

// Sites become sums in registers, and one call `flush` in front of the return.
bool gather(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
// That call becomes one atomic addition a wave.
bool flush(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

constexpr const char *FlushName = "__luthier_coverage_flush";

} // namespace luthier
