// The last step: additions become plain loads, sums and stores, which the back end makes one instruction.

#include "count.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace luthier {
namespace {

// With checks, additions that run less often than this per call of their function all go to the first word. They need
// no test of their own there, and seldom wait for each other.
constexpr double LeastOften = 0.4;

bool isOurs(const Value *address) {
  auto *variable = dyn_cast<GlobalVariable>(address->stripInBoundsConstantOffsets());
  return variable && (variable->getName() == CounterName || variable->getName().starts_with(SlotsName));
}

bool isConstant(const AtomicRMWInst &addition) { return isa<ConstantInt>(addition.getValOperand()); }

// Returns true if this takes back an amount that was paid ahead for a path that is not taken.
bool takesBack(const AtomicRMWInst &addition) {
  auto *amount = dyn_cast<ConstantInt>(addition.getValOperand());
  return addition.use_empty() && amount && amount->isNegative();
}

// Merges additions to one address in one block, if no code between them reads the counter.
void mergeNeighbours(BasicBlock &block) {
  SmallVector<AtomicRMWInst *, 4> open; // by address, at most one each
  for (Instruction &instruction : make_early_inc_range(block)) {
    if (additionTo(instruction)) {
      auto &addition = cast<AtomicRMWInst>(instruction);
      auto known = find_if(open, [&](AtomicRMWInst *other) { return other->getPointerOperand() == addition.getPointerOperand(); });
      // One of them pays for both, a sum where it is: it would want a register for longer.
      if (known != open.end() && addition.use_empty() && (isConstant(**known) || isConstant(addition))) {
        bool later = isConstant(**known);
        AtomicRMWInst &payer = later ? addition : **known, &paid = later ? **known : addition;
        IRBuilder<> builder(&payer);
        // (One of nothing may have become an "or".)
        payer.setOperation(AtomicRMWInst::Add);
        Value *sum = plusConstant(payer.getValOperand(), cast<ConstantInt>(paid.getValOperand()));
        payer.setOperand(1, sum ? sum : builder.CreateAdd(payer.getValOperand(), paid.getValOperand()));
        paid.eraseFromParent();
        *known = &payer;
        continue;
      }
      if (known != open.end())
        open.erase(known);
      if (addition.use_empty())
        open.push_back(&addition);
    } else if (isCounterAccess(instruction)) {
      open.clear();
    } else if (auto *call = dyn_cast<CallBase>(&instruction); call && mayLook(*call)) {
      open.clear();
    }
  }
}

// An addition changes the flags, and the back end keeps loads and stores in their order. An addition is therefore in
// the way between a comparison and its use, and between a load and an instruction that could read memory itself. The
// best place is the beginning of its block, or of the stretch after the last place where code may read the counter.
void raise(AtomicRMWInst &addition) {
  Instruction *first = &*addition.getParent()->getFirstInsertionPt(), *at = &addition;
  while (at != first) {
    Instruction *before = at->getPrevNode();
    auto *call = dyn_cast<CallBase>(before);
    bool looks = call && mayLook(*call);
    if (looks || additionTo(*before) || isa<AllocaInst>(before) || isCounterAccess(*before))
      break;
    at = before;
  }
  if (at != &addition)
    addition.moveBefore(at->getIterator());
}

// Additions to one word wait for each other, four to six cycles each; in code that calls much, that is what counting
// costs. The words of the counter are taken in turn, in the order of the code. Checks all add to the first, so that they have one to look at.
class Lowering {
public:
  Lowering(Module &module, bool spread, bool checked)
      : checked(checked), compact(Check::canBeAssembly(module)), addsToMemory(Triple(module.getTargetTriple()).getArch() == Triple::x86_64),
        spread(spread) {}

  // `often`: it runs about as often as its function, or more.
  void lower(AtomicRMWInst &addition, bool often) {
    IRBuilder<> builder(&addition);
    bool isLook = !addition.use_empty();
    if (isLook && compact)
      if (auto check = Check::of(addition)) {
        check->assemble(builder, nullptr);
        return check->erase();
      }
    bool addsNothing = match(addition.getValOperand(), PatternMatch::m_Zero());
    unsigned lane = laneFor(addition, often);
    bool isSecond = checked && lane == SecondLane;
    if (isSecond && compact)
      return assembleSecond(addition);
    auto *counter = dyn_cast<GlobalVariable>(addition.getPointerOperand());
    Value *address = lane ? laneOf(*counter, lane) : addition.getPointerOperand();
    Value *sum = load(builder, address, addition);
    if (!addsNothing) {
      sum = builder.CreateAdd(sum, settled(builder, addition));
      StoreInst *store = builder.CreateAlignedStore(sum, address, Align(8));
      store->setMetadata(LLVMContext::MD_tbaa, addition.getMetadata(LLVMContext::MD_tbaa));
    }
    if (isLook)
      replaceResult(addition, sum, builder);
    if (isSecond)
      lookAtSecond(builder, addition, sum);
    addition.eraseFromParent();
  }

private:
  bool checked; // the module is built with budget checks, of which it may have none
  bool compact; // they are assembly
  bool addsToMemory; // one instruction can
  bool spread;
  unsigned turn = 0;

  static LoadInst *load(IRBuilder<> &builder, Value *address, const AtomicRMWInst &addition) {
    LoadInst *value = builder.CreateAlignedLoad(addition.getType(), address, Align(8));
    value->setMetadata(LLVMContext::MD_tbaa, addition.getMetadata(LLVMContext::MD_tbaa));
    return value;
  }

  // The amount, computed before the addition. The back end would rather add the constant part of a sum to what it has
  // read from the counter, and then reads and writes in instructions of their own.
  Value *settled(IRBuilder<> &builder, AtomicRMWInst &addition) const {
    Value *amount = addition.getValOperand();
    auto *sum = dyn_cast<BinaryOperator>(amount);
    if (!addsToMemory || !sum || !isa<ConstantInt>(sum->getOperand(1)) || !addition.use_empty())
      return amount;
    auto *type = FunctionType::get(amount->getType(), {amount->getType()}, false);
    return builder.CreateCall(InlineAsm::get(type, "", "=r,0", false), {amount});
  }

  // The word of the counter that an addition goes to; 0 if it is another counter.
  unsigned laneFor(const AtomicRMWInst &addition, bool often) {
    auto *counter = dyn_cast<GlobalVariable>(addition.getPointerOperand());
    if (!spread || !counter || counter->getName() != CounterName)
      return 0;
    if (!checked)
      return CheckedLanes + turn++ % (CounterLanes - CheckedLanes);
    if (takesBack(addition))
      return TakenBackLane;
    // (A call in a funclet would have to name it.)
    if (!often || !addition.use_empty() || (!compact && hasFunclets(*addition.getFunction())))
      return FirstLane;
    return turn++ % 2 ? FirstLane : SecondLane;
  }

  static bool hasFunclets(const Function &function) {
    return function.hasPersonalityFn() && isScopedEHPersonality(classifyEHPersonality(function.getPersonalityFn()));
  }

  // Parts what is left anew if the second word has reached 0.
  static void lookAtSecond(IRBuilder<> &builder, AtomicRMWInst &addition, Value *sum) {
    Module &module = *addition.getModule();
    auto *part = cast<Function>(module.getOrInsertFunction(PartName, FunctionType::get(builder.getVoidTy(), false)).getCallee());
    part->setCallingConv(CallingConv::PreserveMost);
    part->addFnAttr(Attribute::Cold);
    part->setDoesNotThrow();
    Value *reached = builder.CreateICmpSGE(sum, ConstantInt::get(sum->getType(), 0));
    MDNode *unlikely = MDBuilder(module.getContext()).createBranchWeights(1, 1 << 20);
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(reached, addition.getIterator(), false, unlikely));
    CallInst *call = builder.CreateCall(part);
    call->setCallingConv(part->getCallingConv());
    if (addition.getDebugLoc())
      call->setDebugLoc(addition.getDebugLoc());
    else if (DISubprogram *program = addition.getFunction()->getSubprogram())
      call->setDebugLoc(DILocation::get(module.getContext(), 0, 0, program));
  }
};

} // namespace

bool mayLook(const CallBase &call) {
  if (call.hasFnAttr(ComesBack))
    return false;
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  return !intrinsic || isBoundary(*intrinsic) || intrinsic->mayThrow();
}

Constant *laneOf(GlobalVariable &counter, unsigned lane) {
  Type *word = Type::getInt64Ty(counter.getContext());
  return lane ? ConstantExpr::getInBoundsGetElementPtr(word, &counter, ConstantInt::get(word, lane)) : &counter;
}

bool isCounterAccess(const Instruction &instruction) {
  auto *counter = dyn_cast_or_null<GlobalVariable>(getLoadStorePointerOperand(&instruction));
  return counter && counter->getName() == CounterName;
}

void replaceResult(AtomicRMWInst &addition, Value *sum, IRBuilder<> &builder) {
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

void lowerAdditions(Module &module, FunctionAnalysisManager *spread, bool checked) {
  Lowering lowering(module, spread, checked);
  for (Function &function : module) {
    if (spread)
      distributeAmounts(function);
    for (BasicBlock &block : function)
      mergeNeighbours(block);
    SmallVector<std::pair<AtomicRMWInst *, bool>, 32> additions;
    for (Instruction &instruction : instructions(function))
      if (additionTo(instruction))
        additions.emplace_back(cast<AtomicRMWInst>(&instruction), true);
    for (auto [addition, often] : additions)
      if (addition->use_empty() && isConstant(*addition))
        raise(*addition);
    if (spread && checked && !additions.empty()) {
      spread->invalidate(function, PreservedAnalyses::none());
      auto &frequencies = spread->getResult<BlockFrequencyAnalysis>(function);
      double least = LeastOften * double(frequencies.getEntryFreq().getFrequency());
      for (auto &[addition, often] : additions)
        often = double(frequencies.getBlockFreq(addition->getParent()).getFrequency()) >= least;
    }
    // (With checks, loops are executed as they stand.)
    for (auto [addition, often] : additions)
      if (!checked)
        watchAmount(*addition);
    for (auto [addition, often] : additions)
      lowering.lower(*addition, often);
    // An addition that the optimiser has changed must still be one.
    for (Instruction &instruction : instructions(function))
      if (auto *other = dyn_cast<AtomicRMWInst>(&instruction); other && isOurs(other->getPointerOperand()))
        module.getContext().emitError(other, "luthier count: an addition in `" + function.getName() +
                                                 "` became something else in the optimiser; please report this");
  }
}

} // namespace luthier
