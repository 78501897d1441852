// Additions of a constant that depends on the way, back to the ways.
//
//   then: ...; br join        else: ...; br join        join: s = phi [3, then], [8, else]; add s
//   =>
//   then: ...; add 3; br join        else: ...; add 8; br join        join: ...
//
// If several blocks end with an addition, the optimiser makes one addition of them. The program gains nothing by that
// if the blocks contain other code: the amount stands in a register on every path, and three instructions later it is
// added to the counter. A path without a block of its own is paid in `join`, and the other paths correct the amount.

#include "count.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace luthier {
namespace {

// Returns true if this instruction keeps additions to `address` on its side.
bool separates(const Instruction &instruction, const Value *address) {
  if (additionTo(instruction) == address)
    return !instruction.use_empty();
  auto *call = dyn_cast<CallBase>(&instruction);
  return isCounterAccess(instruction) || (call && mayLook(*call));
}

// The amount of an addition of a constant whose result is not used.
ConstantInt *amountOf(const Instruction &instruction, const Value *address) {
  if (additionTo(instruction) != address || !instruction.use_empty())
    return nullptr;
  return dyn_cast<ConstantInt>(instruction.getOperand(1));
}

bool endsWithAddition(BasicBlock &block, const Value *address) {
  for (Instruction &instruction : reverse(block)) {
    if (amountOf(instruction, address))
      return true;
    if (separates(instruction, address))
      return false;
  }
  return false;
}

// Code of the program's, so that the block stays even if it adds nothing.
bool holdsCode(const BasicBlock &block) {
  return any_of(block, [](const Instruction &instruction) {
    return !isa<PHINode>(instruction) && !instruction.isTerminator() && !additionTo(instruction) && !instruction.isDebugOrPseudoInst();
  });
}

class Distribution {
public:
  explicit Distribution(AtomicRMWInst &addition) : addition(addition), address(addition.getPointerOperand()), join(*addition.getParent()) {}

  bool run() {
    amounts = dyn_cast<PHINode>(addition.getValOperand());
    if (!addition.use_empty() || !amounts || amounts->getParent() != &join || !amounts->hasOneUse() || !isFirst() || !sort())
      return false;
    bool joinPays = hasNeighbour();
    if (!shared && joinPays)
      shared = commonest();
    else if (shared && !joinPays && !all_of(own, [&](BasicBlock *from) { return corrects(*from); }))
      return false;
    ConstantInt *base = shared ? shared : ConstantInt::get(cast<IntegerType>(addition.getType()), 0);
    for (BasicBlock *from : own)
      pay(*from, amountFrom(from)->getValue() - base->getValue());
    addition.setOperand(1, base);
    amounts->eraseFromParent();
    if (base->isZero())
      addition.eraseFromParent();
    return true;
  }

private:
  AtomicRMWInst &addition;
  Value *address;
  BasicBlock &join;
  PHINode *amounts = nullptr;
  SmallVector<BasicBlock *, 4> own; // those that lead here only
  ConstantInt *shared = nullptr;    // what all others pay

  ConstantInt *amountFrom(BasicBlock *from) { return cast<ConstantInt>(amounts->getIncomingValueForBlock(from)); }

  // No code reads the counter between the block's begin and the addition.
  bool isFirst() {
    for (Instruction &instruction : join) {
      if (&instruction == &addition)
        return true;
      if (instruction.isEHPad() || separates(instruction, address))
        return false;
    }
    return false;
  }

  bool sort() {
    SmallPtrSet<BasicBlock *, 8> seen;
    for (BasicBlock *from : amounts->blocks()) {
      if (!seen.insert(from).second)
        continue;
      auto *amount = dyn_cast<ConstantInt>(amounts->getIncomingValueForBlock(from));
      if (!amount)
        return false;
      auto *jump = dyn_cast<BranchInst>(from->getTerminator());
      if (jump && jump->isUnconditional() && holdsCode(*from)) {
        own.push_back(from);
        continue;
      }
      if (shared && shared != amount)
        return false;
      shared = amount;
    }
    return !own.empty();
  }

  // Another addition in the join that is merged with this one.
  bool hasNeighbour() {
    bool found = false;
    for (Instruction &instruction : join) {
      found |= amountOf(instruction, address) != nullptr;
      if (separates(instruction, address))
        break;
    }
    return found;
  }

  // Returns true if a path can pay the difference from the shared amount at no cost.
  bool corrects(BasicBlock &from) { return amountFrom(&from) == shared || endsWithAddition(from, address); }

  ConstantInt *commonest() {
    auto ways = [&](ConstantInt *amount) { return count_if(own, [&](BasicBlock *from) { return amountFrom(from) == amount; }); };
    ConstantInt *best = amountFrom(own.front());
    for (BasicBlock *from : own)
      if (ways(amountFrom(from)) > ways(best))
        best = amountFrom(from);
    return best;
  }

  void pay(BasicBlock &from, const APInt &amount) {
    if (amount.isZero())
      return;
    IRBuilder<> builder(from.getTerminator());
    AtomicRMWInst *paid = builder.CreateAtomicRMW(AtomicRMWInst::Add, address, builder.getInt(amount), Align(8), AtomicOrdering::Monotonic,
                                                  SyncScope::SingleThread);
    paid->setMetadata(LLVMContext::MD_tbaa, addition.getMetadata(LLVMContext::MD_tbaa));
  }
};

} // namespace

void distributeAmounts(Function &function) {
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      if (additionTo(instruction))
        Distribution(cast<AtomicRMWInst>(instruction)).run();
}

Value *plusConstant(Value *amount, ConstantInt *more) {
  if (auto *known = dyn_cast<ConstantInt>(amount))
    return ConstantInt::get(more->getContext(), known->getValue() + more->getValue());
  if (!amount->hasOneUse())
    return nullptr;
  auto *selection = dyn_cast<SelectInst>(amount);
  auto *phi = dyn_cast<PHINode>(amount);
  if (!(selection && isa<ConstantInt>(selection->getTrueValue()) && isa<ConstantInt>(selection->getFalseValue())) &&
      !(phi && all_of(phi->incoming_values(), [](Value *value) { return isa<ConstantInt>(value); })))
    return nullptr;
  auto *user = cast<User>(amount);
  for (unsigned index = selection ? 1 : 0; index < user->getNumOperands(); ++index) {
    auto *known = cast<ConstantInt>(user->getOperand(index));
    user->setOperand(index, ConstantInt::get(more->getContext(), known->getValue() + more->getValue()));
  }
  return amount;
}

} // namespace luthier
