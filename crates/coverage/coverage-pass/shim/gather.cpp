// Sites become sums that a lane keeps in registers until its function ends.
//
// Blocks that are executed as often as each other are one place. A place that is executed at most once is a bit of a mask. A place
// on a cycle is a sum of 64 bits. Inside an innermost loop with a bounded number of iterations, it is a sum of 32 bits, which is
// added to the other sum at the loop's exits. The sum is an induction variable, and often needs no work at all. The note
// (`notes.cpp`) tells the drain how counters follow from places.

#include "pass.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include <map>

using namespace llvm;

namespace luthier {

namespace {

// More sums than this would take the kernel's registers away. The others are added in memory.
constexpr unsigned MostSums = 40;
// Additions in front of code that never returns (assertions, traps) cost code size.
constexpr unsigned MostEarlyEnds = 256;
// A counter that is reached in more places has a sum of its own.
constexpr unsigned MostPlaces = 3;

// A place: executions of equivalent blocks, or the amount that one counter adds.
struct Place {
  BasicBlock *block = nullptr;
  SmallVector<CallInst *, 2> calls;
  bool sum = false;
  // A place of blocks adds 1 and not the step.
  bool steps = false;
  // For a single site whose step is 0 or 1: whether it is 1.
  Value *flag = nullptr;
  unsigned depth = 0;
  // All that its calls are in.
  SmallPtrSet<Loop *, 4> loops;
  unsigned column = 0;
};

// The condition of a step that is 1 or 0, as conditional expressions count.
Value *flag_of(Value *step) {
  if (auto *extension = dyn_cast<ZExtInst>(step); extension && extension->getSrcTy()->isIntegerTy(1))
    return extension->getOperand(0);
  auto *choice = dyn_cast<SelectInst>(step);
  if (choice && match(choice->getTrueValue(), PatternMatch::m_One()) && match(choice->getFalseValue(), PatternMatch::m_Zero()))
    return choice->getCondition();
  return nullptr;
}

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
  Gathering(Function &function, FunctionAnalysisManager &analyses)
      : function(function), loops(analyses.getResult<LoopAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)), before(analyses.getResult<DominatorTreeAnalysis>(function)),
        behind(analyses.getResult<PostDominatorTreeAnalysis>(function)) {}

  bool run() {
    find();
    if (counters.empty())
      return false;
    if (!worth()) {
      for (auto &[counter, sites] : counters)
        for (const Site &site : sites)
          restore(site);
      return true;
    }
    place_all();
    // Asked for before anything changes.
    for (auto [at, place] : enumerate(places))
      if (place.sum)
        for (CallInst *call : place.calls)
          if (Loop *loop = bounded_loop(call, place.steps))
            inner[{unsigned(at), loop}].push_back(call);
    BasicBlock *last = one_return(function, returns);
    for (Place &place : places)
      for (CallInst *call : place.calls)
        for (Loop *loop = loops.getLoopFor(call->getParent()); loop; loop = loop->getParentLoop())
          place.loops.insert(loop);
    for (auto [at, place] : enumerate(places))
      place.sum ? sum(at, place) : bit(place);
    for (const Site &site : superfluous)
      site.call->eraseFromParent();
    GlobalVariable *table = describe(function, sums.size(), bits, parts);
    for (BasicBlock *end : early) {
      Instruction *before = end->getTerminator();
      if (auto *call = dyn_cast_or_null<CallInst>(before->getPrevNode()))
        before = call;
      flush_before(before, table);
    }
    flush_before(last->getTerminator(), table);
    keep_for_later();
    promote(function, slots);
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
          counters[found.counter].push_back(found);
      tail |= block.getTerminatingMustTailCall() != nullptr;
      if (isa<ReturnInst>(block.getTerminator()))
        returns.push_back(&block);
      else if (isa<UnreachableInst>(block.getTerminator()))
        early.push_back(&block);
    }
  }

  // Functions that are called, and run through once, count where they are: at their end it would cost the same.
  bool worth() const {
    bool kernel = function.getCallingConv() == CallingConv::AMDGPU_KERNEL;
    if (returns.empty() || tail || early.size() * counters.size() > MostEarlyEnds)
      return false;
    return kernel || any_of(counters, [&](auto &entry) {
             return any_of(entry.second, [&](const Site &site) { return cyclic.contains(site.call->getParent()); });
           });
  }

  // Returns true if lanes execute both blocks equally often.
  bool equivalent(BasicBlock *one, BasicBlock *other) const {
    if (one == other)
      return true;
    if (irreducible || loops.getLoopFor(one) != loops.getLoopFor(other))
      return false;
    return (before.dominates(one, other) && behind.dominates(other, one)) || (before.dominates(other, one) && behind.dominates(one, other));
  }

  // Returns true if a site adds 1 or nothing, and at most once.
  bool once(const Site &site) const { return !cyclic.contains(site.call->getParent()) && flag_of(site.step); }

  unsigned place_of(BasicBlock *block) {
    for (auto [at, place] : enumerate(places))
      if (!place.steps && !place.flag && equivalent(place.block, block))
        return at;
    places.emplace_back();
    places.back().block = block;
    places.back().sum = cyclic.contains(block);
    places.back().depth = loops.getLoopDepth(block);
    return places.size() - 1;
  }

  void place_all() {
    ReversePostOrderTraversal<Function *> order(&function);
    irreducible = containsIrreducibleCFG<BasicBlock *>(order, loops);
    // The places that each counter consists of, and how often.
    SmallVector<std::tuple<Constant *, unsigned, uint64_t, Site>> terms;
    for (auto &[counter, sites] : counters) {
      bool own = sites.size() > MostPlaces || any_of(sites, [&](const Site &site) { return !isa<ConstantInt>(site.step) && !once(site); });
      unsigned at = places.size();
      if (own) {
        places.emplace_back();
        places.back().sum = places.back().steps = true;
      }
      for (const Site &site : sites) {
        uint64_t weight = 1;
        if (own) {
          places[at].calls.push_back(site.call);
          places[at].depth = std::max(places[at].depth, loops.getLoopDepth(site.call->getParent()));
        } else if (isa<ConstantInt>(site.step)) {
          at = place_of(site.call->getParent());
          weight = cast<ConstantInt>(site.step)->getZExtValue();
        } else {
          at = places.size();
          places.emplace_back();
          places[at].flag = flag_of(site.step);
        }
        terms.push_back({counter, at, weight, site});
      }
    }
    for (auto [at, place] : enumerate(places))
      if (place.sum)
        sums.push_back(at);
    // The outermost ones are the cheapest in memory.
    sort(sums, [&](unsigned a, unsigned b) { return std::pair(places[b].depth, a) < std::pair(places[a].depth, b); });
    SmallDenseSet<unsigned> in_memory;
    while (sums.size() > MostSums)
      in_memory.insert(sums.pop_back_val());
    number();
    SmallPtrSet<Constant *, 8> owned;
    for (auto &[counter, at, weight, site] : terms) {
      Place &place = places[at];
      if (in_memory.contains(at)) {
        place.sum = false;
        place.calls.clear();
        restore(site);
        continue;
      }
      if (place.steps ? owned.insert(counter).second : true)
        parts[counter].push_back({place.column, weight});
      if (place.steps)
        continue;
      // The first of equivalent blocks counts for all.
      if (place.calls.empty() && (place.flag || site.call->getParent() == place.block))
        place.calls.push_back(site.call);
      else
        superfluous.push_back(site);
    }
  }

  // Columns of the note: all lanes, bits, sums.
  void number() {
    for (Place &place : places)
      if (!place.sum && (place.flag || !equivalent(place.block, &function.getEntryBlock())))
        place.column = ++bits;
    for (auto [at, sum] : enumerate(sums))
      places[sum].column = 1 + bits + at;
  }

  // At most this much is added; 0 if that is not known.
  static uint64_t step_of(CallInst *call, bool steps) {
    Value *step = call->getArgOperand(4);
    if (!steps || flag_of(step))
      return 1;
    auto *constant = dyn_cast<ConstantInt>(step);
    return constant ? constant->getZExtValue() : 0;
  }

  Loop *bounded_loop(CallInst *call, bool steps) {
    Loop *loop = loops.getLoopFor(call->getParent());
    if (!loop || !loop->isLoopSimplifyForm() || step_of(call, steps) == 0)
      return nullptr;
    auto *rounds = dyn_cast<SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(loop));
    return rounds && rounds->getAPInt().getActiveBits() <= 31 ? loop : nullptr;
  }

  // Returns true if the sum over all iterations of a loop fits 32 bits.
  bool fits(Loop *loop, ArrayRef<CallInst *> calls, bool steps) {
    auto *most = cast<SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(loop));
    APInt rounds = most->getAPInt().zextOrTrunc(64);
    uint64_t total = 0;
    for (CallInst *call : calls)
      total += std::min<uint64_t>(step_of(call, steps), UINT32_MAX);
    return total <= UINT32_MAX && (rounds.getZExtValue() + 1) * total <= UINT32_MAX;
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

  void bit(Place &place) {
    for (CallInst *call : place.calls) {
      if (place.column != 0) {
        unsigned at = place.column - 1;
        while (masks.size() <= at / BitsOfMask)
          masks.push_back(slot(Type::getInt32Ty(function.getContext())));
        AllocaInst *mask = masks[at / BitsOfMask];
        IRBuilder<> builder(call);
        Value *old = builder.CreateLoad(mask->getAllocatedType(), mask);
        Value *bit = builder.getInt32(uint32_t(1) << (FirstBit + at % BitsOfMask));
        if (place.flag)
          bit = builder.CreateSelect(place.flag, bit, builder.getInt32(0));
        builder.CreateStore(builder.CreateOr(old, bit), mask);
      }
      call->eraseFromParent();
    }
  }

  void sum(unsigned at, Place &place) {
    Type *word = Type::getInt32Ty(function.getContext());
    AllocaInst *whole = slot(Type::getInt64Ty(function.getContext()));
    totals[place.column] = whole;
    DenseMap<CallInst *, AllocaInst *> partial;
    for (auto &[of, calls] : inner)
      if (of.first == at && fits(of.second, calls, place.steps)) {
        Loop *loop = of.second;
        AllocaInst *part = slot(word);
        for (CallInst *call : calls)
          partial[call] = part;
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
    for (CallInst *call : place.calls) {
      IRBuilder<> builder(call);
      Value *step = place.steps ? call->getArgOperand(4) : builder.getInt64(1);
      if (AllocaInst *part = partial.lookup(call))
        add(builder, part, builder.CreateTrunc(step, word));
      else
        add(builder, whole, step);
      call->eraseFromParent();
    }
  }

  // A loop that lanes leave in several ways becomes one with a single exit after the optimiser. Until then its sums
  // stay in memory. As values they would be one more variable for each exit, and each iteration would copy them. (The
  // compiler prepares functions that end without a return, or never, only after this pass.)
  void keep_for_later() {
    if (!early.empty() || any_of(loops.getLoopsInPreorder(), [](Loop *loop) { return loop->hasNoExitBlocks(); }))
      return;
    SmallPtrSet<AllocaInst *, 8> later;
    for (unsigned at : sums)
      for (Loop *loop : places[at].loops)
        if (!loop->getExitingBlock())
          later.insert(totals[places[at].column]);
    for (AllocaInst *slot : later)
      keep(slot);
    erase_if(slots, [&](AllocaInst *slot) { return later.contains(slot); });
  }

  // A call with the table, and the values of all sums and masks.
  void flush_before(Instruction *end, GlobalVariable *table) {
    IRBuilder<> builder(end);
    SmallVector<Value *> arguments{table, builder.getInt32(sums.size()), builder.getInt32(bits)};
    for (auto &[column, slot] : totals)
      arguments.push_back(builder.CreateLoad(slot->getAllocatedType(), slot));
    for (AllocaInst *mask : masks)
      arguments.push_back(builder.CreateLoad(mask->getAllocatedType(), mask));
    auto *type = FunctionType::get(builder.getVoidTy(), /*isVarArg=*/true);
    FunctionCallee callee = function.getParent()->getOrInsertFunction(FlushName, type);
    CallInst *call = builder.CreateCall(callee, arguments);
    call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    for (auto attribute :
         {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback, Attribute::Convergent, Attribute::NoDuplicate})
      call->addFnAttr(attribute);
  }

  Function &function;
  LoopInfo &loops;
  ScalarEvolution &evolution;
  DominatorTree &before;
  PostDominatorTree &behind;
  MapVector<Constant *, SmallVector<Site, 2>> counters;
  SmallPtrSet<BasicBlock *, 16> cyclic;
  SmallVector<BasicBlock *> returns, early;
  std::vector<Place> places;
  SmallVector<unsigned> sums;
  SmallVector<Site> superfluous;
  Parts parts;
  MapVector<std::pair<unsigned, Loop *>, SmallVector<CallInst *, 2>> inner;
  bool tail = false, irreducible = false;
  unsigned bits = 0;
  SmallVector<AllocaInst *> slots, masks;
  // By column.
  std::map<unsigned, AllocaInst *> totals;
};

} // namespace

bool gather(Function &function, FunctionAnalysisManager &analyses) { return Gathering(function, analyses).run(); }

} // namespace luthier
