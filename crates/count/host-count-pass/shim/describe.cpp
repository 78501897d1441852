// Tells the Rust side what there is: every function, block, instruction, call and jump.

#include "count.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace luthier {
namespace {

bool isMarker(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::assume:
  case Intrinsic::pseudoprobe:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::var_annotation:
  case Intrinsic::ptr_annotation:
  case Intrinsic::annotation:
  case Intrinsic::sideeffect:
  case Intrinsic::fake_use:
  case Intrinsic::donothing: return true;
  default: return isa<DbgInfoIntrinsic>(call);
  }
}

// rustc's `main` reads the name of a script for debuggers if there is debug information, so that linkers keep that name.
bool isForDebugger(const LoadInst &load) {
  return load.isVolatile() && load.getPointerOperand()->getName() == "__rustc_debug_gdb_scripts_section__";
}

Kind bulkKind(const MemIntrinsic &call, uint64_t &bytes) {
  auto *length = dyn_cast<ConstantInt>(call.getLength());
  bytes = length ? length->getValue().getLimitedValue() : 0;
  if (isa<MemSetInst>(call))
    return length ? Kind::FillFixed : Kind::FillSized;
  return length ? Kind::CopyFixed : Kind::CopySized;
}

Kind classify(const Instruction &instruction, bool byFrontEndOfClang, uint64_t &bytes) {
  bytes = 0;
  if (auto *call = dyn_cast<CallBase>(&instruction)) {
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(call)) {
      if (isMarker(*intrinsic))
        return Kind::Marker;
      if (auto *bulk = dyn_cast<MemIntrinsic>(intrinsic))
        return bulkKind(*bulk, bytes);
    }
    const Function *callee = call->getCalledFunction();
    return callee && isCounterFunction(*callee) ? Kind::CounterCall : Kind::Call;
  }
  if (isa<CatchSwitchInst>(instruction))
    return Kind::CatchSwitch;
  if (instruction.isTerminator())
    return Kind::Terminator;
  switch (instruction.getOpcode()) {
  case Instruction::Alloca: return Kind::StackSlot;
  case Instruction::GetElementPtr: return Kind::Address;
  case Instruction::PHI: return Kind::Phi;
  case Instruction::Freeze: return Kind::Freeze;
  case Instruction::ExtractValue:
  case Instruction::InsertValue: return Kind::Aggregate;
  case Instruction::Load:
    if (isForDebugger(cast<LoadInst>(instruction)))
      return Kind::Marker;
    [[fallthrough]];
  case Instruction::Store:
    // Also fields of a local aggregate: ABIs differ in whether a by-value argument is taken apart.
    return isa<AllocaInst>(getLoadStorePointerOperand(&instruction)->stripInBoundsConstantOffsets()) ? Kind::LocalAccess : Kind::Work;
  default: return instruction.isCast() ? Kind::Cast : byFrontEndOfClang && isOfOneAbi(instruction) ? Kind::OneAbi : Kind::Work;
  }
}

// A body that runs before threads have storage cannot count.
bool isResolver(const Function &function) {
  for (const GlobalIFunc &indirect : function.getParent()->ifuncs())
    if (indirect.getResolverFunction() == &function)
      return true;
  return false;
}

StringRef exemption(const Function &function) {
  if (isCounterFunction(function))
    return "part of the counter";
  if (function.hasFnAttribute(Attribute::Naked))
    return "naked: its body is assembly and has no prologue";
  if (isResolver(function))
    return "ifunc resolver: runs before threads have storage";
  return {};
}

// Every caller is seen: only then may callers be charged.
bool onlyCalledHere(const Function &function) {
  if (!function.hasLocalLinkage() && !(function.hasLinkOnceODRLinkage() && function.hasHiddenVisibility()))
    return false;
  if (function.isVarArg() || function.isPresplitCoroutine())
    return false;
  for (const Use &use : function.uses()) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (!call || !call->isCallee(&use) || call->getFunctionType() != function.getFunctionType() || !exemption(*call->getFunction()).empty())
      return false;
  }
  return true;
}

// Returns true if the code that the program calls is outside of this object.
bool isElsewhere(const Function &function) { return function.isDeclaration() || function.hasFnAttribute(Uncounted); }

// Returns true if control can return to a call that has returned already. Compilers know the functions for which they generate
// other code; a context that `swapcontext` has left can be entered more than once too.
bool returnsAgain(const CallBase &call) {
  auto *callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  return call.hasFnAttr(Attribute::ReturnsTwice) ||
         (callee && (callee->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp || callee->getName() == "swapcontext"));
}

bool bodyIsCertain(const Function &function) {
  return !function.isDeclaration() &&
         (function.hasExactDefinition() || (function.hasLinkOnceODRLinkage() && function.hasHiddenVisibility()));
}

class Describer {
public:
  Describer(Module &module, ModuleAnalysisManager &analyses, Session *session, bool optimised, bool withFacts)
      : module(module), session(session), optimised(optimised), withFacts(withFacts), byFrontEndOfClang(!optimised && isOfClang(module)),
        functionAnalyses(analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager()) {}

  DescribedModule run() {
    for (Function &function : module)
      if (!isElsewhere(function))
        numbers[&function] = numbers.size();
    for (Function &function : module)
      if (!isElsewhere(function))
        describeFunction(function);
    return std::move(result);
  }

private:
  Module &module;
  Session *session;
  bool optimised;
  bool withFacts;
  bool byFrontEndOfClang;
  FunctionAnalysisManager &functionAnalyses;
  DenseMap<const Function *, uint32_t> numbers;
  DenseMap<const MDNode *, uint32_t> locations;
  DescribedModule result;
  size_t sizedInFunction = 0;

  void describeFunction(Function &function) {
    DescribedFunction described;
    described.function = &function;
    sizedInFunction = 0;
    lc_function(session, function.getName().data(), function.getName().size(), onlyCalledHere(function), function.hasLocalLinkage());
    StringRef reason = exemption(function);
    if (!reason.empty()) {
      lc_exempt(session, reason.data(), reason.size());
      if (!isCounterFunction(function))
        result.exempt.emplace_back(function.getName().str(), reason.str());
    }
    auto &frequencies = functionAnalyses.getResult<BlockFrequencyAnalysis>(function);
    auto &probabilities = functionAnalyses.getResult<BranchProbabilityAnalysis>(function);
    DenseMap<const BasicBlock *, uint32_t> blocks;
    for (BasicBlock &block : function)
      blocks[&block] = blocks.size();
    for (BasicBlock &block : function) {
      double frequency = double(frequencies.getBlockFreq(&block).getFrequency());
      described.blocks.push_back(&block);
      described.calls.emplace_back();
      lc_block(session, frequency, block.getFirstInsertionPt() != block.end());
      for (Instruction &instruction : block)
        describeInstruction(instruction, reason.empty(), described.calls.back());
      describeEnd(block, frequency, probabilities, blocks);
    }
    result.functions.push_back(std::move(described));
  }

  void describeInstruction(Instruction &instruction, bool counted, std::vector<CallBase *> &calls) {
    uint64_t bytes;
    Kind kind = classify(instruction, byFrontEndOfClang, bytes);
    uint8_t shift = lc_instruction(session, kind, bytes, location(instruction));
    if (counted && shift != NoShift)
      result.sized.push_back({cast<CallInst>(&instruction), shift, uint32_t(result.functions.size()), sizedInFunction++});
    if (withFacts)
      noteFacts(instruction);
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      if (!intrinsic || isBoundary(*intrinsic)) {
        describeCall(*call, intrinsic != nullptr);
        calls.push_back(call);
      }
    }
  }

  // Facts that `luthier count lint` judges: called functions, and computations with addresses.
  void noteFacts(const Instruction &instruction) {
    auto note = [&](StringRef kind, StringRef what) {
      StringRef function = instruction.getFunction()->getName();
      lc_fact(session, kind.data(), kind.size(), function.data(), function.size(), what.data(), what.size(), location(instruction));
    };
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      if (call->isInlineAsm())
        note("inline-asm", "");
      else if (const Function *callee = call->getCalledFunction())
        note("call", callee->getName());
    } else if (isa<PtrToIntInst>(instruction) && isMixed(instruction, 0)) {
      note("pointer-hash", "");
    }
  }

  // Returns true if the bits of a value are multiplied, folded or reduced, possibly after it was in a local variable.
  // Differences and alignment masks of addresses are not.
  static bool isMixed(const Value &value, unsigned depth) {
    for (const User *user : value.users()) {
      auto *instruction = dyn_cast<Instruction>(user);
      if (!instruction || depth > 3)
        continue;
      switch (instruction->getOpcode()) {
      case Instruction::Mul:
      case Instruction::URem:
      case Instruction::SRem:
      case Instruction::UDiv:
      case Instruction::Xor:
      case Instruction::LShr:
      case Instruction::AShr: return true;
      case Instruction::ZExt:
      case Instruction::Trunc:
        if (isMixed(*instruction, depth + 1))
          return true;
        break;
      case Instruction::Store:
        if (auto *slot = dyn_cast<AllocaInst>(cast<StoreInst>(instruction)->getPointerOperand()))
          for (const User *reader : slot->users())
            if (isa<LoadInst>(reader) && isMixed(*reader, depth + 1))
              return true;
        break;
      default: break;
      }
    }
    return false;
  }

  void describeCall(CallBase &call, bool boundary) {
    auto *plain = dyn_cast<CallInst>(&call);
    bool again = returnsAgain(call);
    Tail tail = !plain                                        ? Tail::No
                : plain->isMustTailCall()                     ? Tail::Must
                : optimised && !again && endsFunction(*plain) ? Tail::May
                                                              : Tail::No;
    bool promised = !boundary && !call.isInlineAsm() && call.doesNotThrow() && call.hasFnAttr(Attribute::WillReturn);
    uint32_t number = NoFunction;
    StringRef name;
    if (auto *callee = boundary ? nullptr : dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases())) {
      auto known = numbers.find(callee);
      if (known != numbers.end() && bodyIsCertain(*callee))
        number = known->second;
      else if (isElsewhere(*callee))
        name = callee->getName();
    }
    lc_call(session, number, name.data(), name.size(), promised, tail, again);
  }

  void describeEnd(BasicBlock &block, double frequency, BranchProbabilityInfo &probabilities,
                   DenseMap<const BasicBlock *, uint32_t> &blocks) {
    Instruction *terminator = block.getTerminator();
    End end = End::Jump;
    if (isa<InvokeInst>(terminator))
      end = End::Invoke;
    else if (isa<ReturnInst>(terminator))
      end = End::Return;
    else if (isa<ResumeInst>(terminator) || terminator->getNumSuccessors() == 0)
      end = isa<UnreachableInst>(terminator) ? End::Unreachable : End::Resume;
    lc_end(session, end);
    bool jumpsHoldCode = !isa<IndirectBrInst, CallBrInst>(terminator);
    for (unsigned index = 0; index < terminator->getNumSuccessors(); ++index) {
      BasicBlock *successor = terminator->getSuccessor(index);
      BranchProbability probability = probabilities.getEdgeProbability(&block, index);
      double share = double(probability.getNumerator()) / double(BranchProbability::getDenominator());
      lc_successor(session, blocks[successor], frequency * share, jumpsHoldCode && !successor->isEHPad());
    }
  }

  // Inlined code belongs to the line it was written on, and what the front end adds to a function (its variables, what stands for several
  // lines) to the line where the function begins.
  uint32_t location(const Instruction &instruction) {
    if (const DILocation *where = instruction.getDebugLoc(); where && where->getLine() != 0)
      return location(*where, *where, where->getLine());
    const DISubprogram *program = instruction.getFunction()->getSubprogram();
    return program && program->getLine() != 0 ? location(*program, *program, program->getLine()) : 0;
  }

  template <typename File> uint32_t location(const MDNode &key, const File &file, unsigned line) {
    auto known = locations.find(&key);
    if (known != locations.end())
      return known->second;
    SmallString<128> path;
    if (!sys::path::is_absolute(file.getFilename()))
      path = file.getDirectory();
    sys::path::append(path, file.getFilename());
    return locations[&key] = lc_location(session, path.data(), path.size(), line);
  }
};

} // namespace

// Intrinsics are instructions, not calls, except where control can leave, or a coroutine can be put to sleep: what is
// owed there would be paid by another function after the coroutine has been split.
bool isBoundary(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::coro_begin:
  case Intrinsic::coro_begin_custom_abi:
  case Intrinsic::coro_save:
  case Intrinsic::coro_suspend:
  case Intrinsic::coro_suspend_async:
  case Intrinsic::coro_suspend_retcon:
  case Intrinsic::coro_end:
  case Intrinsic::coro_end_async:
  case Intrinsic::coro_free:
  case Intrinsic::coro_resume:
  case Intrinsic::coro_destroy:
  case Intrinsic::coro_await_suspend_void:
  case Intrinsic::coro_await_suspend_bool:
  case Intrinsic::coro_await_suspend_handle:
  case Intrinsic::experimental_deoptimize:
  case Intrinsic::eh_sjlj_longjmp:
  case Intrinsic::eh_sjlj_setjmp:
  case Intrinsic::localescape: return true;
  default: return call.doesNotReturn();
  }
}

DescribedModule describe(Module &module, ModuleAnalysisManager &analyses, Session *session, bool optimised, bool withFacts) {
  return Describer(module, analyses, session, optimised, withFacts).run();
}

} // namespace luthier
