// Values that wait in memory instead of registers. LLVM itself would spill to a stack, which hooks do not have; so values that
// are kept for long become variables, and objects.cpp moves these to memory that the framework provides.

#include "job.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace luthier;

namespace {

// A value whose last use is so many instructions away is kept for long.
constexpr unsigned Near = 12;
constexpr uint64_t MostBits = 512;

// Values that memory can hold as they are. Addresses of variables must not get there, for the variables move.
bool fits(const Instruction &I, const DataLayout &Layout) {
  Type *T = I.getType();
  if (isa<AllocaInst, PHINode>(I) || I.isTerminator() || !T->isSized() || T->isPtrOrPtrVectorTy() || T->isAggregateType())
    return false;
  uint64_t Bits = Layout.getTypeSizeInBits(T);
  return Bits >= 32 && Bits % 32 == 0 && Bits <= MostBits;
}

} // namespace

void luthier::spillKept(Function &F, TargetMachine &TM) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder PB(&TM);
  PB.registerModuleAnalyses(Modules);
  PB.registerCGSCCAnalyses(Components);
  PB.registerFunctionAnalyses(Functions);
  PB.registerLoopAnalyses(Loops);
  PB.crossRegisterProxies(Loops, Functions, Components, Modules);
  // A value that all lanes have in common is in scalar registers, and would come back from memory as a value of each
  // lane.
  const UniformityInfo &Uniformity = Functions.getResult<UniformityInfoAnalysis>(F);
  DenseMap<const Instruction *, unsigned> Numbers;
  for (const Instruction &I : instructions(F))
    Numbers[&I] = Numbers.size();
  const DataLayout &Layout = F.getParent()->getDataLayout();
  SmallVector<Instruction *> Kept;
  for (Instruction &I : instructions(F)) {
    bool Long = any_of(I.users(), [&](const User *U) {
      const auto *Use = cast<Instruction>(U);
      return isa<PHINode>(Use) || Use->getParent() != I.getParent() || Numbers[Use] - Numbers[&I] > Near;
    });
    if (Long && fits(I, Layout) && Uniformity.isDivergent(&I))
      Kept.push_back(&I);
  }
  for (Instruction *I : Kept)
    DemoteRegToStack(*I, true);
}
