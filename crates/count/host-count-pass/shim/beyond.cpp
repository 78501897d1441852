// Counts that no thread can reach by executing: loops that the optimiser makes a product of.
//
// No thread executes 2^62 instructions, but three nested loops may become one multiplication. If such a product is too
// large for the counter, the runtime is told, and the count is reported as "more than". (Sums of loops whose numbers of
// iterations are all constants are constants before this pass sees them.)

#include "count.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace luthier {
namespace {

// Bits of the most that is counted (BEYOND in crates/count/host-count-rt/c/internal.h).
constexpr unsigned MostBits = 62;
// Expressions with more parts are not looked into: the sum of a loop is a few products.
constexpr unsigned MostParts = 64;
// Bits of an address that a process can have.
constexpr unsigned AddressBits = 48;

Function *beyond(Module &module) {
  FunctionCallee callee = module.getOrInsertFunction(BeyondName, FunctionType::get(Type::getVoidTy(module.getContext()), false));
  auto *function = cast<Function>(callee.getCallee());
  function->setCallingConv(CallingConv::PreserveMost);
  function->addFnAttr(Attribute::Cold);
  function->setDoesNotThrow();
  return function;
}

void tell(IRBuilder<> &builder, Instruction &near) {
  CallInst *call = builder.CreateCall(beyond(*near.getModule()));
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

// Checks `amount` in front of `at`.
void checkAmount(Value *amount, Instruction *at) {
  bool product = false;
  unsigned parts = 0;
  if (bitsOf(amount, product, parts) <= MostBits || !product)
    return;
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
  Value *large;
  if (isMultiple && cost != 0 && !isProduct) {
    large = builder.CreateICmpUGT(count, builder.getInt64((uint64_t(1) << MostBits) / cost));
  } else {
    some = 0;
    Value *wide = widened(builder, amount, some);
    APInt most = APInt::getOneBitSet(128, MostBits), twice = APInt::getOneBitSet(128, MostBits + 1);
    large = builder.CreateICmpUGE(builder.CreateAdd(wide, builder.getInt(most)), builder.getInt(twice));
  }
  MDNode *unlikely = MDBuilder(at->getContext()).createBranchWeights(1, 1 << 20);
  builder.SetInsertPoint(SplitBlockAndInsertIfThen(large, at->getIterator(), false, unlikely));
  tell(builder, *at);
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
  if (!amount->getType()->isIntegerTy(64) || isa<ConstantInt>(amount) || !addition.use_empty())
    return;
  SmallPtrSet<Value *, 16> seen;
  Parts parts;
  collect(amount, &addition, seen, parts);
  for (auto [part, at] : parts)
    if (!isa<ConstantInt>(part) && !at->isEHPad())
      checkAmount(part, at);
}

} // namespace luthier
