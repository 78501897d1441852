// Budget checks as the optimiser leaves them, and what they become where they can be one piece of assembly.

#include "count.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace luthier {

std::optional<Check> Check::of(AtomicRMWInst &addition) {
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

bool Check::canBeAssembly(const Module &module) {
  Triple triple(module.getTargetTriple());
  const GlobalVariable *counter = module.getGlobalVariable(CounterName);
  const Function *limit = module.getFunction(LimitName);
  // (Assembly has no landing pad: a limit that throws needs a call.)
  return limit && counter && limit->doesNotThrow() && triple.getArch() == Triple::x86_64 && triple.isOSBinFormatELF() && !triple.isX32() &&
         counter->getThreadLocalMode() == GlobalValue::LocalExecTLSModel;
}

namespace {

std::string wordAt(unsigned lane) { return (Twine("%fs:") + CounterName + "@TPOFF+" + Twine(8 * lane)).str(); }

// Behind an addition: a jump out of the way if its word has reached 0, to a call of the limit. It stands in the same section, which the
// linker keeps or drops as a whole.
std::string lookBehind(const Twine &owed, const Twine &afterwards = "") {
  return ("\n\tjns 1f\n2:\n\t.subsection 1\n1:\taddq $$-128, %rsp\n\tpushq " + owed + "\n\tcallq *" + LimitHereName +
          "@GOTPCREL(%rip)\n\t" + afterwards + "jmp 2b\n\t.previous")
      .str();
}

// An immediate operand, or a register.
const char *constraintOf(const Value *amount) {
  auto *constant = dyn_cast<ConstantInt>(amount);
  return constant && isInt<32>(constant->getSExtValue()) ? "i" : "r";
}

constexpr char Clobbers[] = ",~{memory},~{dirflag},~{fpsr},~{flags}";

} // namespace

// Two instructions, and a few more at the end of the function. No block ends, no register is taken, no frame is needed:
// for the back end a check is an addition. A counter in a register is also written to memory, where only the limit
// reads it; that takes no time.
Value *Check::assemble(IRBuilder<> &builder, Value *held) const {
  Value *amount = addition->getValOperand();
  Type *word = amount->getType();
  bool addsNothing = match(amount, PatternMatch::m_Zero());
  std::string there = wordAt(FirstLane), inputs = std::string(constraintOf(amount)) + ",i" + Clobbers;
  Value *owed = limit->getArgOperand(0);
  CallInst *assembly;
  if (held) {
    std::string code =
        (addsNothing ? "testq $0, $0" : "addq $2, $0") + ("\n\tmovq $0, " + there) + lookBehind("$3", "movq " + there + ", $0\n\t");
    auto *type = FunctionType::get(word, {word, word, word}, false);
    assembly = builder.CreateCall(InlineAsm::get(type, code, "=r,0," + inputs, true), {held, amount, owed});
  } else {
    std::string code = (addsNothing ? "cmpq $$0, " : "addq $0, ") + there + lookBehind("$1");
    auto *type = FunctionType::get(builder.getVoidTy(), {word, word}, false);
    assembly = builder.CreateCall(InlineAsm::get(type, code, inputs, true), {amount, owed});
  }
  assembly->setDoesNotThrow();
  return assembly;
}

void assembleSecond(AtomicRMWInst &addition) {
  IRBuilder<> builder(&addition);
  Value *amount = addition.getValOperand();
  std::string code = "addq $0, " + wordAt(SecondLane) + lookBehind(NoCheck);
  auto *type = FunctionType::get(builder.getVoidTy(), {amount->getType()}, false);
  builder.CreateCall(InlineAsm::get(type, code, constraintOf(amount) + std::string(Clobbers), true), {amount})->setDoesNotThrow();
  addition.eraseFromParent();
}

void Check::erase() const {
  BasicBlock *cold = limit->getParent(), *on = cold->getSingleSuccessor();
  IRBuilder<> builder(branch);
  builder.CreateBr(on)->setDebugLoc(branch->getDebugLoc());
  branch->eraseFromParent();
  test->eraseFromParent();
  if (sum != addition)
    sum->eraseFromParent();
  addition->eraseFromParent();
  DeleteDeadBlock(cold);
  MergeBlockIntoPredecessor(on);
}

} // namespace luthier
