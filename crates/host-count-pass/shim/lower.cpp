// The last step: additions become plain loads, sums and stores, which the back end makes one instruction.

#include "count.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>

using namespace llvm;

namespace luthier {
namespace {

bool isOurs(const Value *address) {
  auto *variable = dyn_cast<GlobalVariable>(address->stripInBoundsConstantOffsets());
  return variable && (variable->getName() == CounterName || variable->getName().starts_with(SlotsName));
}

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
      // One of them pays for both, a sum where it is: it would want a register for longer.
      if (known != open.end() && addition.use_empty() && (isConstant(**known) || isConstant(addition))) {
        bool later = isConstant(**known);
        AtomicRMWInst &payer = later ? addition : **known, &paid = later ? **known : addition;
        IRBuilder<> builder(&payer);
        // (One of nothing may have become an "or".)
        payer.setOperation(AtomicRMWInst::Add);
        payer.setOperand(1, builder.CreateAdd(payer.getValOperand(), paid.getValOperand()));
        paid.eraseFromParent();
        *known = &payer;
        continue;
      }
      if (known != open.end())
        open.erase(known);
      if (addition.use_empty())
        open.push_back(&addition);
    } else if (isa<LoadInst, StoreInst>(instruction) && isa<GlobalVariable>(getLoadStorePointerOperand(&instruction)) &&
               getLoadStorePointerOperand(&instruction)->getName() == CounterName) {
      open.clear(); // to or from a register
    } else if (auto *call = dyn_cast<CallBase>(&instruction); call && !call->hasFnAttr(ComesBack)) {
      auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      if (!intrinsic || isBoundary(*intrinsic) || intrinsic->mayThrow())
        open.clear();
    }
  }
}

// A check as the optimiser leaves it: an addition, a comparison of the result, a branch around a call of the limit.
struct Check {
  AtomicRMWInst *addition;
  Instruction *sum; // the addition itself if it adds nothing
  ICmpInst *test;
  BranchInst *branch;
  CallInst *limit;

  static std::optional<Check> of(AtomicRMWInst &addition) {
    Check check = {&addition, &addition, nullptr, nullptr, nullptr};
    if (!match(addition.getValOperand(), PatternMatch::m_Zero())) {
      auto *sum = addition.hasOneUse() ? dyn_cast<BinaryOperator>(addition.user_back()) : nullptr;
      if (!sum || sum->getOpcode() != Instruction::Add || sum->getOperand(1) != addition.getValOperand())
        return std::nullopt;
      check.sum = sum;
    }
    check.test = check.sum->hasOneUse() ? dyn_cast<ICmpInst>(check.sum->user_back()) : nullptr;
    check.branch = check.test && check.test->hasOneUse() ? dyn_cast<BranchInst>(check.test->user_back()) : nullptr;
    if (!check.branch || check.branch->getParent() != addition.getParent() || check.test->getOperand(0) != check.sum)
      return std::nullopt;
    bool reached;
    if (match(check.test, PatternMatch::m_SpecificICmp(ICmpInst::ICMP_SGE, PatternMatch::m_Value(), PatternMatch::m_Zero())) ||
        match(check.test, PatternMatch::m_SpecificICmp(ICmpInst::ICMP_SGT, PatternMatch::m_Value(), PatternMatch::m_AllOnes())))
      reached = true;
    else if (match(check.test, PatternMatch::m_SpecificICmp(ICmpInst::ICMP_SLT, PatternMatch::m_Value(), PatternMatch::m_Zero())))
      reached = false;
    else
      return std::nullopt;
    BasicBlock *cold = check.branch->getSuccessor(reached ? 0 : 1), *on = check.branch->getSuccessor(reached ? 1 : 0);
    if (cold == on || cold->getSinglePredecessor() != addition.getParent() || cold->getSingleSuccessor() != on || on == addition.getParent())
      return std::nullopt;
    check.limit = dyn_cast<CallInst>(&cold->front());
    const Function *callee = check.limit ? check.limit->getCalledFunction() : nullptr;
    if (!callee || callee->getName() != LimitName || check.limit->getNextNode() != cold->getTerminator())
      return std::nullopt;
    for (PHINode &phi : on->phis())
      if (phi.getIncomingValueForBlock(cold) != phi.getIncomingValueForBlock(addition.getParent()))
        return std::nullopt;
    // The limit is met at once, before what follows the addition.
    for (Instruction *next = addition.getNextNode(); next != check.branch; next = next->getNextNode())
      if (isa<CallBase>(next) || additionTo(*next))
        return std::nullopt;
    return check;
  }
};

// Additions to one word wait for each other, four to six cycles each; in code that calls much, that is what counting
// costs. The words of the counter are taken in turn, in the order of the code.
class Lowering {
public:
  Lowering(Module &module, bool spread) : checked(module.getFunction(LimitName)), spread(spread) {
    Triple triple(module.getTargetTriple());
    const GlobalVariable *counter = module.getGlobalVariable(CounterName);
    // (Assembly has no landing pad: a limit that throws needs a call.)
    compact = checked && counter && module.getFunction(LimitName)->doesNotThrow() &&
              triple.getArch() == Triple::x86_64 && triple.isOSBinFormatELF() && !triple.isX32() &&
              counter->getThreadLocalMode() == GlobalValue::LocalExecTLSModel;
  }

  void lower(AtomicRMWInst &addition) {
    IRBuilder<> builder(&addition);
    bool isLook = !addition.use_empty();
    if (isLook && compact)
      if (auto check = Check::of(addition))
        return lowerCompact(*check);
    bool addsNothing = match(addition.getValOperand(), PatternMatch::m_Zero());
    Value *address = addressFor(addition);
    Value *sum = load(builder, address, addition);
    if (!addsNothing) {
      sum = builder.CreateAdd(sum, addition.getValOperand());
      StoreInst *store = builder.CreateAlignedStore(sum, address, Align(8));
      store->setMetadata(LLVMContext::MD_tbaa, addition.getMetadata(LLVMContext::MD_tbaa));
    }
    if (isLook)
      replace(addition, sum, builder);
    addition.eraseFromParent();
  }

private:
  bool checked; // the module has budget checks
  bool compact; // they are assembly
  bool spread;
  unsigned turn = 0;

  // Two instructions, and a few more out of the way. No block ends, no register is taken, no frame is needed: to the back end a
  // check is an addition. The cold part stands in the same section, which the linker keeps or drops as a whole.
  void lowerCompact(const Check &check) {
    IRBuilder<> builder(check.addition);
    Value *amount = check.addition->getValOperand();
    auto *constant = dyn_cast<ConstantInt>(amount);
    bool immediate = constant && isInt<32>(constant->getSExtValue());
    std::string add = constant && constant->isZero() ? "cmpq" : "addq";
    std::string code = add + " $0, %fs:" + CounterName + "@TPOFF\n\tjns 1f\n2:\n\t.subsection 1\n1:\taddq $$-128, %rsp\n\tpushq $1\n\tcallq *" +
                       LimitHereName + "@GOTPCREL(%rip)\n\tjmp 2b\n\t.previous";
    Type *word = amount->getType();
    auto *assembly = InlineAsm::get(FunctionType::get(builder.getVoidTy(), {word, word}, false), code,
                                    std::string(immediate ? "i" : "r") + ",i,~{memory},~{dirflag},~{fpsr},~{flags}", true);
    CallInst *call = builder.CreateCall(assembly, {amount, check.limit->getArgOperand(0)});
    call->setDoesNotThrow();
    BasicBlock *cold = check.limit->getParent(), *on = cold->getSingleSuccessor();
    builder.SetInsertPoint(check.branch);
    builder.CreateBr(on)->setDebugLoc(check.branch->getDebugLoc());
    check.branch->eraseFromParent();
    check.test->eraseFromParent();
    if (check.sum != check.addition)
      check.sum->eraseFromParent();
    check.addition->eraseFromParent();
    DeleteDeadBlock(cold);
    MergeBlockIntoPredecessor(on);
  }

  static LoadInst *load(IRBuilder<> &builder, Value *address, const AtomicRMWInst &addition) {
    LoadInst *value = builder.CreateAlignedLoad(addition.getType(), address, Align(8));
    value->setMetadata(LLVMContext::MD_tbaa, addition.getMetadata(LLVMContext::MD_tbaa));
    return value;
  }

  static Value *laneOf(AtomicRMWInst &addition, unsigned lane) {
    auto *counter = cast<Constant>(addition.getPointerOperand());
    Type *word = addition.getType();
    return lane ? ConstantExpr::getInBoundsGetElementPtr(word, counter, ConstantInt::get(word, lane)) : counter;
  }

  Value *addressFor(AtomicRMWInst &addition) {
    auto *counter = dyn_cast<GlobalVariable>(addition.getPointerOperand());
    if (!spread || !counter || counter->getName() != CounterName)
      return const_cast<Value *>(addition.getPointerOperand());
    if (checked)
      return counter;
    return laneOf(addition, CheckedLanes + turn++ % (CounterLanes - CheckedLanes));
  }

  // A check compares what was there before plus what was added: the sum, as it is now.
  static void replace(AtomicRMWInst &addition, Value *sum, IRBuilder<> &builder) {
    SmallVector<Instruction *, 2> totals;
    for (User *user : addition.users()) {
      auto *total = dyn_cast<BinaryOperator>(user);
      if (total && total->getOpcode() == Instruction::Add && total->getOperand(1) == addition.getValOperand())
        totals.push_back(total);
    }
    for (Instruction *total : totals) {
      total->replaceAllUsesWith(sum);
      total->eraseFromParent();
    }
    if (!addition.use_empty())
      addition.replaceAllUsesWith(builder.CreateSub(sum, addition.getValOperand()));
  }
};

} // namespace

Value *additionTo(const Instruction &instruction) {
  auto *addition = dyn_cast<AtomicRMWInst>(&instruction);
  if (!addition)
    return nullptr;
  // A look adds nothing; the optimiser writes that as "or 0".
  bool addsNothing = match(addition->getValOperand(), PatternMatch::m_Zero());
  if (addition->getOperation() != AtomicRMWInst::Add && !(addition->getOperation() == AtomicRMWInst::Or && addsNothing))
    return nullptr;
  return isOurs(addition->getPointerOperand()) ? const_cast<Value *>(addition->getPointerOperand()) : nullptr;
}

void lowerAdditions(Module &module, bool spread) {
  Lowering lowering(module, spread);
  for (Function &function : module) {
    for (BasicBlock &block : function)
      mergeNeighbours(block);
    SmallVector<AtomicRMWInst *, 32> additions;
    for (Instruction &instruction : instructions(function))
      if (additionTo(instruction))
        additions.push_back(cast<AtomicRMWInst>(&instruction));
    for (AtomicRMWInst *addition : additions)
      lowering.lower(*addition);
    // What the optimiser made of an addition must still be one.
    for (Instruction &instruction : instructions(function))
      if (auto *other = dyn_cast<AtomicRMWInst>(&instruction); other && isOurs(other->getPointerOperand()))
        module.getContext().emitError(other, "luthier count: an addition in `" + function.getName() +
                                                 "` became something else in the optimiser; please report this");
  }
}

} // namespace luthier
