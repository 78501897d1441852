// The last step: additions become plain loads, sums and stores, which the back end makes one instruction.

#include "count.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace luthier {
namespace {

bool isConstant(const AtomicRMWInst &addition) { return isa<ConstantInt>(addition.getValOperand()); }

// Additions to one address in one block, with nobody looking in between, are one.
void mergeNeighbours(BasicBlock &block) {
  SmallVector<AtomicRMWInst *, 4> open; // by address, at most one each
  for (Instruction &instruction : make_early_inc_range(block)) {
    if (additionTo(instruction)) {
      auto &addition = cast<AtomicRMWInst>(instruction);
      auto known = find_if(open, [&](AtomicRMWInst *other) {
        return other->getPointerOperand() == addition.getPointerOperand();
      });
      if (known != open.end() && isConstant(**known) && isConstant(addition)) {
        IRBuilder<> builder(&addition);
        // The later one pays for both; a check may read its result.
        if (addition.use_empty()) {
          addition.setOperand(1, builder.CreateAdd((*known)->getValOperand(), addition.getValOperand()));
          (*known)->eraseFromParent();
          *known = &addition;
          continue;
        }
      }
      if (known != open.end())
        open.erase(known);
      if (addition.use_empty())
        open.push_back(&addition);
    } else if (auto *call = dyn_cast<CallBase>(&instruction); call && !call->hasFnAttr(ComesBack)) {
      auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      if (!intrinsic || isBoundary(*intrinsic) || intrinsic->mayThrow())
        open.clear();
    } else if (instruction.mayReadOrWriteMemory() && !isa<CallBase>(instruction)) {
      // A budget check reads the counter.
      const Value *address = getLoadStorePointerOperand(&instruction);
      if (auto *variable = address ? dyn_cast<GlobalVariable>(address->stripInBoundsConstantOffsets()) : nullptr)
        if (variable->getName() == CounterName)
          open.clear();
    }
  }
}

// Additions to one word wait for each other, four to six cycles each; in code that calls much, that is what counting
// costs. The words of the counter are taken in turn, in the order of the code.
Value *laneOf(AtomicRMWInst &addition, unsigned &turn) {
  auto *counter = dyn_cast<GlobalVariable>(addition.getPointerOperand());
  if (!counter || counter->getName() != CounterName)
    return addition.getPointerOperand();
  unsigned lane = turn++ % CounterLanes;
  Type *word = addition.getType();
  return lane ? ConstantExpr::getInBoundsGetElementPtr(word, counter, ConstantInt::get(word, lane)) : counter;
}

void lower(AtomicRMWInst &addition, Value *address) {
  IRBuilder<> builder(&addition);
  LoadInst *old = builder.CreateAlignedLoad(addition.getType(), address, Align(8));
  Value *sum = builder.CreateAdd(old, addition.getValOperand());
  StoreInst *store = builder.CreateAlignedStore(sum, address, Align(8));
  MDNode *tag = addition.getMetadata(LLVMContext::MD_tbaa);
  old->setMetadata(LLVMContext::MD_tbaa, tag);
  store->setMetadata(LLVMContext::MD_tbaa, tag);
  // A check compares the sum: let it be this one, so that the addition's flags decide.
  for (User *user : make_early_inc_range(addition.users())) {
    auto *other = dyn_cast<BinaryOperator>(user);
    if (other && other->getOpcode() == Instruction::Add && other->getOperand(1) == addition.getValOperand()) {
      other->replaceAllUsesWith(sum);
      other->eraseFromParent();
    }
  }
  addition.replaceAllUsesWith(old);
  addition.eraseFromParent();
}

} // namespace

Value *additionTo(const Instruction &instruction) {
  auto *addition = dyn_cast<AtomicRMWInst>(&instruction);
  if (!addition || addition->getOperation() != AtomicRMWInst::Add)
    return nullptr;
  auto *variable = dyn_cast<GlobalVariable>(addition->getPointerOperand()->stripInBoundsConstantOffsets());
  bool ours = variable && (variable->getName() == CounterName || variable->getName().starts_with(SlotsName));
  return ours ? const_cast<Value *>(addition->getPointerOperand()) : nullptr;
}

void lowerAdditions(Module &module, bool spread) {
  // Checks look at the first word only.
  spread = spread && !module.getFunction(LimitName);
  unsigned turn = 0;
  for (Function &function : module) {
    for (BasicBlock &block : function)
      mergeNeighbours(block);
    SmallVector<AtomicRMWInst *, 32> additions;
    for (Instruction &instruction : instructions(function))
      if (additionTo(instruction))
        additions.push_back(cast<AtomicRMWInst>(&instruction));
    for (AtomicRMWInst *addition : additions)
      lower(*addition, spread ? laneOf(*addition, turn) : addition->getPointerOperand());
  }
}

} // namespace luthier
