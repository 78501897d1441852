// Counters on their way through the optimiser.
//
// For the optimiser, an atomic addition may access any memory: loads are not merged or hoisted across it. A call that
// accesses only memory that no other code sees stays where it is, is executed as often, and does not prevent other
// optimisations.

#include "pass.h"

#include "llvm/Analysis/LoopInfo.h"

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

// As the front end makes counts, or as sites.
bool counts(Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call &&
         (call->getIntrinsicID() == Intrinsic::instrprof_increment || call->getIntrinsicID() == Intrinsic::instrprof_increment_step);
}

bool only_counts(BasicBlock &block) {
  return all_of(block, [](Instruction &instruction) { return instruction.isTerminator() || counts(instruction); });
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
    Function *intrinsic = Intrinsic::getOrInsertDeclaration(function.getParent(), Intrinsic::instrprof_increment_step);
    Value *counter = builder.CreatePointerBitCastOrAddrSpaceCast(add->getPointerOperand(), builder.getPtrTy());
    CallInst *call =
        builder.CreateCall(intrinsic, {counter, builder.getInt64(0), builder.getInt32(1), builder.getInt32(0), add->getValOperand()});
    call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    for (auto attribute : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree, Attribute::NoCallback})
      call->addFnAttr(attribute);
    add->eraseFromParent();
  }
  return !found.empty();
}

bool count_conditions(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (BasicBlock &block : function) {
    BasicBlock *from = block.getSinglePredecessor(), *to = block.getSingleSuccessor();
    auto *branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
    Loop *loop = from ? loops.getLoopFor(from) : nullptr;
    if (!to || !loop || loop->contains(&block) || !branch || !branch->isConditional() || !only_counts(block))
      continue;
    Value *leads = nullptr;
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      auto *step = call && call->arg_size() == 5 ? dyn_cast<ConstantInt>(call->getArgOperand(4)) : nullptr;
      if (!call || (call->arg_size() == 5 && (!step || !step->isOne())))
        continue;
      IRBuilder<> builder(branch);
      if (!leads) {
        leads = branch->getCondition();
        if (branch->getSuccessor(0) != &block)
          leads = builder.CreateNot(leads);
        leads = builder.CreateZExt(leads, builder.getInt64Ty());
      }
      if (step) {
        call->moveBefore(branch->getIterator());
        call->setArgOperand(4, leads);
      } else {
        SmallVector<Value *> arguments(call->args());
        arguments.push_back(leads);
        builder.SetCurrentDebugLocation(call->getDebugLoc());
        builder.CreateIntrinsic(Intrinsic::instrprof_increment_step, ArrayRef<Type *>(), arguments);
        call->eraseFromParent();
      }
      changed = true;
    }
  }
  return changed;
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
