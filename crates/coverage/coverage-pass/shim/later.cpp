// Sums that stay in memory until control flow is structured.

#include "pass.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace luthier {

namespace {

constexpr const char *Later = "luthier.later";

// Volatile slots are not promoted to registers.
void set_volatile(AllocaInst *slot, bool value) {
  for (User *user : slot->users())
    if (auto *load = dyn_cast<LoadInst>(user))
      load->setVolatile(value);
    else if (auto *store = dyn_cast<StoreInst>(user))
      store->setVolatile(value);
}

// Sums that are still in memory.
SmallVector<AllocaInst *> kept(Function &function) {
  SmallVector<AllocaInst *> slots;
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *slot = dyn_cast<AllocaInst>(&instruction); slot && slot->hasMetadata(Later))
      slots.push_back(slot);
  return slots;
}

} // namespace

void promote(Function &function, ArrayRef<AllocaInst *> slots) {
  DominatorTree tree(function);
  AssumptionCache assumptions(function);
  PromoteMemToReg(slots, tree, &assumptions);
}

void keep(AllocaInst *slot) {
  slot->setMetadata(Later, MDNode::get(slot->getContext(), {}));
  set_volatile(slot, true);
}

bool has_kept(Function &function) { return !kept(function).empty(); }

bool promote_kept(Function &function, FunctionAnalysisManager &) {
  SmallVector<AllocaInst *> slots = kept(function);
  for (AllocaInst *slot : slots)
    set_volatile(slot, false);
  erase_if(slots, [](AllocaInst *slot) { return !isAllocaPromotable(slot); });
  promote(function, slots);
  return !slots.empty();
}

} // namespace luthier
