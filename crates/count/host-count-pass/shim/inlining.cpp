// The inliner weighs a function by its instructions. Additions would make functions too heavy that it inlines without
// counting. Each counted function therefore says how much of its weight is additions, in a call that the inliner reads
// and that computes nothing. When a body is inlined, the call is copied with the additions. Additions that became sums
// in registers weigh as much as before.

#include "count.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr char CostAttribute[] = "call-inline-cost";
// The inliner's price of an instruction.
constexpr int InstructionCost = 5;

bool isWeight(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::sideeffect && call->hasFnAttr(CostAttribute);
}

} // namespace

Weights weigh(Module &module) {
  Weights weights;
  for (Function &function : module) {
    auto additions = count_if(instructions(function), [](const Instruction &instruction) { return additionTo(instruction) != nullptr; });
    if (additions)
      weights.emplace_back(&function, int(additions) * InstructionCost);
  }
  return weights;
}

void takeOff(Module &module, const Weights &weights) {
  for (auto [function, weight] : weights) {
    IRBuilder<> builder(&*function->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    CallInst *call = builder.CreateIntrinsic(Intrinsic::sideeffect, {});
    call->addFnAttr(Attribute::get(module.getContext(), CostAttribute, std::to_string(-weight)));
  }
}

bool putBack(Module &module) {
  Function *marker = Intrinsic::getDeclarationIfExists(&module, Intrinsic::sideeffect);
  if (!marker)
    return false;
  bool changed = false;
  for (User *user : make_early_inc_range(marker->users())) {
    auto *call = dyn_cast<Instruction>(user);
    if (!call || !isWeight(*call))
      continue;
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

} // namespace luthier
