// Behind the optimiser additions are placed once more, on the flow graph that it has left.
//
// The additions were placed on the front end's graph, and that is no longer the cheapest place. The optimiser has
// copied and merged blocks and made selections of them. Additions that ended several blocks have become one, and each
// block puts its amount in a register. Amounts that depend on the path therefore go back to the paths. Then all
// constant amounts of a function are placed like costs of instructions (host_count::place): between two places where
// code may read the counter, every path adds what it added before.

#include "count.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr uint32_t Root = 0;
// A jump between a fork and a join that adds costs so many additions elsewhere.
constexpr double SplitPrice = 2.0;
// An addition beside one of a sum in a register becomes one with it, for an instruction that reads no memory, or none.
constexpr double SharedPrice = 0.5;

// Counters per function: the function's own, and those of inlined functions. (Counters per line are added to once
// each.)
constexpr size_t MostAddresses = 4;

class Replacement {
public:
  Replacement(Function &function, Value *address, BlockFrequencyInfo &frequencies, BranchProbabilityInfo &probabilities)
      : function(function), address(address), frequencies(frequencies), probabilities(probabilities),
        word(Type::getInt64Ty(function.getContext())) {}

  bool run() {
    spread();
    describe();
    if (additions.empty() && onJumps.empty())
      return false;
    lc_place(arcs.data(), arcs.size(), 1 + 2 * blocks.size(), SplitPrice);
    for (AtomicRMWInst *addition : additions)
      addition->eraseFromParent();
    for (auto [arc, place] : zip(arcs, places))
      if (arc.amount)
        add(place.end ? place.end : placeOn(place.from, place.to), arc.amount);
    return true;
  }

private:
  struct Place {
    Instruction *end; // of a stretch; null: a jump
    BasicBlock *from, *to;
  };
  using Jump = std::pair<BasicBlock *, BasicBlock *>;

  Function &function;
  Value *address;
  BlockFrequencyInfo &frequencies;
  BranchProbabilityInfo &probabilities;
  IntegerType *word;
  MDNode *tag = nullptr;
  DenseMap<BasicBlock *, uint32_t> blocks;
  MapVector<Jump, int64_t> onJumps;
  SmallVector<AtomicRMWInst *, 16> additions; // of constants
  std::vector<PlacedArc> arcs;
  std::vector<Place> places;

  // Returns true if the counter must be as it is in front of this instruction.
  bool separates(const Instruction &instruction) const {
    if (additionTo(instruction))
      return additionTo(instruction) == address && !instruction.use_empty();
    auto *call = dyn_cast<CallBase>(&instruction);
    return isCounterAccess(instruction) || (call && mayLook(*call));
  }

  AtomicRMWInst *add(Instruction *before, Value *amount) {
    IRBuilder<> builder(before);
    AtomicRMWInst *addition =
        builder.CreateAtomicRMW(AtomicRMWInst::Add, address, amount, Align(8), AtomicOrdering::Monotonic, SyncScope::SingleThread);
    addition->setMetadata(LLVMContext::MD_tbaa, tag);
    return addition;
  }
  AtomicRMWInst *add(Instruction *before, int64_t amount) { return add(before, ConstantInt::getSigned(word, amount)); }

  // Amounts that depend on the way, to the ways.
  void spread() {
    SmallVector<AtomicRMWInst *, 16> pending;
    for (Instruction &instruction : instructions(function))
      if (additionTo(instruction) == address) {
        pending.push_back(cast<AtomicRMWInst>(&instruction));
        if (!tag)
          tag = instruction.getMetadata(LLVMContext::MD_tbaa);
      }
    while (!pending.empty())
      spread(*pending.pop_back_val(), pending);
  }

  void spread(AtomicRMWInst &addition, SmallVectorImpl<AtomicRMWInst *> &pending) {
    if (!addition.use_empty())
      return;
    // A sum with a constant part: that may go elsewhere.
    Value *amount = addition.getValOperand();
    if (auto *sum = dyn_cast<BinaryOperator>(amount);
        sum && sum->getOpcode() == Instruction::Add && sum->hasOneUse() && isa<ConstantInt>(sum->getOperand(1))) {
      add(&addition, sum->getOperand(1));
      addition.setOperand(1, sum->getOperand(0));
      sum->eraseFromParent();
      amount = addition.getValOperand();
    }
    auto *phi = dyn_cast<PHINode>(amount);
    BasicBlock *join = addition.getParent();
    if (!phi || phi->getParent() != join || !phi->hasOneUse())
      return;
    for (Instruction &instruction : *join) {
      if (&instruction == &addition)
        break;
      if (instruction.isEHPad() || separates(instruction))
        return;
    }
    SmallSetVector<BasicBlock *, 8> ways(phi->block_begin(), phi->block_end());
    for (BasicBlock *from : ways) {
      Value *value = phi->getIncomingValueForBlock(from);
      auto *branch = dyn_cast<BranchInst>(from->getTerminator());
      bool holdsSum = branch && branch->isUnconditional();
      bool holdsConstant = branch || isa<SwitchInst>(from->getTerminator());
      // (A loop's sum stays one.)
      if (value == phi || !(isa<ConstantInt>(value) ? holdsConstant : holdsSum))
        return;
    }
    for (BasicBlock *from : ways) {
      Value *value = phi->getIncomingValueForBlock(from);
      if (auto *constant = dyn_cast<ConstantInt>(value))
        onJumps[{from, join}] += constant->getSExtValue();
      else
        pending.push_back(add(from->getTerminator(), value));
    }
    addition.eraseFromParent();
    phi->eraseFromParent();
  }

  double frequencyOf(BasicBlock *block) { return double(frequencies.getBlockFreq(block).getFrequency()); }

  void describe() {
    for (BasicBlock &block : function)
      blocks.try_emplace(&block, blocks.size());
    auto entry = [&](BasicBlock *block) { return 1 + 2 * blocks[block]; };
    BasicBlock &first = function.getEntryBlock();
    arc(Root, entry(&first), 0, frequencyOf(&first), {nullptr, nullptr, nullptr}, false, false);
    for (BasicBlock &block : function) {
      uint32_t vertex = entry(&block);
      int64_t cost = 0;
      bool shared = false;
      double frequency = frequencyOf(&block);
      auto close = [&](uint32_t to, Instruction *end) {
        arc(vertex, to, cost, shared ? frequency * SharedPrice : frequency, {end, nullptr, nullptr}, true, false);
        vertex = Root, cost = 0, shared = false;
      };
      for (Instruction &instruction : block) {
        if (separates(instruction)) {
          close(Root, &instruction);
        } else if (additionTo(instruction) == address) {
          auto *constant = dyn_cast<ConstantInt>(instruction.getOperand(1));
          shared |= !constant;
          if (constant) {
            cost += constant->getSExtValue();
            additions.push_back(cast<AtomicRMWInst>(&instruction));
          }
        }
      }
      Instruction *end = block.getTerminator();
      if (isa<ReturnInst, ResumeInst>(end))
        close(Root, end);
      if (succ_empty(&block))
        continue;
      // (What may look and ends a block, an invoke, has ended the stretch, too.)
      uint32_t out = Root;
      if (!separates(*end)) {
        out = 2 + 2 * blocks[&block];
        close(out, end);
      }
      SmallSetVector<BasicBlock *, 4> targets;
      for (BasicBlock *to : successors(&block))
        targets.insert(to);
      for (BasicBlock *to : targets) {
        auto jump = onJumps.find({&block, to});
        bool plain = isa<BranchInst, SwitchInst>(end);
        bool alone = to->getUniquePredecessor() == &block && !to->isEHPad();
        BranchProbability share = probabilities.getEdgeProbability(&block, to);
        double often = frequency * share.getNumerator() / BranchProbability::getDenominator();
        int64_t amount = jump == onJumps.end() ? 0 : jump->second;
        arc(out, entry(to), amount, often, {nullptr, &block, to}, plain || alone, !alone && targets.size() > 1);
      }
    }
  }

  void arc(uint32_t from, uint32_t to, int64_t cost, double frequency, Place place, bool holds, bool split) {
    arcs.push_back({from, to, cost, frequency, holds, split, 0});
    places.push_back(place);
  }

  Instruction *placeOn(BasicBlock *from, BasicBlock *to) {
    Instruction *end = from->getTerminator();
    if (to->getUniquePredecessor() == from)
      return &*to->getFirstInsertionPt();
    if (all_of(successors(from), [&](BasicBlock *other) { return other == to; }))
      return end;
    auto *between = BasicBlock::Create(function.getContext(), "", &function, to);
    BranchInst *jump = BranchInst::Create(to, between);
    jump->setDebugLoc(end->getDebugLoc());
    for (unsigned index = 0; index < end->getNumSuccessors(); ++index)
      if (end->getSuccessor(index) == to)
        end->setSuccessor(index, between);
    for (PHINode &phi : to->phis()) {
      bool first = true;
      for (int index = phi.getNumIncomingValues() - 1; index >= 0; --index)
        if (phi.getIncomingBlock(index) == from) {
          if (first)
            phi.setIncomingBlock(index, between);
          else
            phi.removeIncomingValue(index, false);
          first = false;
        }
    }
    return jump;
  }
};

} // namespace

bool replaceAdditions(Module &module, ModuleAnalysisManager &analyses) {
  if (!module.getNamedMetadata(DoneMetadata))
    return false;
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (Function &function : module) {
    if (function.isDeclaration() || function.hasOptNone() || function.isPresplitCoroutine() || function.hasFnAttribute(Attribute::Naked))
      continue;
    SmallSetVector<Value *, 4> addresses;
    bool funclets = false;
    for (Instruction &instruction : instructions(function)) {
      if (Value *address = additionTo(instruction))
        addresses.insert(address);
      funclets |= isa<FuncletPadInst, CatchSwitchInst>(instruction);
    }
    if (funclets || addresses.empty() || addresses.size() > MostAddresses)
      continue;
    for (Value *address : addresses) {
      functions.invalidate(function, PreservedAnalyses::none());
      changed |= Replacement(function, address, functions.getResult<BlockFrequencyAnalysis>(function),
                             functions.getResult<BranchProbabilityAnalysis>(function))
                     .run();
    }
    functions.invalidate(function, PreservedAnalyses::none());
  }
  return changed;
}

} // namespace luthier
