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

// Part 0 of a pointer to a member function says where the function is, part 1 what is added to `this`. Pairs of integers that functions
// return look like that, and complex integers: what is done with the parts tells them apart.
bool isPart(const Value *value, unsigned part) {
  auto *extract = dyn_cast<ExtractValueInst>(value);
  if (!extract || extract->getNumIndices() != 1 || extract->getIndices()[0] != part)
    return false;
  auto *pair = dyn_cast<StructType>(extract->getAggregateOperand()->getType());
  Type *word = extract->getModule()->getDataLayout().getIntPtrType(extract->getContext());
  return pair && pair->isLiteral() && pair->getNumElements() == 2 && pair->getElementType(0) == word && pair->getElementType(1) == word;
}

template <class Pattern> bool isUsedAs(const Value *value, Pattern pattern) {
  return any_of(value->users(), [&](const User *user) { return match(user, pattern); });
}

// Returns true if part 0 of this part's pair is called where the function is not virtual: then it is an address.
bool isOfCalledPair(const Value *part) {
  const Value *pair = cast<ExtractValueInst>(part)->getAggregateOperand();
  return any_of(pair->users(), [](const User *user) { return isPart(user, 0) && isUsedAs(user, m_IntToPtr(m_Value())); });
}

// Returns true for the distance from `this`, or from the virtual table. (Some ABIs keep tables with relative addresses.)
bool isDistance(const Instruction &instruction) {
  return !instruction.user_empty() && all_of(instruction.users(), [](const User *user) {
    auto *address = dyn_cast<GetElementPtrInst>(user);
    auto *call = dyn_cast<IntrinsicInst>(user);
    return (address && address->getSourceElementType()->isIntegerTy(8)) || (call && call->getIntrinsicID() == Intrinsic::load_relative);
  });
}

// ARM keeps the bit "is virtual" in part 1, so that a call shifts that part; others keep it in part 0, so that a call subtracts it.
bool isOfMemberCall(const Instruction &instruction) {
  const Value *part = nullptr;
  bool shifts = match(&instruction, m_AShr(m_Value(part), m_One())) && isPart(part, 1);
  bool subtracts = !shifts && match(&instruction, m_Sub(m_Value(part), m_One())) && isPart(part, 0);
  return (shifts || subtracts) && isUsedAs(part, m_And(m_Specific(part), m_One())) && isOfCalledPair(part) && isDistance(instruction);
}

bool areParts(const Value *value) {
  const Value *left = nullptr, *right = nullptr;
  return match(value, m_Or(m_Value(left), m_Value(right))) && (isPart(left, 1) || isPart(right, 1));
}

bool isBit(const Value *value) {
  const Value *of = nullptr;
  return match(value, m_And(m_Value(of), m_One())) && (isPart(of, 1) || areParts(of));
}

// A comparison of pointers joins what it asks, as bits. C and C++ have no such operation on bits, and a call asks by a branch.
bool isAsked(const Value *value) {
  auto *compared = dyn_cast<ICmpInst>(value);
  return compared && isBit(compared->getOperand(0)) && all_of(compared->users(), [](const User *user) {
           return user->getType()->isIntegerTy(1) && (match(user, m_And(m_Value(), m_Value())) || match(user, m_Or(m_Value(), m_Value())));
         });
}

// ARM compares the bit, too, where pointers to member functions are compared with each other or with null.
bool isOfMemberComparison(const Instruction &instruction) {
  if (areParts(&instruction))
    return any_of(instruction.users(), [](const User *bit) { return isBit(bit) && any_of(bit->users(), isAsked); });
  if (isBit(&instruction))
    return any_of(instruction.users(), isAsked);
  return isAsked(&instruction) ||
         (instruction.isBitwiseLogicOp() && any_of(instruction.operands(), [](const Use &operand) { return isAsked(operand.get()); }));
}

} // namespace

bool isOfOneAbi(const Instruction &instruction) {
  return isGuardBit(instruction) || isOfMemberCall(instruction) || isOfMemberComparison(instruction);
}

} // namespace luthier
