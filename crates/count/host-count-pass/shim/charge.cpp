// Sums of loops, computed where the loop ends.
//
//   loop: s = phi [0, before], [t, loop]; ...; t = s + 73; br done, end, loop      end: add t
//   =>
//   loop: ...; br done, end, loop      end: add 73 * (number of iterations)
//
// The optimiser does so itself where the number of iterations is at hand, but not where it must be computed, from two pointers say. The
// sum in 64 bits then stays in the loop, and makes it look too expensive for vectors of smaller elements: a loop that is vectorised without
// counting takes several times as long.

#include "count.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace luthier {
namespace {

// The largest price of the product: some additions, shifts and a multiplication, but no division.
constexpr unsigned MostExpensive = 12;

class ChargePass : public PassInfoMixin<ChargePass> {
public:
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &analyses, LPMUpdater &) {
    Module &module = *loop.getHeader()->getModule();
    if (!module.getNamedMetadata(DoneMetadata))
      return PreservedAnalyses::all();
    ScalarEvolution &evolution = analyses.SE;
    BasicBlock *end = loop.getExitBlock();
    if (!end || end->isEHPad() || !loop.getExitingBlock() || !evolution.hasLoopInvariantBackedgeTakenCount(&loop))
      return PreservedAnalyses::all();
    SCEVExpander expander(evolution, "count");
    SmallVector<WeakTrackingVH, 4> dead;
    for (PHINode &phi : make_early_inc_range(end->phis())) {
      Value *value = phi.getNumIncomingValues() == 1 ? phi.getIncomingValue(0) : nullptr;
      auto *inside = dyn_cast_or_null<Instruction>(value);
      if (!inside || !inside->getType()->isIntegerTy(64) || !loop.contains(inside) || !isSum(inside))
        continue;
      const SCEV *sum = evolution.getSCEVAtScope(inside, loop.getParentLoop());
      Instruction *at = &*end->getFirstInsertionPt();
      if (isa<SCEVCouldNotCompute>(sum) || !evolution.isLoopInvariant(sum, &loop) || !expander.isSafeToExpandAt(sum, at) ||
          expander.isHighCostExpansion(sum, &loop, MostExpensive, &analyses.TTI, at))
        continue;
      Value *product = expander.expandCodeFor(sum, inside->getType(), at->getIterator());
      evolution.forgetValue(&phi);
      phi.replaceAllUsesWith(product);
      phi.eraseFromParent();
      dead.push_back(inside);
    }
    if (dead.empty())
      return PreservedAnalyses::all();
    expander.clear();
    for (PHINode &phi : loop.getHeader()->phis())
      dead.push_back(&phi);
    for (WeakTrackingVH &handle : dead)
      if (auto *phi = dyn_cast_or_null<PHINode>(static_cast<Value *>(handle)))
        RecursivelyDeleteDeadPHINode(phi);
      else if (auto *value = dyn_cast_or_null<Instruction>(static_cast<Value *>(handle)))
        RecursivelyDeleteTriviallyDeadInstructions(value);
    return getLoopPassPreservedAnalyses();
  }
};

} // namespace

void registerCharges(PassBuilder &builder) {
  builder.registerLateLoopOptimizationsEPCallback([](LoopPassManager &passes, OptimizationLevel) { passes.addPass(ChargePass()); });
  // Some numbers of iterations are known after inlining only.
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(createFunctionToLoopPassAdaptor(ChargePass())); });
}

} // namespace luthier
