// Calls in tail position, in optimised code. The back end makes a jump of such a call if nothing stands between it and
// the return, which saves the caller a frame. The code behind the call therefore counts with the call
// (host_count::Tail).

#include "count.h"

#include "llvm/IR/CFG.h"

using namespace llvm;

namespace luthier {
namespace {

// Returns true if an instruction becomes no code.
bool isNothing(const Instruction &instruction) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && (intrinsic->isAssumeLikeIntrinsic() || intrinsic->getIntrinsicID() == Intrinsic::pseudoprobe);
}

bool canJump(const CallInst &call) {
  return call.isTailCall() && !call.isInlineAsm() && !isa<IntrinsicInst>(call) && !call.getFunction()->hasFnAttribute("disable-tail-calls");
}

// The last call of `block` that can become a jump, if nothing but `block`'s jump follows.
const CallInst *lastCall(const BasicBlock &block) {
  const Instruction *before = block.getTerminator()->getPrevNode();
  while (before && isNothing(*before))
    before = before->getPrevNode();
  auto *call = dyn_cast_or_null<CallInst>(before);
  return call && canJump(*call) ? call : nullptr;
}

// The value that `block` returns if control comes from `from`; null for a return without a value.
Value *returnedFrom(const ReturnInst &end, BasicBlock *from) {
  Value *value = end.getReturnValue();
  auto *phi = dyn_cast_or_null<PHINode>(value);
  return phi && phi->getParent() == end.getParent() ? phi->getIncomingValueForBlock(from) : value;
}

} // namespace

bool endsFunction(const CallInst &call) {
  auto *end = dyn_cast<ReturnInst>(call.getParent()->getTerminator());
  return end && lastCall(*call.getParent()) == &call && (!end->getReturnValue() || end->getReturnValue() == &call);
}

void partReturns(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : make_early_inc_range(function)) {
      auto *end = dyn_cast<ReturnInst>(block.getTerminator());
      if (!end || &*block.getFirstNonPHIOrDbg() != end)
        continue;
      for (BasicBlock *from : SmallVector<BasicBlock *, 8>(predecessors(&block))) {
        auto *jump = dyn_cast<BranchInst>(from->getTerminator());
        const CallInst *call = jump && jump->isUnconditional() ? lastCall(*from) : nullptr;
        Value *value = call ? returnedFrom(*end, from) : nullptr;
        if (!call || (value && value != call))
          continue;
        auto *own = ReturnInst::Create(module.getContext(), value, jump->getIterator());
        own->setDebugLoc(end->getDebugLoc());
        block.removePredecessor(from, true);
        jump->eraseFromParent();
      }
      if (pred_empty(&block) && !block.isEntryBlock() && !block.hasAddressTaken())
        block.eraseFromParent();
    }
}

} // namespace luthier
