// Instructions that clang writes for one C++ ABI and not for another: 64-bit ARM against the others.

#include "count.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace luthier {
namespace {

// ARM looks at the lowest bit of the variable that says whether a static variable is initialised, others at its first byte.
bool isGuardBit(const Instruction &instruction) {
  const Value *guard = nullptr;
  if (!match(&instruction, m_And(m_Load(m_Value(guard)), m_One())))
    return false;
  if (auto *here = dyn_cast<IntrinsicInst>(guard); here && here->getIntrinsicID() == Intrinsic::threadlocal_address)
    guard = here->getArgOperand(0);
  guard = guard->stripPointerCasts();
  return isa<GlobalVariable>(guard) && guard->getName().starts_with("_ZGV");
}

// Part 0 of a pointer to a member function says where the function is, part 1 what is added to `this`.
bool isPart(const Value *value, unsigned part) {
  auto *extract = dyn_cast<ExtractValueInst>(value);
  if (!extract || extract->getNumIndices() != 1 || extract->getIndices()[0] != part)
    return false;
  auto *pair = dyn_cast<StructType>(extract->getAggregateOperand()->getType());
  return pair && pair->getNumElements() == 2 && pair->getElementType(0)->isIntegerTy() &&
         pair->getElementType(0) == pair->getElementType(1);
}

bool isAskedForItsBit(const Value *value) {
  return any_of(value->users(), [&](const User *user) { return match(user, m_And(m_Specific(value), m_One())); });
}

// ARM keeps the bit "is virtual" in part 1, so that a call shifts that part; others keep it in part 0, so that a call subtracts it.
bool isOfMemberCall(const Instruction &instruction) {
  const Value *part = nullptr;
  return (match(&instruction, m_AShr(m_Value(part), m_One())) && isPart(part, 1) && isAskedForItsBit(part)) ||
         (match(&instruction, m_Sub(m_Value(part), m_One())) && isPart(part, 0) && isAskedForItsBit(part));
}

bool areParts(const Value *value) {
  const Value *left = nullptr, *right = nullptr;
  return match(value, m_Or(m_Value(left), m_Value(right))) && (isPart(left, 1) || isPart(right, 1));
}

bool isBit(const Value *value) {
  const Value *of = nullptr;
  return match(value, m_And(m_Value(of), m_One())) && (isPart(of, 1) || areParts(of));
}

// Of a call, a branch asks for the bit.
bool isAsked(const Value *value) {
  auto *compared = dyn_cast<ICmpInst>(value);
  return compared && isBit(compared->getOperand(0)) && none_of(compared->users(), [](const User *user) { return isa<BranchInst>(user); });
}

// ARM compares the bit, too, where pointers to member functions are compared with each other or with null.
bool isOfMemberComparison(const Instruction &instruction) {
  auto used = [&](bool (*by)(const Value *)) { return any_of(instruction.users(), [&](const User *user) { return by(user); }); };
  if (areParts(&instruction))
    return used(isBit);
  if (isBit(&instruction))
    return used(isAsked);
  return isAsked(&instruction) ||
         (instruction.isBitwiseLogicOp() && any_of(instruction.operands(), [](const Use &operand) { return isAsked(operand.get()); }));
}

} // namespace

bool isOfOneAbi(const Instruction &instruction) {
  return isGuardBit(instruction) || isOfMemberCall(instruction) || isOfMemberComparison(instruction);
}

} // namespace luthier
