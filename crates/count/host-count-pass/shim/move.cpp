// Moves additions out of regions in which no code reads the counter: functions and loops whose calls all return.
//
// In such a region additions are redirected to a local variable that is set to 0 before the region and added to the
// counter on every way out. LLVM turns the variable into registers, branches that differ only in cost into selections,
// and, where the number of iterations is known, the sum into a product behind the loop. A local *difference* is kept,
// never a copy of the counter, so that code which interrupts the region (a signal handler) loses nothing.
//
// A loop with budget checks cannot keep its sum aside for long. The variable is the counter itself there, and the checks compare it. It is
// written back on every way out and before the limit is handled. The loop may call no function that counts. (The runtime takes the count of
// a signal handler out of the counter again.)

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
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace luthier {
namespace {

// A loop must run this much more often than it is entered, or the additions around it cost more than those inside.
constexpr double LeastIterations = 3.0;
// After the optimiser, loops no longer than this keep a sum, or with checks the counter, in a register. In longer loops
// additions cost no time, and registers are scarce. (With checks, an iteration waits for the check of the one before, so a
// register pays in longer loops, too. Expat's loops over the bytes of a text then take 1.2 times as long as without counting,
// instead of 1.57 times.)
constexpr size_t MostSummed = 200;
constexpr size_t MostPromoted = 400;
// A return is copied if it is no longer than this.
constexpr ptrdiff_t MostReturned = 4;

bool isLimit(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName() == LimitName;
}

// No code reads the counter during this call, and the call returns.
bool isQuiet(const CallBase &call) {
  if (call.isInlineAsm() || isa<CallBrInst>(call))
    return false;
  if (call.hasFnAttr(ComesBack))
    return true;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return !isBoundary(*intrinsic) && call.doesNotThrow();
  return call.doesNotThrow() && call.willReturn() && call.doesNotAccessMemory();
}

// The callee may add to the counter itself: functions that check nothing, but also a counted `malloc` or `memcpy` of
// the program's own under the name of a library function.
bool mayCount(const CallBase &call) { return !isa<IntrinsicInst>(call) || isa<MemIntrinsic>(call); }

bool isCounter(const Value *address) {
  auto *variable = dyn_cast<GlobalVariable>(address->stripInBoundsConstantOffsets());
  return variable && variable->getName() == CounterName;
}

struct Region {
  MapVector<Value *, SmallVector<AtomicRMWInst *, 4>> additions; // by address
  SmallVector<CallBase *, 4> limits;
  bool callsCounting = false;
  double frequency = 0; // of all additions

  // The optimiser may have merged the call of the limit with one outside: the check is then a branch out of the region.
  bool checks() const {
    return !limits.empty() || any_of(additions, [](const auto &entry) {
      return any_of(entry.second, [](const AtomicRMWInst *addition) { return !addition->use_empty(); });
    });
  }
};

class Mover {
public:
  Mover(Function &function, FunctionAnalysisManager &analyses, Stage stage)
      : function(function), stage(stage), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)), evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)), frequencies(analyses.getResult<BlockFrequencyAnalysis>(function)),
        libraries(analyses.getResult<TargetLibraryAnalysis>(function)), target(analyses.getResult<TargetIRAnalysis>(function)),
        word(Type::getInt64Ty(function.getContext())) {}

  bool run() {
    // A debt must not be kept while a coroutine sleeps.
    if (stage == Stage::Early && !function.isPresplitCoroutine() && wholeFunction())
      return true;
    for (Loop *loop : SmallVector<Loop *, 8>(loops.begin(), loops.end()))
      visit(loop);
    if (stage == Stage::Late)
      for (BasicBlock &block : make_early_inc_range(function))
        returnEarly(block);
    return changed;
  }

private:
  Function &function;
  Stage stage;
  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;
  AssumptionCache &assumptions;
  BlockFrequencyInfo &frequencies;
  TargetLibraryInfo &libraries;
  TargetTransformInfo &target;
  IntegerType *word;
  bool changed = false;

  // Collects a block's additions to a region; false if code may read the counter there.
  bool collect(BasicBlock &block, Region &region) {
    for (Instruction &instruction : block) {
      if (Value *address = additionTo(instruction)) {
        if (stage != Stage::Late && instruction.hasMetadata(RareMetadata))
          continue;
        region.additions[address].push_back(cast<AtomicRMWInst>(&instruction));
        region.frequency += double(frequencies.getBlockFreq(&block).getFrequency());
      } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
        if (isLimit(*call))
          region.limits.push_back(call);
        else if (!isQuiet(*call))
          return false;
        else
          region.callsCounting |= mayCount(*call);
      }
    }
    return true;
  }

  bool wholeFunction() {
    Region region;
    unsigned additions = 0;
    for (BasicBlock &block : function)
      if (!collect(block, region) || isa<CatchReturnInst, CleanupReturnInst, CatchSwitchInst>(block.getTerminator()))
        return false;
    for (auto &[address, list] : region.additions)
      additions += list.size();
    // (With a counter per line, most are added to once.)
    if (additions < 2 || region.additions.size() > 2 || region.checks())
      return false;
    SmallVector<Instruction *, 4> ends;
    for (BasicBlock &block : function)
      if (isa<ReturnInst, ResumeInst>(block.getTerminator()))
        ends.push_back(block.getTerminator());
    Calls calls;
    for (BasicBlock &block : function)
      findCalls(block, calls);
    for (auto &[address, list] : region.additions)
      redirect(address, list, &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), ends, calls);
    return true;
  }

  // A sum that lives across a call wants a register saved, which costs more than another addition.
  using Calls = SmallVector<Instruction *, 8>;
  static void findCalls(BasicBlock &block, Calls &calls) {
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call))
        calls.push_back(call);
  }

  // The outermost loop that can be done, else the loops in it.
  void visit(Loop *loop) {
    Region region;
    if (!isCandidate(loop, region) || isTooLong(loop, region)) {
      for (Loop *inner : SmallVector<Loop *, 8>(loop->begin(), loop->end()))
        visit(inner);
      return;
    }
    // (Every check looks at an addition.)
    if (region.additions.empty() || iterations(loop, region) < LeastIterations || !prepare(loop))
      return;
    // This is now the inner one of two loops that began at the same place.
    Region inside;
    if (!isCandidate(loop, inside) || inside.additions.empty())
      return;
    if (inside.checks())
      promoteChecked(loop, inside);
    else
      promoteSums(loop, inside);
  }

  bool isTooLong(Loop *loop, const Region &region) {
    if (region.checks())
      return sizeOf(loop) > MostPromoted;
    return stage != Stage::Early && sizeOf(loop) > MostSummed && !countIsKnown(loop);
  }

  static size_t sizeOf(const Loop *loop) {
    size_t size = 0;
    for (BasicBlock *block : loop->blocks())
      size += block->size();
    return size;
  }

  // Then a sum may become a product behind the loop.
  bool countIsKnown(Loop *loop) { return loop->getExitingBlock() && evolution.hasLoopInvariantBackedgeTakenCount(loop); }

  bool isCandidate(Loop *loop, Region &region) {
    SmallVector<BasicBlock *, 4> exits;
    loop->getUniqueExitBlocks(exits);
    if (exits.empty() || any_of(exits, [](BasicBlock *exit) { return exit->isEHPad(); }))
      return false;
    for (BasicBlock *block : loop->blocks())
      if (!collect(*block, region))
        return false;
    // Loops with checks are handled after the optimiser. A register holds the counter in them, not a difference.
    // Additions by other code would be lost meanwhile, and the remaining budget would not be known.
    return !region.checks() || (stage == Stage::Late && !region.callsCounting);
  }

  // How often additions run per entry of the loop.
  double iterations(Loop *loop, const Region &region) {
    double outside = 0;
    for (BasicBlock *block : predecessors(loop->getHeader()))
      if (!loop->contains(block))
        outside += double(frequencies.getBlockFreq(block).getFrequency());
    return region.frequency / std::max(outside, 1.0);
  }

  // Gives the loop places for code before and behind it.
  bool prepare(Loop *loop) {
    simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
    SmallVector<BasicBlock *, 4> exits;
    loop->getUniqueExitBlocks(exits);
    if (!loop->getLoopPreheader() || !loop->hasDedicatedExits() ||
        any_of(exits, [](BasicBlock *exit) { return exit->getFirstInsertionPt() == exit->end() || exit->isEHPad(); }))
      return false;
    return changed = true;
  }

  SmallVector<Instruction *, 4> exitsOf(Loop *loop) {
    SmallVector<BasicBlock *, 4> exits;
    loop->getUniqueExitBlocks(exits);
    SmallVector<Instruction *, 4> places;
    for (BasicBlock *exit : exits)
      places.push_back(&*exit->getFirstInsertionPt());
    return places;
  }

  void promoteSums(Loop *loop, Region &region) {
    SmallVector<AllocaInst *, 2> variables;
    Calls calls;
    for (BasicBlock *block : loop->blocks())
      findCalls(*block, calls);
    for (auto &[address, list] : region.additions)
      variables.push_back(redirect(address, list, loop->getLoopPreheader()->getTerminator(), exitsOf(loop), calls));
    if (stage == Stage::Early)
      return; // the optimiser does the rest
    PromoteMemToReg(variables, dominators, &assumptions);
    evolution.forgetLoop(loop);
    if (stage == Stage::Late)
      chargeTrips(loop);
  }

  AllocaInst *newVariable() {
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    return builder.CreateAlloca(word);
  }

  // Lets `list` add to a local variable, and that to the counter at `ends` and before `calls`.
  AllocaInst *redirect(Value *address, ArrayRef<AtomicRMWInst *> list, Instruction *begin, ArrayRef<Instruction *> ends,
                       ArrayRef<Instruction *> calls = {}) {
    AllocaInst *variable = newVariable();
    IRBuilder<> builder(begin);
    builder.CreateStore(builder.getInt64(0), variable);
    MDNode *tag = list.front()->getMetadata(LLVMContext::MD_tbaa);
    for (AtomicRMWInst *addition : list) {
      builder.SetInsertPoint(addition);
      builder.CreateStore(builder.CreateAdd(builder.CreateLoad(word, variable), addition->getValOperand()), variable);
      // (Only checks read the result, and there are none here any more.)
      addition->replaceAllUsesWith(PoisonValue::get(word));
      addition->eraseFromParent();
    }
    for (Instruction *end : ends) {
      builder.SetInsertPoint(end);
      addTo(builder, address, builder.CreateLoad(word, variable), tag);
    }
    for (Instruction *call : calls) {
      builder.SetInsertPoint(call);
      addTo(builder, address, builder.CreateLoad(word, variable), tag);
      builder.CreateStore(builder.getInt64(0), variable);
    }
    return variable;
  }

  AtomicRMWInst *addTo(IRBuilder<> &builder, Value *address, Value *amount, MDNode *tag) {
    AtomicRMWInst *addition =
        builder.CreateAtomicRMW(AtomicRMWInst::Add, address, amount, Align(8), AtomicOrdering::Monotonic, SyncScope::SingleThread);
    addition->setMetadata(LLVMContext::MD_tbaa, tag);
    return addition;
  }

  // The counter in a register.
  void promoteChecked(Loop *loop, Region &region) {
    GlobalVariable *counter = function.getParent()->getGlobalVariable(CounterName);
    AllocaInst *now = newVariable();
    MDNode *tag = region.additions.begin()->second.front()->getMetadata(LLVMContext::MD_tbaa);
    IRBuilder<> builder(loop->getLoopPreheader()->getTerminator());
    auto take = [&] {
      LoadInst *value = builder.CreateAlignedLoad(word, counter, Align(8));
      value->setMetadata(LLVMContext::MD_tbaa, tag);
      builder.CreateStore(value, now);
    };
    auto giveBack = [&] {
      StoreInst *store = builder.CreateAlignedStore(builder.CreateLoad(word, now), counter, Align(8));
      store->setMetadata(LLVMContext::MD_tbaa, tag);
    };
    SmallVector<AllocaInst *, 4> variables = {now};
    take();
    for (auto &[address, list] : region.additions) {
      if (!isCounter(address)) {
        variables.push_back(redirect(address, list, loop->getLoopPreheader()->getTerminator(), exitsOf(loop)));
        continue;
      }
      for (AtomicRMWInst *addition : list) {
        builder.SetInsertPoint(addition);
        Value *old = builder.CreateLoad(word, now);
        builder.CreateStore(builder.CreateAdd(old, addition->getValOperand()), now);
        addition->replaceAllUsesWith(old);
        addition->eraseFromParent();
      }
    }
    for (CallBase *limit : region.limits) {
      builder.SetInsertPoint(limit);
      giveBack();
      builder.SetInsertPoint(limit->getNextNode());
      take();
    }
    for (Instruction *exit : exitsOf(loop)) {
      builder.SetInsertPoint(exit);
      giveBack();
    }
    PromoteMemToReg(variables, dominators, &assumptions);
    evolution.forgetLoop(loop);
  }

  // The sum may be a constant on a path to a return. That path gets a return of its own, which adds the constant and
  // needs no register saved for the sum. Functions that begin with "nothing to do" take such paths most often.
  void returnEarly(BasicBlock &block) {
    auto *end = dyn_cast<ReturnInst>(block.getTerminator());
    if (!end || std::distance(block.getFirstNonPHIIt(), block.end()) > MostReturned)
      return;
    SmallVector<PHINode *, 2> sums;
    for (Instruction &instruction : block)
      if (additionTo(instruction)) {
        auto *sum = dyn_cast<PHINode>(instruction.getOperand(1));
        if (sum && sum->getParent() == &block)
          sums.push_back(sum);
      } else if (instruction.mayHaveSideEffects()) {
        return;
      }
    if (sums.empty() || block.isEntryBlock())
      return;
    for (BasicBlock *from : SmallVector<BasicBlock *, 8>(predecessors(&block))) {
      auto *branch = dyn_cast<BranchInst>(from->getTerminator());
      bool known = all_of(sums, [&](PHINode *sum) { return isa<ConstantInt>(sum->getIncomingValueForBlock(from)); });
      if (!branch || !known || block.hasNPredecessors(1) || (branch->isConditional() && branch->getSuccessor(0) == branch->getSuccessor(1)))
        continue;
      ValueToValueMapTy map;
      auto *own = BasicBlock::Create(function.getContext(), "", &function, &block);
      for (PHINode &phi : block.phis())
        map[&phi] = phi.getIncomingValueForBlock(from);
      for (Instruction &instruction : make_range(block.getFirstNonPHIIt(), block.end())) {
        Instruction *copy = instruction.clone();
        copy->insertInto(own, own->end());
        RemapInstruction(copy, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
        map[&instruction] = copy;
      }
      branch->replaceSuccessorWith(&block, own);
      block.removePredecessor(from, true);
      changed = true;
    }
  }

  // Sums that are a cheap product of the number of iterations are computed behind the loop.
  void chargeTrips(Loop *loop) {
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
    // One that goes may take the next one along.
    SmallVector<WeakTrackingVH, 16> phis;
    for (Loop *inner : nest)
      for (PHINode &phi : inner->getHeader()->phis())
        phis.push_back(&phi);
    for (WeakTrackingVH &handle : phis)
      if (auto *phi = dyn_cast_or_null<PHINode>(static_cast<Value *>(handle)))
        RecursivelyDeleteDeadPHINode(phi);
  }
};

// Moves additions out of a loop that they have been inlined into, before the optimiser looks at the loop again. It
// neither vectorises a loop that adds to memory nor recognises it as a copy.
class MovePass : public PassInfoMixin<MovePass> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (function.hasOptNone() || !function.getParent()->getNamedMetadata(MovesMetadata) || !addsInLoops(function, analyses))
      return PreservedAnalyses::all();
    return Mover(function, analyses, Stage::Inlined).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

private:
  static bool addsInLoops(Function &function, FunctionAnalysisManager &analyses) {
    LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
    return any_of(loops.getTopLevelLoops(), [](const Loop *loop) {
      return any_of(loop->blocks(), [](const BasicBlock *block) {
        return any_of(*block, [](const Instruction &instruction) { return additionTo(instruction) != nullptr; });
      });
    });
  }
};

} // namespace

void registerMoves(PassBuilder &builder) {
  builder.registerPeepholeEPCallback([](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(MovePass()); });
}

bool moveAdditions(Module &module, ModuleAnalysisManager &analyses, Stage stage) {
  if (!module.getNamedMetadata(DoneMetadata))
    return false;
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (Function &function : module) {
    if (function.isDeclaration() || function.hasOptNone())
      continue;
    if (stage == Stage::Early && mergeConditions(function)) {
      functions.invalidate(function, PreservedAnalyses::none());
      changed = true;
    }
    changed |= Mover(function, functions, stage).run();
  }
  return changed;
}

} // namespace luthier
