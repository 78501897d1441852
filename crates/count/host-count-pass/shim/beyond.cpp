// Counts that no thread can reach by executing: loops that the optimiser makes a product, or a constant, of.
//
// Nothing executes 2^62 instructions, but what three nested loops would have executed is one multiplication. The runtime is told of each
// amount of that kind that is large, and reports a count as "more than" when they come to 2^62 together.
//
// A product is looked at when additions are lowered. The sum of a loop with a constant number of iterations must be looked at before
// the optimiser computes it, because the constant that it leaves may have wrapped. The same holds for a function whose argument becomes
// a constant when it is inlined: it looks itself, where some caller gives it a large constant.

#include "count.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace luthier {
namespace {

// Bits of the most that is counted (BEYOND in crates/count/host-count-rt/c/internal.h).
constexpr unsigned MostBits = 62;
// Amounts with more bits are told to the runtime: as many smaller ones as it takes to come to 2^62 need minutes.
constexpr unsigned FewBits = 40;
// Expressions with more parts are not looked into: the sum of a loop is a few products.
constexpr unsigned MostParts = 64;
// Bits of the cost of one round of a loop.
constexpr unsigned CostBits = 16;
// Bits of an address that a process can have.
constexpr unsigned AddressBits = 48;

Function *many(Module &module) {
  LLVMContext &context = module.getContext();
  FunctionCallee callee =
      module.getOrInsertFunction(ManyName, FunctionType::get(Type::getVoidTy(context), {Type::getInt64Ty(context)}, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setCallingConv(CallingConv::PreserveMost);
  function->addFnAttr(Attribute::Cold);
  function->setDoesNotThrow();
  return function;
}

void tell(IRBuilder<> &builder, Value *amount, Instruction &near) {
  CallInst *call = builder.CreateCall(many(*near.getModule()), {amount});
  call->setCallingConv(CallingConv::PreserveMost);
  call->addFnAttr(Attribute::get(call->getContext(), ComesBack));
  if (near.getDebugLoc())
    call->setDebugLoc(near.getDebugLoc());
  else if (DISubprogram *program = near.getFunction()->getSubprogram())
    call->setDebugLoc(DILocation::get(call->getContext(), 0, 0, program));
}

// How many bits an amount may have, taken apart as far as the optimiser has put it together. Whether there is a product in it.
unsigned bitsOf(Value *value, bool &product, unsigned &parts) {
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return constant->getValue().isNegative() ? 0 : constant->getValue().getActiveBits();
  Value *one, *other;
  uint64_t shift;
  if (++parts > MostParts)
    return 64;
  if (match(value, m_ZExt(m_Value(one))))
    return one->getType()->getScalarSizeInBits();
  // Between two addresses there are no more iterations than a process has memory.
  if (match(value, m_PtrToInt(m_Value(one))))
    return AddressBits;
  if (match(value, m_Not(m_Value(one))))
    return bitsOf(one, product, parts);
  if (match(value, m_LShr(m_Value(one), m_ConstantInt(shift))) && shift < 64)
    return 64 - shift;
  if (match(value, m_Add(m_Value(one), m_Value(other))) || match(value, m_Sub(m_Value(one), m_Value(other))))
    return std::max(bitsOf(one, product, parts), bitsOf(other, product, parts)) + 1;
  if (match(value, m_Mul(m_Value(one), m_Value(other)))) {
    product = true;
    return bitsOf(one, product, parts) + bitsOf(other, product, parts);
  }
  if (match(value, m_Shl(m_Value(one), m_ConstantInt(shift)))) {
    product = true;
    return bitsOf(one, product, parts) + shift;
  }
  return 64;
}

// The amount in twice as many bits.
Value *widened(IRBuilder<> &builder, Value *value, unsigned &parts) {
  Type *wide = builder.getInt128Ty();
  Value *one, *other;
  uint64_t shift;
  if (++parts <= MostParts) {
    auto wider = [&](Value *part) { return widened(builder, part, parts); };
    if (match(value, m_Add(m_Value(one), m_Value(other))))
      return builder.CreateAdd(wider(one), wider(other));
    if (match(value, m_Sub(m_Value(one), m_Value(other))))
      return builder.CreateSub(wider(one), wider(other));
    if (match(value, m_Mul(m_Value(one), m_Value(other))))
      return builder.CreateMul(wider(one), wider(other));
    if (match(value, m_Shl(m_Value(one), m_ConstantInt(shift))))
      return builder.CreateShl(wider(one), builder.getIntN(128, shift));
  }
  return builder.CreateSExt(value, wide);
}

// The amounts that the runtime is told of.
enum class Telling { Large, Beyond };

// Checks `amount` in front of `at`, if it may be too much.
bool checkAmount(Value *amount, Instruction *at, Telling telling) {
  bool product = false;
  unsigned parts = 0;
  if (bitsOf(amount, product, parts) <= MostBits || !product)
    return false;
  IRBuilder<> builder(at);
  // A number of iterations times a cost is the usual case: it is compared with what is too many.
  Value *count, *rest = amount, *inner;
  ConstantInt *constant;
  uint64_t cost = 0, shift;
  if (match(rest, m_Add(m_Value(inner), m_ConstantInt(constant))))
    rest = inner;
  bool isMultiple = false, isProduct = false;
  unsigned some = 0;
  if (match(rest, m_Mul(m_Value(count), m_ConstantInt(constant))) && !constant->isNegative())
    isMultiple = true, cost = constant->getZExtValue();
  else if (match(rest, m_Shl(m_Value(count), m_ConstantInt(shift))) && shift < MostBits)
    isMultiple = true, cost = uint64_t(1) << shift;
  if (isMultiple && cost != 0)
    bitsOf(count, isProduct, some);
  Value *large, *beyond;
  if (isMultiple && cost != 0 && !isProduct) {
    auto exceeds = [&](unsigned bits) { return builder.CreateICmpUGT(count, builder.getInt64((uint64_t(1) << bits) / cost)); };
    large = exceeds(FewBits);
    beyond = exceeds(MostBits);
  } else {
    some = 0;
    Value *wide = widened(builder, amount, some);
    auto exceeds = [&](unsigned bits) {
      APInt most = APInt::getOneBitSet(128, bits), twice = APInt::getOneBitSet(128, bits + 1);
      return builder.CreateICmpUGE(builder.CreateAdd(wide, builder.getInt(most)), builder.getInt(twice));
    };
    large = exceeds(FewBits);
    beyond = exceeds(MostBits);
  }
  MDNode *unlikely = MDBuilder(at->getContext()).createBranchWeights(1, 1 << 20);
  Value *most = builder.getInt64(uint64_t(1) << MostBits);
  bool each = telling == Telling::Large;
  builder.SetInsertPoint(SplitBlockAndInsertIfThen(each ? large : beyond, at->getIterator(), false, unlikely));
  tell(builder, each ? builder.CreateSelect(beyond, most, amount) : most, *at);
  return true;
}

// The same for a constant. It may be negative: an addition can take back an amount that was paid ahead.
void checkConstant(ConstantInt *amount, Instruction *at) {
  const APInt &value = amount->getValue();
  if (value.abs().getActiveBits() <= FewBits)
    return;
  IRBuilder<> builder(at);
  bool beyond = value.abs().getActiveBits() > MostBits;
  tell(builder, beyond ? builder.getInt64(uint64_t(1) << MostBits) : amount, *at);
}

// The parts of an amount on the paths to its addition, each with the place after which it is part of it.
using Parts = SmallVector<std::pair<Value *, Instruction *>, 8>;

bool isMerged(Value *value) {
  Value *one, *other;
  if (isa<PHINode, SelectInst>(value))
    return true;
  return match(value, m_Add(m_Value(one), m_Value(other))) && (isMerged(one) || isMerged(other));
}

void collect(Value *value, Instruction *at, SmallPtrSetImpl<Value *> &seen, Parts &parts) {
  if (!isMerged(value)) {
    parts.emplace_back(value, at);
    return;
  }
  if (!seen.insert(value).second || seen.size() > MostParts)
    return;
  if (auto *phi = dyn_cast<PHINode>(value)) {
    for (unsigned index = 0; index < phi->getNumIncomingValues(); ++index)
      collect(phi->getIncomingValue(index), phi->getIncomingBlock(index)->getTerminator(), seen, parts);
    return;
  }
  auto *user = cast<User>(value);
  for (unsigned index = isa<SelectInst>(value) ? 1 : 0; index < user->getNumOperands(); ++index)
    collect(user->getOperand(index), at, seen, parts);
}

} // namespace

void watchAmount(AtomicRMWInst &addition) {
  Value *amount = addition.getValOperand();
  if (!amount->getType()->isIntegerTy(64) || !addition.use_empty())
    return;
  SmallPtrSet<Value *, 16> seen;
  Parts parts;
  collect(amount, &addition, seen, parts);
  for (auto [part, at] : parts)
    if (at->isEHPad())
      continue;
    else if (auto *constant = dyn_cast<ConstantInt>(part))
      checkConstant(constant, at);
    else
      checkAmount(part, at, Telling::Large);
}

namespace {

// Bits in which no sum of a loop wraps: a polynomial of the number of iterations.
constexpr unsigned WideBits = 1024;
constexpr unsigned MostDegree = 8;

// The amount by which a sum grows in `iterations`, if its steps are constants.
std::optional<APInt> growth(const SCEVAddRecExpr &sum, const APInt &iterations) {
  APInt total(WideBits, 0), binomial(WideBits, 1), count = iterations.zext(WideBits);
  if (sum.getNumOperands() > MostDegree)
    return std::nullopt;
  for (unsigned degree = 1; degree < sum.getNumOperands(); ++degree) {
    auto *step = dyn_cast<SCEVConstant>(sum.getOperand(degree));
    if (!step)
      return std::nullopt;
    binomial = (binomial * (count - (degree - 1))).udiv(APInt(WideBits, degree));
    total += binomial * step->getAPInt().sext(WideBits);
  }
  return total;
}

// Sums of loops that come to 2^62 by constants alone, before the optimiser replaces them. An outermost loop tells the runtime, once for
// all; what it adds itself says nothing then. A loop in another one adds 2^62, which the other one multiplies.
class WatchLoopsPass : public PassInfoMixin<WatchLoopsPass> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (function.hasOptNone() || !function.getParent()->getNamedMetadata(DoneMetadata))
      return PreservedAnalyses::all();
    bool changed = false;
    for (Loop *outermost : analyses.getResult<LoopAnalysis>(function)) {
      SmallVector<Loop *, 4> nest(outermost->getLoopsInPreorder());
      unsigned bits = 0;
      for (Loop *loop : nest)
        if (const SCEVConstant *iterations = constantIterations(*loop, analyses.getResult<ScalarEvolutionAnalysis>(function)))
          bits += iterations->getAPInt().getActiveBits();
      // Where so few rounds are known, what they cost together is no large constant. The optimiser deals with the loops as they stand.
      if (bits < FewBits - CostBits)
        continue;
      for (Loop *loop : reverse(nest))
        changed |= watch(*loop, function, analyses);
    }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

private:
  static const SCEVConstant *constantIterations(Loop &loop, ScalarEvolution &evolution) {
    auto *iterations = dyn_cast<SCEVConstant>(evolution.getBackedgeTakenCount(&loop));
    return loop.getExitingBlock() && iterations && iterations->getAPInt().getBitWidth() <= 64 ? iterations : nullptr;
  }

  static bool watch(Loop &loop, Function &function, FunctionAnalysisManager &analyses) {
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    const SCEVConstant *iterations = constantIterations(loop, evolution);
    if (!iterations)
      return false;
    struct Sum {
      Instruction *instruction;
      const SCEV *start;
      APInt grown;
    };
    SmallVector<Sum, 2> sums;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        bool leaves = instruction.getType()->isIntegerTy(64) &&
                      any_of(instruction.users(), [&](User *user) { return !loop.contains(cast<Instruction>(user)); });
        if (!leaves || !isSum(&instruction))
          continue;
        auto *sum = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&instruction));
        if (!sum || sum->getLoop() != &loop)
          continue;
        std::optional<APInt> grown = growth(*sum, iterations->getAPInt());
        // A loop in another one is replaced by what it adds, or the other one's sum would not be known.
        if (grown && (loop.getParentLoop() || grown->abs().getActiveBits() > MostBits))
          sums.push_back({&instruction, sum->getStart(), *grown});
      }
    if (sums.empty())
      return false;
    BasicBlock *before = loop.getLoopPreheader();
    if (!before)
      before = InsertPreheaderForLoop(&loop, &analyses.getResult<DominatorTreeAnalysis>(function),
                                      &analyses.getResult<LoopAnalysis>(function), nullptr, false);
    if (!before)
      return false;
    Instruction *at = before->getTerminator();
    SCEVExpander expander(evolution, "count");
    for (const Sum &sum : sums) {
      Instruction *instruction = sum.instruction;
      if (!expander.isSafeToExpandAt(sum.start, at))
        continue;
      Value *end = expander.expandCodeFor(sum.start, instruction->getType(), at->getIterator());
      IRBuilder<> builder(at);
      uint64_t most = uint64_t(1) << MostBits;
      if (loop.getParentLoop())
        end = builder.CreateAdd(
            end, builder.getInt64(sum.grown.abs().getActiveBits() > MostBits ? most : sum.grown.getLoBits(64).getZExtValue()));
      else
        tell(builder, builder.getInt64(most), *at);
      instruction->replaceUsesWithIf(end, [&](Use &use) { return !loop.contains(cast<Instruction>(use.getUser())); });
    }
    evolution.forgetTopmostLoop(&loop);
    return true;
  }
};

} // namespace

namespace {

// Bits of a constant argument from which on products of it are looked at: four loops in one another come to 2^62 with it.
constexpr unsigned LargeBits = 15;

// Products of a function that may be inlined where they become constants. Only a function that some caller gives a large constant is looked
// at, because the look is in the way of other optimisations. It reports only 2^62 at once, because a later look reports the rest.
class WatchArgumentsPass : public PassInfoMixin<WatchArgumentsPass> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    if (function.hasOptNone() || !function.getParent()->getNamedMetadata(DoneMetadata) || !getsLargeConstant(function))
      return PreservedAnalyses::all();
    SmallVector<AtomicRMWInst *, 8> additions;
    for (Instruction &instruction : instructions(function))
      if (additionTo(instruction) && instruction.use_empty() && instruction.getType()->isIntegerTy(64))
        additions.push_back(cast<AtomicRMWInst>(&instruction));
    bool changed = false;
    for (AtomicRMWInst *addition : additions) {
      SmallPtrSet<Value *, 16> seen;
      Parts parts;
      collect(addition->getValOperand(), addition, seen, parts);
      for (auto [part, at] : parts)
        changed |= !at->isEHPad() && !isa<ConstantInt>(part) && checkAmount(part, at, Telling::Beyond);
    }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

private:
  static bool getsLargeConstant(const Function &function) {
    return any_of(function.users(), [&](const User *user) {
      auto *call = dyn_cast<CallBase>(user);
      return call && call->getCalledOperand() == &function && any_of(call->args(), [](const Value *argument) {
               auto *constant = dyn_cast<ConstantInt>(argument);
               return constant && constant->getValue().getSignificantBits() > LargeBits;
             });
    });
  }
};

} // namespace

void registerWatches(PassBuilder &builder) {
  builder.registerPeepholeEPCallback([](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(WatchLoopsPass()); });
  // When the function's loops are products, and it is not inlined yet.
  builder.registerScalarOptimizerLateEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(WatchArgumentsPass()); });
}

} // namespace luthier
