// Sites become sums that a lane keeps in registers until its function returns.
//
// What is executed at most once is a bit of a mask. What lies on a cycle is a sum of 64 bits; inside of the innermost loop, if its number
// of rounds is bounded, of 32 bits, which the loop adds to the other where it is left. Such a sum is an induction variable, and often
// no work at all.

#include "pass.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace luthier {

namespace {

// More sums than this would take the kernel's registers away.
constexpr unsigned MostSums = 40;
// Additions in front of what never returns (assertions, traps) are paid in code.
constexpr unsigned MostEarlyEnds = 96;
// A counter that is reached in more places is a sum.
constexpr unsigned MostBits = 3;

struct Counter {
  SmallVector<Site, 2> sites;
  bool sum = false;
};

// One block in which the function returns.
BasicBlock *one_return(Function &function, ArrayRef<BasicBlock *> returns) {
  BasicBlock *last = BasicBlock::Create(function.getContext(), "count.flush", &function);
  IRBuilder<> builder(last);
  PHINode *value = nullptr;
  if (!function.getReturnType()->isVoidTy())
    value = builder.CreatePHI(function.getReturnType(), returns.size());
  if (value)
    builder.CreateRet(value);
  else
    builder.CreateRetVoid();
  for (BasicBlock *block : returns) {
    auto *old = cast<ReturnInst>(block->getTerminator());
    if (value)
      value->addIncoming(old->getReturnValue(), block);
    IRBuilder<>(old).CreateBr(last);
    old->eraseFromParent();
  }
  return last;
}

class Gathering {
public:
  Gathering(Function &function, FunctionAnalysisManager &analyses) : function(function), analyses(analyses) {}

  bool run() {
    find();
    if (counters.empty())
      return false;
    if (!worth()) {
      for (auto &entry : counters)
        for (const Site &site : entry.second.sites)
          restore(site);
      return true;
    }
    loops = &analyses.getResult<LoopAnalysis>(function);
    evolution = &analyses.getResult<ScalarEvolutionAnalysis>(function);
    // Asked for before anything changes.
    for (auto &entry : counters)
      if (entry.second.sum)
        for (const Site &site : entry.second.sites)
          if (Loop *loop = bounded_loop(site))
            inner[{entry.first, loop}].push_back(site.call);
    last = one_return(function, returns);
    for (auto &entry : counters)
      entry.second.sum ? sum(entry.first, entry.second) : bits(entry.first, entry.second);
    for (BasicBlock *end : early)
      add_all(end->getTerminator());
    IRBuilder<> builder(last->getTerminator());
    for (auto &[value, at] : loads)
      arguments[at] = builder.CreateLoad(value->getAllocatedType(), value);
    auto *type = FunctionType::get(builder.getVoidTy(), /*isVarArg=*/true);
    FunctionCallee callee = function.getParent()->getOrInsertFunction(FlushName, type);
    CallInst *call = builder.CreateCall(callee, arguments);
    call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    for (auto attribute : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback, Attribute::Convergent,
                           Attribute::NoDuplicate})
      call->addFnAttr(attribute);
    DominatorTree tree(function);
    AssumptionCache assumptions(function);
    PromoteMemToReg(slots, tree, &assumptions);
    return true;
  }

private:
  void find() {
    for (auto component = scc_begin(&function); !component.isAtEnd(); ++component)
      if (component.hasCycle())
        cyclic.insert((*component).begin(), (*component).end());
    for (BasicBlock &block : function) {
      for (Instruction &instruction : block)
        if (Site found = site(instruction); found.call)
          counters[found.counter].sites.push_back(found);
      tail |= block.getTerminatingMustTailCall() != nullptr;
      if (isa<ReturnInst>(block.getTerminator()))
        returns.push_back(&block);
      else if (isa<UnreachableInst>(block.getTerminator()))
        early.push_back(&block);
    }
    for (auto &entry : counters) {
      Counter &counter = entry.second;
      counter.sum = counter.sites.size() > MostBits;
      for (const Site &site : counter.sites)
        counter.sum |= cyclic.contains(site.call->getParent()) || !isa<ConstantInt>(site.step);
      sums += counter.sum;
    }
  }

  // Functions that are called, and run through once, count where they are: at their end it would cost the same.
  bool worth() const {
    bool kernel = function.getCallingConv() == CallingConv::AMDGPU_KERNEL;
    if (returns.empty() || tail || sums > MostSums || early.size() * counters.size() > MostEarlyEnds)
      return false;
    return kernel || sums > 0;
  }

  Loop *bounded_loop(const Site &site) {
    Loop *loop = loops->getLoopFor(site.call->getParent());
    if (!loop || !loop->isLoopSimplifyForm() || !isa<ConstantInt>(site.step))
      return nullptr;
    auto *rounds = dyn_cast<SCEVConstant>(evolution->getConstantMaxBackedgeTakenCount(loop));
    return rounds && rounds->getAPInt().getActiveBits() <= 31 ? loop : nullptr;
  }

  // Whether what a loop adds in all its rounds has 32 bits.
  bool fits(Loop *loop, ArrayRef<CallInst *> calls) const {
    auto *most = cast<SCEVConstant>(evolution->getConstantMaxBackedgeTakenCount(loop));
    APInt rounds = most->getAPInt().zextOrTrunc(64);
    uint64_t steps = 0;
    for (CallInst *call : calls)
      steps += std::min<uint64_t>(cast<ConstantInt>(call->getArgOperand(4))->getZExtValue(), UINT32_MAX);
    return steps <= UINT32_MAX && (rounds.getZExtValue() + 1) * steps <= UINT32_MAX;
  }

  AllocaInst *slot(Type *type) {
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    AllocaInst *made = builder.CreateAlloca(type, function.getDataLayout().getAllocaAddrSpace());
    builder.CreateStore(Constant::getNullValue(type), made);
    slots.push_back(made);
    return made;
  }

  static void add(IRBuilder<> &builder, AllocaInst *slot, Value *value) {
    Value *old = builder.CreateLoad(slot->getAllocatedType(), slot);
    builder.CreateStore(builder.CreateAdd(old, value), slot);
  }

  void report(Constant *counter, Kind kind, unsigned bit, uint64_t weight, Value *value) {
    Type *word = Type::getInt32Ty(function.getContext());
    Type *wide = Type::getInt64Ty(function.getContext());
    arguments.append({counter, ConstantInt::get(word, kind), ConstantInt::get(word, bit), ConstantInt::get(wide, weight)});
    if (auto *slot = dyn_cast<AllocaInst>(value))
      loads.push_back({slot, static_cast<unsigned>(arguments.size())});
    arguments.push_back(value);
  }

  void bits(Constant *counter, Counter &of) {
    for (const Site &site : of.sites) {
      uint64_t weight = cast<ConstantInt>(site.step)->getZExtValue();
      Value *zero = ConstantInt::get(Type::getInt32Ty(function.getContext()), 0);
      if (site.call->getParent() == &function.getEntryBlock() && early.empty()) {
        report(counter, Always, 0, weight, zero);
      } else {
        if (next_bit == 32 || !mask) {
          mask = slot(zero->getType());
          next_bit = 0;
        }
        IRBuilder<> builder(site.call);
        Value *old = builder.CreateLoad(mask->getAllocatedType(), mask);
        builder.CreateStore(builder.CreateOr(old, builder.getInt32(1u << next_bit)), mask);
        report(counter, Bit, next_bit++, weight, mask);
      }
      site.call->eraseFromParent();
    }
  }

  void sum(Constant *counter, Counter &of) {
    Type *word = Type::getInt32Ty(function.getContext());
    AllocaInst *whole = slot(Type::getInt64Ty(function.getContext()));
    DenseMap<CallInst *, AllocaInst *> parts;
    for (auto &[place, calls] : inner)
      if (place.first == counter && fits(place.second, calls)) {
        Loop *loop = place.second;
        AllocaInst *part = slot(word);
        for (CallInst *call : calls)
          parts[call] = part;
        IRBuilder<> builder(loop->getLoopPreheader()->getTerminator());
        builder.CreateStore(builder.getInt32(0), part);
        SmallVector<BasicBlock *> exits;
        loop->getUniqueExitBlocks(exits);
        for (BasicBlock *exit : exits) {
          builder.SetInsertPoint(&*exit->getFirstInsertionPt());
          Value *value = builder.CreateLoad(word, part);
          add(builder, whole, builder.CreateZExt(value, whole->getAllocatedType()));
        }
      }
    for (const Site &site : of.sites) {
      IRBuilder<> builder(site.call);
      if (AllocaInst *part = parts.lookup(site.call))
        add(builder, part, builder.CreateTrunc(site.step, word));
      else
        add(builder, whole, site.step);
      site.call->eraseFromParent();
    }
    report(counter, Sum, 0, 1, whole);
  }

  // In front of an end without a return, and of the call that does not come back, everything is added lane by lane.
  void add_all(Instruction *end) {
    if (auto *call = dyn_cast_or_null<CallInst>(end->getPrevNode()))
      end = call;
    IRBuilder<> builder(end);
    Type *wide = builder.getInt64Ty();
    for (unsigned at = 0; at < arguments.size(); at += 5) {
      auto kind = cast<ConstantInt>(arguments[at + 1])->getZExtValue();
      uint64_t bit = cast<ConstantInt>(arguments[at + 2])->getZExtValue();
      Value *slot = nullptr;
      for (auto &[alloca, place] : loads)
        if (place == at + 4)
          slot = alloca;
      Value *step = arguments[at + 3];
      if (kind == Bit) {
        Value *mask = builder.CreateLoad(builder.getInt32Ty(), slot);
        Value *set = builder.CreateAnd(builder.CreateLShr(mask, bit), 1);
        step = builder.CreateMul(builder.CreateZExt(set, wide), step);
      } else if (kind == Sum) {
        step = builder.CreateLoad(wide, slot);
      }
      builder.CreateAtomicRMW(AtomicRMWInst::Add, arguments[at], step, Align(8), AtomicOrdering::Monotonic);
    }
  }

  Function &function;
  FunctionAnalysisManager &analyses;
  LoopInfo *loops = nullptr;
  ScalarEvolution *evolution = nullptr;
  MapVector<Constant *, Counter> counters;
  SmallPtrSet<BasicBlock *, 16> cyclic;
  SmallVector<BasicBlock *> returns, early;
  MapVector<std::pair<Constant *, Loop *>, SmallVector<CallInst *, 2>> inner;
  bool tail = false;
  unsigned sums = 0, next_bit = 0;
  AllocaInst *mask = nullptr;
  BasicBlock *last = nullptr;
  SmallVector<AllocaInst *> slots;
  SmallVector<Value *> arguments;
  SmallVector<std::pair<AllocaInst *, unsigned>> loads;
};

} // namespace

bool gather(Function &function, FunctionAnalysisManager &analyses) { return Gathering(function, analyses).run(); }

} // namespace luthier
