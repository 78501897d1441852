// Recursive functions with budget checks hand the counter to each other in a register.
//
// All checks look at one word, so each addition would wait for the one before, through memory, whatever the program does meanwhile.
// A loop keeps the word in a register (move.cpp). Recursion does so here, in an argument that comes back changed: LLVM calls that
// `swifterror` and keeps it in a callee-saved register (r12 on x86-64, x21 on aarch64).
//
//   f(a):                            f.holding(a, counter in a register):
//     take the counter                 what f did; additions to the register; calls of g.holding(..., counter)
//     f.holding(a, counter)            a check also writes the register to the counter: it is as exact in memory as before
//     give it back                     before other calls the counter is given back, behind them it is taken again
//
// Other code sees the same as before: every call that could read the counter, throw or jump finds the counter in its
// place.

#include "count.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace luthier {
namespace {

// The gain is the time for which additions wait for each other. The way in costs as much as this many calls among
// functions that hold the counter gain. (With fewer, SQLite's and Lua's recursive functions, which seldom recur, would
// execute more.)
constexpr double LeastCalls = 1.0;
// The number of such calls that pay for a call of any other function, around which the counter is written back and
// read again.
constexpr double LeastCallsPerOther = 4.0;

bool isCounterItself(const Value *address) {
  auto *variable = dyn_cast<GlobalVariable>(address);
  return variable && variable->getName() == CounterName;
}

Value *additionToCounter(const Instruction &instruction) {
  Value *address = additionTo(instruction);
  return address && isCounterItself(address) ? address : nullptr;
}

// Conventions that pass such an argument in a register.
bool targetHolds(const Module &module) {
  Triple triple(module.getTargetTriple());
  bool known = triple.getArch() == Triple::x86_64 || triple.getArch() == Triple::aarch64;
  return known && triple.isOSBinFormatELF() && !triple.isX32();
}

// Returns true if a call may read the counter, add to it or leave for good.
bool meetsCounter(const CallBase &call) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  return !intrinsic || isBoundary(*intrinsic) || intrinsic->mayThrow() || isa<MemIntrinsic>(intrinsic);
}

bool endsFunction(const CallBase &call) {
  const Instruction *next = call.getNextNode();
  while (next && (isa<DbgInfoIntrinsic>(next) || next->isLifetimeStartOrEnd()))
    next = next->getNextNode();
  return isa_and_nonnull<ReturnInst>(next);
}

using Functions = SetVector<Function *>; // in the order of the module

class Choice {
public:
  Choice(Module &module, FunctionAnalysisManager &analyses) : analyses(analyses) {
    for (Function &function : module)
      if (canHold(function))
        chosen.insert(&function);
  }

  // Only functions for which it pays stay: removing one may make others not pay.
  Functions make() {
    while (chosen.remove_if([&](Function *function) { return !isRecursive(function) || !pays(*function); })) {
    }
    return chosen;
  }

private:
  FunctionAnalysisManager &analyses;
  Functions chosen;

  static bool canHold(Function &function) {
    bool plain = function.hasExactDefinition() && !function.isVarArg() && !function.hasOptNone() &&
                 !function.hasFnAttribute(Attribute::Naked) && !function.isPresplitCoroutine() && !function.hasGC() &&
                 !function.hasPrefixData() && !function.hasPrologueData() && !function.callsFunctionThatReturnsTwice() &&
                 !isCounterFunction(function) &&
                 (function.getCallingConv() == CallingConv::C || function.getCallingConv() == CallingConv::Fast);
    if (!plain)
      return false;
    for (const Argument &argument : function.args())
      if (argument.hasSwiftErrorAttr() || argument.hasInAllocaAttr() || argument.hasPreallocatedAttr() ||
          argument.hasAttribute(Attribute::SwiftSelf) || argument.hasAttribute(Attribute::SwiftAsync))
        return false;
    bool adds = false;
    for (BasicBlock &block : function) {
      // (An exception comes back with the counter in memory.)
      if (block.hasAddressTaken() || block.isEHPad() || isa<InvokeInst, CallBrInst>(block.getTerminator()) ||
          block.getTerminatingMustTailCall())
        return false;
      for (Instruction &instruction : block) {
        adds |= additionToCounter(instruction) != nullptr;
        if (auto *slot = dyn_cast<AllocaInst>(&instruction); slot && slot->isSwiftError())
          return false;
      }
    }
    return adds;
  }

  static Function *callee(Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getFunctionType() == call->getFunctionType() && callee->getCallingConv() == call->getCallingConv() ? callee
                                                                                                                                : nullptr;
  }

  bool isRecursive(Function *function) {
    SmallPtrSet<Function *, 16> seen;
    SmallVector<Function *, 8> pending = {function};
    while (!pending.empty())
      for (Instruction &instruction : instructions(*pending.pop_back_val())) {
        Function *called = callee(instruction);
        if (called == function)
          return true;
        if (called && chosen.contains(called) && seen.insert(called).second)
          pending.push_back(called);
      }
    return false;
  }

  bool pays(Function &function) {
    auto &frequencies = analyses.getResult<BlockFrequencyAnalysis>(function);
    double entry = double(frequencies.getEntryFreq().getFrequency()), calls = 0, others = 0;
    for (BasicBlock &block : function) {
      double frequency = double(frequencies.getBlockFreq(&block).getFrequency()) / entry;
      for (Instruction &instruction : block) {
        auto *call = dyn_cast<CallInst>(&instruction);
        if (!call || !meetsCounter(*call))
          continue;
        Function *called = callee(instruction);
        bool holds = called && chosen.contains(called);
        // (Such a call becomes a jump, which it could not with something to come back.)
        if (holds && call->isTailCall() && endsFunction(*call))
          return false;
        (holds ? calls : others) += frequency;
      }
    }
    return calls >= LeastCalls && calls >= LeastCallsPerOther * others;
  }
};

class Holder {
public:
  Holder(Module &module, const Functions &chosen)
      : module(module), chosen(chosen), counter(module.getGlobalVariable(CounterName)), compact(Check::canBeAssembly(module)),
        word(Type::getInt64Ty(module.getContext())), held(PointerType::getUnqual(module.getContext())) {}

  void run() {
    for (Function *function : chosen)
      bodies[function] = move(*function);
    for (auto [function, body] : bodies)
      convert(*body);
  }

private:
  Module &module;
  const Functions &chosen;
  GlobalVariable *counter;
  bool compact;
  IntegerType *word;
  PointerType *held;
  DenseMap<Function *, Function *> bodies;

  // The argument as a number and back: it is a pointer by its type only.
  Value *get(IRBuilder<> &builder, Value *place) { return builder.CreatePtrToInt(builder.CreateLoad(held, place), word); }
  void set(IRBuilder<> &builder, Value *place, Value *value) { builder.CreateStore(builder.CreateIntToPtr(value, held), place); }
  void take(IRBuilder<> &builder, Value *place) { set(builder, place, builder.CreateAlignedLoad(word, counter, Align(8))); }
  void giveBack(IRBuilder<> &builder, Value *place) { builder.CreateAlignedStore(get(builder, place), counter, Align(8)); }

  static AttributeList withHeld(LLVMContext &context, AttributeList list, AttributeSet ofFunction, unsigned arguments) {
    SmallVector<AttributeSet, 8> each;
    for (unsigned index = 0; index < arguments; ++index)
      each.push_back(list.getParamAttrs(index));
    each.push_back(AttributeSet::get(context, ArrayRef(Attribute::get(context, Attribute::SwiftError))));
    return AttributeList::get(context, ofFunction, list.getRetAttrs(), each);
  }

  // Calls what `function` was, with the same arguments and the counter.
  CallInst *callBody(IRBuilder<> &builder, Function *body, SmallVector<Value *, 8> arguments, Value *place, AttributeList list,
                     AttributeSet ofCall) {
    arguments.push_back(place);
    CallInst *call = builder.CreateCall(body, arguments);
    call->setCallingConv(body->getCallingConv());
    call->setAttributes(withHeld(module.getContext(), list, ofCall, arguments.size() - 1));
    return call;
  }

  // The body in a function of its own, which holds the counter; what is left takes it and gives it back.
  Function *move(Function &function) {
    LLVMContext &context = module.getContext();
    SmallVector<Type *, 8> parameters(function.getFunctionType()->params());
    parameters.push_back(held);
    auto *body = Function::Create(FunctionType::get(function.getReturnType(), parameters, false), GlobalValue::InternalLinkage,
                                  function.getAddressSpace(), function.getName() + ".holding");
    module.getFunctionList().insert(function.getIterator(), body);
    body->copyAttributesFrom(&function);
    body->setLinkage(GlobalValue::InternalLinkage);
    body->setVisibility(GlobalValue::DefaultVisibility);
    body->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    body->setAttributes(withHeld(context, function.getAttributes(), function.getAttributes().getFnAttrs(), function.arg_size()));
    // It writes an argument now.
    body->removeFnAttr(Attribute::Memory);
    body->splice(body->begin(), &function);
    for (auto [from, to] : zip(function.args(), body->args())) {
      from.replaceAllUsesWith(&to);
      to.takeName(&from);
    }
    body->setSubprogram(function.getSubprogram());
    function.setSubprogram(nullptr);
    body->setMetadata(LLVMContext::MD_prof, function.getMetadata(LLVMContext::MD_prof));

    IRBuilder<> builder(BasicBlock::Create(context, "", &function));
    AllocaInst *place = builder.CreateAlloca(held);
    place->setSwiftError(true);
    take(builder, place);
    SmallVector<Value *, 8> arguments;
    for (Argument &argument : function.args())
      arguments.push_back(&argument);
    CallInst *call = callBody(builder, body, arguments, place, function.getAttributes(), AttributeSet());
    giveBack(builder, place);
    if (function.getReturnType()->isVoidTy())
      builder.CreateRetVoid();
    else
      builder.CreateRet(call);
    return body;
  }

  void convert(Function &body) {
    Value *place = body.getArg(body.arg_size() - 1);
    SmallVector<CallInst *, 16> calls = callsOf(body, false);
    SmallVector<AtomicRMWInst *, 16> additions;
    SmallVector<Instruction *, 4> accesses; // of loops that hold it themselves
    for (Instruction &instruction : instructions(body))
      if (additionToCounter(instruction))
        additions.push_back(cast<AtomicRMWInst>(&instruction));
      else if (isa<LoadInst, StoreInst>(instruction) && isCounterItself(getLoadStorePointerOperand(&instruction)))
        accesses.push_back(&instruction);
    for (AtomicRMWInst *addition : additions)
      convertAddition(*addition, place);
    for (Instruction *access : accesses) {
      IRBuilder<> builder(access);
      if (auto *load = dyn_cast<LoadInst>(access))
        load->replaceAllUsesWith(get(builder, place));
      else
        set(builder, place, cast<StoreInst>(access)->getValueOperand());
      access->eraseFromParent();
    }
    for (CallInst *call : calls)
      convertCall(*call, place);
    // Limits of checks that are no assembly.
    for (CallInst *limit : callsOf(body, true))
      convertCall(*limit, place);
  }

  // The calls before which the counter goes to its place: of the limit, or all others.
  static SmallVector<CallInst *, 16> callsOf(Function &body, bool ofLimit) {
    SmallVector<CallInst *, 16> calls;
    for (Instruction &instruction : instructions(body))
      if (auto *call = dyn_cast<CallInst>(&instruction); call && meetsCounter(*call)) {
        const Function *callee = call->getCalledFunction();
        if ((callee && callee->getName() == LimitName) == ofLimit)
          calls.push_back(call);
      }
    return calls;
  }

  void convertAddition(AtomicRMWInst &addition, Value *place) {
    IRBuilder<> builder(&addition);
    Value *before = get(builder, place);
    bool isLook = !addition.use_empty();
    if (isLook && compact)
      if (auto check = Check::of(addition)) {
        set(builder, place, check->assemble(builder, before));
        return check->erase();
      }
    Value *sum = builder.CreateAdd(before, addition.getValOperand());
    set(builder, place, sum);
    if (isLook) {
      builder.CreateAlignedStore(sum, counter, Align(8));
      replaceResult(addition, sum, builder);
    }
    addition.eraseFromParent();
  }

  void convertCall(CallInst &call, Value *place) {
    IRBuilder<> builder(&call);
    auto known = bodies.find(call.getCalledFunction());
    if (known == bodies.end() || call.getFunctionType() != known->first->getFunctionType() ||
        call.getCallingConv() != known->first->getCallingConv()) {
      giveBack(builder, place);
      builder.SetInsertPoint(call.getNextNode());
      take(builder, place);
      return;
    }
    SmallVector<Value *, 8> arguments(call.args());
    AttributeList list = call.getAttributes();
    CallInst *direct = callBody(builder, known->second, arguments, place, list, list.getFnAttrs());
    direct->removeFnAttr(Attribute::Memory);
    direct->copyMetadata(call);
    direct->takeName(&call);
    call.replaceAllUsesWith(direct);
    call.eraseFromParent();
  }
};

} // namespace

bool holdInRecursion(Module &module, ModuleAnalysisManager &analyses) {
  if (!module.getNamedMetadata(DoneMetadata) || !module.getFunction(LimitName) || !targetHolds(module))
    return false;
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  Functions chosen = Choice(module, functions).make();
  if (chosen.empty())
    return false;
  Holder(module, chosen).run();
  return true;
}

} // namespace luthier
