// After the optimiser: additions that are still in loops without observation points move to a register, and out of
// counted loops altogether.
//
// In such a loop nobody can look at the counter. Its additions are redirected to a local variable that is set to 0 before
// the loop and added to the counter on every way out; LLVM turns the variable into registers, and, where the number of
// iterations is known cheaply, the sum into a product behind the loop. A register *difference* is kept, never a copy of
// the counter, so that code which interrupts the loop (a signal handler) loses nothing.

#include "count.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr char SlotsName[] = "__luthier_count_slots";

// A loop must run this much more often than it is entered, or the additions around it cost more than those inside.
constexpr double LeastIterations = 3.0;

bool isCounter(const Value *address) {
  auto *variable = dyn_cast<GlobalVariable>(address->stripInBoundsConstantOffsets());
  return variable && (variable->getName() == CounterName || variable->getName().starts_with(SlotsName));
}

// `*address += amount`
struct Addition {
  LoadInst *load;
  BinaryOperator *sum;
  StoreInst *store;
  Value *amount() const { return sum->getOperand(0) == load ? sum->getOperand(1) : sum->getOperand(0); }
};

// The addition that ends in `store`, if it is one. Neighbouring slots may have become a vector; those stay.
std::optional<Addition> additionOf(StoreInst *store) {
  auto *sum = dyn_cast<BinaryOperator>(store->getValueOperand());
  if (!sum || !sum->getType()->isIntegerTy(64) || sum->getOpcode() != Instruction::Add || !sum->hasOneUse())
    return std::nullopt;
  for (unsigned side = 0; side < 2; ++side) {
    auto *load = dyn_cast<LoadInst>(sum->getOperand(side));
    if (load && load->getPointerOperand() == store->getPointerOperand() && load->hasOneUse() &&
        load->getParent() == store->getParent() && load->isSimple() && store->isSimple())
      return Addition{load, sum, store};
  }
  return std::nullopt;
}

// Nobody looks at the counter during this call, and it comes back.
bool isQuiet(const CallBase &call) {
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return !intrinsic->doesNotReturn() && !call.hasFnAttr(Attribute::NoReturn) && call.doesNotThrow();
  return !call.isInlineAsm() && call.doesNotThrow() && call.willReturn() && call.doesNotAccessMemory();
}

class LoopPromoter {
public:
  LoopPromoter(Function &function, FunctionAnalysisManager &analyses)
      : function(function), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        frequencies(analyses.getResult<BlockFrequencyAnalysis>(function)),
        libraries(analyses.getResult<TargetLibraryAnalysis>(function)),
        target(analyses.getResult<TargetIRAnalysis>(function)) {}

  bool run() {
    for (Loop *loop : SmallVector<Loop *, 8>(loops.begin(), loops.end()))
      visit(loop);
    return changed;
  }

private:
  Function &function;
  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;
  AssumptionCache &assumptions;
  BlockFrequencyInfo &frequencies;
  TargetLibraryInfo &libraries;
  TargetTransformInfo &target;
  bool changed = false;

  using Additions = MapVector<Value *, SmallVector<Addition, 4>>; // by address

  // The outermost loop that can be done, else the loops in it.
  void visit(Loop *loop) {
    Additions additions;
    if (isCandidate(loop, additions)) {
      if (!additions.empty() && pays(loop, additions))
        promote(loop, additions);
      return;
    }
    for (Loop *inner : SmallVector<Loop *, 8>(loop->begin(), loop->end()))
      visit(inner);
  }

  bool isCandidate(Loop *loop, Additions &additions) {
    SmallVector<BasicBlock *, 4> exits;
    loop->getUniqueExitBlocks(exits);
    if (exits.empty() || any_of(exits, [](BasicBlock *exit) { return exit->isEHPad(); }))
      return false;
    for (BasicBlock *block : loop->blocks()) {
      SmallPtrSet<const Instruction *, 8> paired;
      for (Instruction &instruction : *block) {
        if (auto *call = dyn_cast<CallBase>(&instruction)) {
          if (!isQuiet(*call) || isa<InvokeInst, CallBrInst>(call))
            return false;
        } else if (auto *store = dyn_cast<StoreInst>(&instruction); store && isCounter(store->getPointerOperand())) {
          auto addition = additionOf(store);
          // The load is the last access before the store: nothing was added in between.
          if (!addition || !paired.contains(addition->load))
            return false;
          paired.clear();
          additions[store->getPointerOperand()].push_back(*addition);
        } else if (auto *load = dyn_cast<LoadInst>(&instruction); load && isCounter(load->getPointerOperand())) {
          for (const Instruction *other : paired)
            if (cast<LoadInst>(other)->getPointerOperand() == load->getPointerOperand())
              return false;
          paired.insert(load);
        } else if (instruction.isAtomic() && isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction) &&
                   isCounter(instruction.getOperand(0))) {
          return false;
        }
      }
      if (!paired.empty())
        return false;
    }
    return true;
  }

  bool pays(Loop *loop, const Additions &additions) {
    double outside = 0, inside = 0;
    for (BasicBlock *block : predecessors(loop->getHeader()))
      if (!loop->contains(block))
        outside += double(frequencies.getBlockFreq(block).getFrequency());
    for (auto &[address, list] : additions)
      for (const Addition &addition : list)
        inside += double(frequencies.getBlockFreq(addition.store->getParent()).getFrequency());
    return inside >= LeastIterations * outside;
  }

  void promote(Loop *loop, Additions &additions) {
    simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
    BasicBlock *before = loop->getLoopPreheader();
    SmallVector<BasicBlock *, 4> exits;
    loop->getUniqueExitBlocks(exits);
    if (!before || !loop->hasDedicatedExits() || any_of(exits, [](BasicBlock *exit) {
          return exit->getFirstInsertionPt() == exit->end() || exit->isEHPad();
        }))
      return;
    changed = true;
    SmallVector<AllocaInst *, 2> variables;
    Type *word = Type::getInt64Ty(function.getContext());
    for (auto &[address, list] : additions) {
      IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
      AllocaInst *variable = builder.CreateAlloca(word);
      variables.push_back(variable);
      builder.SetInsertPoint(before->getTerminator());
      builder.CreateStore(builder.getInt64(0), variable);
      for (const Addition &addition : list) {
        builder.SetInsertPoint(addition.store);
        Value *sum = builder.CreateAdd(builder.CreateLoad(word, variable), addition.amount());
        builder.CreateStore(sum, variable);
        addition.store->eraseFromParent();
        addition.sum->eraseFromParent();
        addition.load->eraseFromParent();
      }
      for (BasicBlock *exit : exits) {
        builder.SetInsertPoint(exit, exit->getFirstInsertionPt());
        Value *count = builder.CreateLoad(word, variable);
        Value *old = builder.CreateAlignedLoad(word, address, Align(8));
        builder.CreateAlignedStore(builder.CreateAdd(old, count), address, Align(8));
      }
    }
    PromoteMemToReg(variables, dominators, &assumptions);
    chargeTrips(loop);
  }

  // Sums that are a cheap product of the number of iterations are computed behind the loop.
  void chargeTrips(Loop *loop) {
    evolution.forgetLoop(loop);
    formLCSSARecursively(*loop, dominators, &loops, &evolution);
    SmallVector<WeakTrackingVH, 16> dead;
    SCEVExpander expander(evolution, "count");
    // Inner loops first: the sum of an outer one is in terms of theirs.
    SmallVector<Loop *, 4> nest(loop->getLoopsInPreorder());
    for (Loop *inner : reverse(nest))
      if (inner->isLoopSimplifyForm() && inner->isLCSSAForm(dominators))
        rewriteLoopExitValues(inner, &loops, &libraries, &evolution, &target, expander, &dominators, OnlyCheapRepl, dead);
    expander.clear();
    while (!dead.empty()) {
      Value *value = dead.pop_back_val();
      if (auto *instruction = dyn_cast_or_null<Instruction>(value))
        RecursivelyDeleteTriviallyDeadInstructions(instruction);
    }
    for (Loop *inner : nest)
      for (PHINode &phi : make_early_inc_range(inner->getHeader()->phis()))
        RecursivelyDeleteDeadPHINode(&phi);
  }
};

} // namespace

bool replaceLate(Module &module, ModuleAnalysisManager &analyses) {
  if (!module.getNamedMetadata(DoneMetadata))
    return false;
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasOptNone())
      changed |= LoopPromoter(function, functions).run();
  return changed;
}

} // namespace luthier
