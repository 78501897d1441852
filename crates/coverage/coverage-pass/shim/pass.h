// The interface between the parts of the plugin.
#pragma once

#include "llvm/ADT/MapVector.h"
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
// A block in which lanes that leave a loop do nothing but count stands in the way of merging this exit with others. The condition
// under which lanes come there counts as well.
bool count_conditions(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
// Null if the instruction is no site.
Site site(llvm::Instruction &instruction);
// A site becomes the atomic addition that it was.
void restore(const Site &site);
bool restore_all(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

// The table of a function has this many columns; lanes add to that of their number.
constexpr unsigned Columns = 16;
// Bits of a mask start here, so that they are offsets of rows at once; the table has a row for each combination of a group's bits.
constexpr unsigned FirstBit = 7, BitsOfGroup = 8, BitsOfMask = 24;

// Counters as sums of columns (0: every lane, then the bits, then the sums), each with a factor.
using Parts = llvm::MapVector<llvm::Constant *, llvm::SmallVector<std::pair<unsigned, uint64_t>, 2>>;
// The table and the note of a function.
llvm::GlobalVariable *describe(llvm::Function &function, unsigned sums, unsigned bits, const Parts &parts);

// Sites become sums in registers, and one call `flush` in front of each end.
bool gather(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
// Sums of loops that lanes leave in several ways are in memory until control flow is structured as the target will have it.
void keep(llvm::AllocaInst *slot);
void promote(llvm::Function &function, llvm::ArrayRef<llvm::AllocaInst *> slots);
bool has_kept(llvm::Function &function);
bool promote_kept(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
// Turns that call into atomic additions to the table.
bool flush(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

constexpr const char *FlushName = "__luthier_coverage_flush";

} // namespace luthier
