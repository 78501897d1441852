// Counters on their way through the optimiser.
//
// An atomic addition may be to any memory, as far as the optimiser knows: loads are not merged or hoisted across it. A call that
// touches only memory nobody else can see stays where it is executed, as often, and is in nobody's way.

#include "pass.h"

using namespace llvm;

namespace luthier {

namespace {

// Atomic additions to counters, and nothing else, go to these variables.
Constant *counter_of(Instruction &instruction) {
  auto *add = dyn_cast<AtomicRMWInst>(&instruction);
  if (!add || add->getOperation() != AtomicRMWInst::Add || !add->use_empty() || !add->getType()->isIntegerTy(64))
    return nullptr;
  auto *address = dyn_cast<Constant>(add->getPointerOperand());
  auto *variable = address ? dyn_cast<GlobalVariable>(address->stripInBoundsConstantOffsets()) : nullptr;
  return variable && variable->getName().starts_with("__profc_") ? address : nullptr;
}

} // namespace

bool mark(Function &function) {
  SmallVector<AtomicRMWInst *> found;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (counter_of(instruction))
        found.push_back(cast<AtomicRMWInst>(&instruction));
  for (AtomicRMWInst *add : found) {
    IRBuilder<> builder(add);
    // The operands of the intrinsic that counters come from: here, the counter stands where a name would.
    Function *intrinsic =
        Intrinsic::getOrInsertDeclaration(function.getParent(), Intrinsic::instrprof_increment_step);
    Value *counter = builder.CreatePointerBitCastOrAddrSpaceCast(add->getPointerOperand(), builder.getPtrTy());
    CallInst *call = builder.CreateCall(
        intrinsic, {counter, builder.getInt64(0), builder.getInt32(1), builder.getInt32(0), add->getValOperand()});
    call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    for (auto attribute : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree,
                           Attribute::NoCallback})
      call->addFnAttr(attribute);
    add->eraseFromParent();
  }
  return !found.empty();
}

Site site(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || callee->getIntrinsicID() != Intrinsic::instrprof_increment_step)
    return {nullptr, nullptr, nullptr};
  auto *address = cast<Constant>(call->getArgOperand(0));
  if (auto *cast = dyn_cast<ConstantExpr>(address); cast && cast->getOpcode() == Instruction::AddrSpaceCast)
    address = cast->getOperand(0);
  return {call, address, call->getArgOperand(4)};
}

void restore(const Site &site) {
  IRBuilder<> builder(site.call);
  builder.CreateAtomicRMW(AtomicRMWInst::Add, site.counter, site.step, Align(8), AtomicOrdering::Monotonic);
  site.call->eraseFromParent();
}

bool restore_all(Function &function, FunctionAnalysisManager &) {
  SmallVector<Site> found;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (Site here = site(instruction); here.call)
        found.push_back(here);
  for (const Site &here : found)
    restore(here);
  return !found.empty();
}

} // namespace luthier
