// From the tool's module to one function: find the hook, inline everything, turn register accesses and dispatch state into
// arguments, optimise, refuse what cannot be spliced into a kernel.

#include "job.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <optional>

using namespace llvm;
using namespace luthier;

namespace {

constexpr const char *Prefix = "__luthier_";
// Registers of one parameter, as the widest tuples have them.
constexpr uint32_t MostDwords = 16;

// State that a shader function does not get from the hardware; the framework keeps it from kernel entry.
struct State {
  Intrinsic::ID Id;
  const char *Name;
  uint32_t File, Dwords;
};

constexpr State States[] = {
    {Intrinsic::amdgcn_workgroup_id_x, "workgroup_id_x", LUTHIER_CODEGEN_SCALAR, 1},
    {Intrinsic::amdgcn_workgroup_id_y, "workgroup_id_y", LUTHIER_CODEGEN_SCALAR, 1},
    {Intrinsic::amdgcn_workgroup_id_z, "workgroup_id_z", LUTHIER_CODEGEN_SCALAR, 1},
    {Intrinsic::amdgcn_workitem_id_x, "workitem_id_x", LUTHIER_CODEGEN_VECTOR, 1},
    {Intrinsic::amdgcn_workitem_id_y, "workitem_id_y", LUTHIER_CODEGEN_VECTOR, 1},
    {Intrinsic::amdgcn_workitem_id_z, "workitem_id_z", LUTHIER_CODEGEN_VECTOR, 1},
    {Intrinsic::amdgcn_dispatch_ptr, "dispatch_ptr", LUTHIER_CODEGEN_SCALAR, 2},
    {Intrinsic::amdgcn_dispatch_id, "dispatch_id", LUTHIER_CODEGEN_SCALAR, 2},
    {Intrinsic::amdgcn_queue_ptr, "queue_ptr", LUTHIER_CODEGEN_SCALAR, 2},
    {Intrinsic::amdgcn_implicitarg_ptr, "implicitarg_ptr", LUTHIER_CODEGEN_SCALAR, 2},
    {Intrinsic::amdgcn_kernarg_segment_ptr, "kernarg_ptr", LUTHIER_CODEGEN_SCALAR, 2},
};

// Values that are one number in all executions of a place. The code has them as literals, which cost nothing on paths that do not read them.
constexpr const char *Literals[] = {"site", "pc", "access_size", "access_kind"};
constexpr const char *LiteralPrefix = "__luthier_literal_";

// Functions of HIP's that hooks have functions of luthier_device.h for.
struct Redirection {
  const char *From, *To;
};
constexpr Redirection Redirections[] = {
    {"__ockl_printf_begin", "__luthier_printf_begin"},
    {"__ockl_printf_append_args", "__luthier_printf_args"},
    {"__ockl_printf_append_string_n", "__luthier_printf_text"},
    {"__ockl_fprintf_stderr_begin", "__luthier_stderr_begin"},
    {"__ockl_fprintf_append_args", "__luthier_printf_args"},
    {"__ockl_fprintf_append_string_n", "__luthier_printf_text"},
    {"__assert_fail", "__luthier_assert_fail"},
    {"__assertfail", "__luthier_assert_fail"},
};
constexpr const char *AssertFail = "__luthier_assert_fail";

struct Builder {
  Module &M;
  luthier_codegen_job &Job;
  TargetMachine &TM;
  Reporter &Report;
  // Storage of each binding: memory at first, promoted to registers at last. Until all bindings are known it is the
  // result of an opaque call, which keeps the optimiser away from it.
  std::map<std::string, CallInst *> Storage;
  Function *Wrapper = nullptr;
  // Variables whose first values are addresses, which a tool's variables cannot have.
  StringSet<> Addressed;

  Builder(Module &M, luthier_codegen_job &Job, TargetMachine &TM, Reporter &Report) : M(M), Job(Job), TM(TM), Report(Report) {}

  Function *find(StringRef Name);
  void redirect();
  void strip();
  bool call(Function *Hook);
  void optimise(bool Fully);
  bool replaceState();
  bool finish();
  void place();
  void calm();
  bool refuse();
  CallInst *storage(StringRef Name, uint32_t File, uint32_t Dwords, bool Read, bool Written);
  Value *moved(IRBuilder<> &B, Value *Input, uint32_t File);
  Value *literal(StringRef Name, uint32_t Dwords, Type *Pointer = nullptr);
};

Function *Builder::find(StringRef Name) {
  if (Function *F = M.getFunction(Name); F && !F->isDeclaration())
    return F;
  Function *Found = nullptr;
  for (Function &F : M) {
    if (F.isDeclaration() || F.getCallingConv() == CallingConv::AMDGPU_KERNEL)
      continue;
    std::string Plain = demangle(F.getName());
    StringRef Base = StringRef(Plain).substr(0, Plain.find('('));
    if (Base != Name && Plain != Name)
      continue;
    if (Found) {
      Report.fail("there are several functions named " + Name + "; give the mangled name, for example " + F.getName());
      return nullptr;
    }
    Found = &F;
  }
  if (!Found)
    Report.fail("there is no hook named " + Name + " in this bitcode: is it marked LUTHIER_HOOK (`extern \"C\" __device__`, used)?");
  return Found;
}

// printf and assert.
void Builder::redirect() {
  for (const Redirection &R : Redirections) {
    Function *From = M.getFunction(R.From), *To = M.getFunction(R.To);
    if (From && To && !To->isDeclaration() && From->getFunctionType() == To->getFunctionType())
      From->replaceAllUsesWith(To);
  }
  Function *Fail = M.getFunction(AssertFail);
  SmallVector<CallInst *> Failing;
  if (Fail)
    for (User *U : Fail->users())
      if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getCalledFunction() == Fail)
        Failing.push_back(Call);
  for (CallInst *Call : Failing) {
    // The function returns: an application's wave must not end, and what comes next counts on the assertion.
    Call->removeFnAttr(Attribute::NoReturn);
    BasicBlock *Block = Call->getParent();
    Block->splitBasicBlock(Call->getNextNode());
    Instruction *Onwards = Block->getTerminator();
    Type *Result = Block->getParent()->getReturnType();
    IRBuilder<> B(Onwards);
    if (Result->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(Constant::getNullValue(Result));
    for (BasicBlock *Next : successors(Block))
      Next->removePredecessor(Block);
    Onwards->eraseFromParent();
  }
}

bool holdsAddresses(const GlobalVariable &G) {
  const DataLayout &Layout = G.getParent()->getDataLayout();
  if (!G.hasInitializer() || G.getInitializer()->isNullValue())
    return false;
  std::vector<uint8_t> Bytes(Layout.getTypeAllocSize(G.getValueType()));
  return !constantBytes(G.getInitializer(), Layout, Bytes);
}

// The variables that a value is, or is computed from.
void variablesOf(const Value *V, SmallVectorImpl<const GlobalVariable *> &Found) {
  if (auto *G = dyn_cast<GlobalVariable>(V))
    Found.push_back(G);
  else if (auto *C = dyn_cast<ConstantExpr>(V))
    for (const Value *Operand : C->operands())
      variablesOf(Operand, Found);
}

// Leaves the hook and what it needs; the tool's variables become external symbols.
void Builder::strip() {
  for (const char *List : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable *G = M.getGlobalVariable(List, true))
      G->eraseFromParent();
  while (!M.alias_empty()) {
    GlobalAlias &A = *M.alias_begin();
    A.replaceAllUsesWith(A.getAliasee());
    A.eraseFromParent();
  }
  for (GlobalVariable &G : M.globals()) {
    // Constant tables of the compiler's making (strings) may yet be folded away; place() takes care of those that were not.
    if (G.hasPrivateLinkage() || G.getAddressSpace() == 3)
      continue;
    if (holdsAddresses(G))
      Addressed.insert(G.getName());
    // Variables that are never changed may be folded too: HIP's device library asks constants what it was compiled for.
    if (G.isConstant() && G.hasInitializer() && !G.isExternallyInitialized() && !G.isInterposable()) {
      G.setLinkage(GlobalValue::AvailableExternallyLinkage);
      G.setVisibility(GlobalValue::DefaultVisibility);
      G.setDSOLocal(false);
      G.setComdat(nullptr);
      continue;
    }
    G.setInitializer(nullptr);
    G.setLinkage(GlobalValue::ExternalLinkage);
    G.setVisibility(GlobalValue::DefaultVisibility);
    G.setDSOLocal(false);
    G.setComdat(nullptr);
    G.setExternallyInitialized(false);
  }
  for (Function &F : M) {
    AttributeMask Remove;
    for (Attribute A : F.getAttributes().getFnAttrs())
      if (A.isStringAttribute())
        Remove.addAttribute(A.getKindAsString());
    for (Attribute::AttrKind Kind : {Attribute::NoInline, Attribute::OptimizeNone, Attribute::OptimizeForSize, Attribute::MinSize})
      Remove.addAttribute(Kind);
    F.removeFnAttrs(Remove);
    F.setComdat(nullptr);
    if (F.isDeclaration())
      continue;
    if (F.getCallingConv() == CallingConv::AMDGPU_KERNEL) {
      F.deleteBody();
      continue;
    }
    F.setLinkage(GlobalValue::InternalLinkage);
    F.setVisibility(GlobalValue::DefaultVisibility);
    F.addFnAttr(Attribute::AlwaysInline);
  }
  for (const char *Name : {"amdgpu.kernels", "opencl.ocl.version", "llvm.ident"})
    if (NamedMDNode *N = M.getNamedMetadata(Name))
      N->eraseFromParent();
}

CallInst *Builder::storage(StringRef Name, uint32_t File, uint32_t Dwords, bool Read, bool Written) {
  for (Binding &B : Job.Bindings)
    if (B.Name == Name) {
      B.Read |= Read;
      B.Written |= Written;
      return Storage[Name.str()];
    }
  Binding B{Name.str(), File, Dwords};
  B.Read = Read;
  B.Written = Written;
  Job.Bindings.push_back(B);
  BasicBlock &Entry = Wrapper->getEntryBlock();
  IRBuilder<> Build(&Entry, Entry.begin());
  FunctionCallee Opaque = M.getOrInsertFunction(("__luthier_storage_" + Twine(Job.Bindings.size())).str(),
                                                FunctionType::get(PointerType::get(M.getContext(), 5), false));
  CallInst *Slot = Build.CreateCall(Opaque);
  Storage[Name.str()] = Slot;
  return Slot;
}

// The input in registers of its own, where the job asks for that: one instruction for each 32 bits.
Value *Builder::moved(IRBuilder<> &B, Value *Input, uint32_t File) {
  Type *T = Input->getType();
  uint64_t Bits = T->isPointerTy() ? 0 : M.getDataLayout().getTypeSizeInBits(T);
  if (!Job.MoveInputs || (Bits != 32 && Bits != 64))
    return Input;
  bool Scalar = File == LUTHIER_CODEGEN_SCALAR;
  Type *Word = B.getInt32Ty();
  InlineAsm *Move = InlineAsm::get(FunctionType::get(Word, {Word}, false), Scalar ? "s_mov_b32 $0, $1" : "v_mov_b32 $0, $1",
                                   Scalar ? "=s,s" : "=v,v", false);
  if (Bits == 32)
    return B.CreateBitCast(B.CreateCall(Move, {B.CreateBitCast(Input, Word)}), T);
  Value *Whole = B.CreateBitCast(Input, B.getInt64Ty());
  Value *Low = B.CreateCall(Move, {B.CreateTrunc(Whole, Word)});
  Value *High = B.CreateCall(Move, {B.CreateTrunc(B.CreateLShr(Whole, 32), Word)});
  Value *Joined = B.CreateOr(B.CreateZExt(Low, B.getInt64Ty()), B.CreateShl(B.CreateZExt(High, B.getInt64Ty()), 32));
  return B.CreateBitCast(Joined, T);
}

// A number that takes the place of a symbol's address. As the symbol is weak and may lie anywhere, LLVM expects no number in particular.
// `Pointer`: the type of pointer that the number is. It leads to global memory, as those to variables of tools do.
Value *Builder::literal(StringRef Name, uint32_t Dwords, Type *Pointer) {
  std::string Symbol = (LiteralPrefix + Name).str();
  constexpr unsigned Global = 1;
  GlobalVariable *G = M.getGlobalVariable(Symbol);
  if (!G) {
    G = new GlobalVariable(M, Type::getInt8Ty(M.getContext()), false, GlobalValue::ExternalWeakLinkage, nullptr, Symbol, nullptr,
                           GlobalValue::NotThreadLocal, Global);
    G->setAlignment(Align(1));
  }
  if (Pointer)
    return ConstantExpr::getPointerBitCastOrAddrSpaceCast(G, Pointer);
  return ConstantExpr::getPtrToInt(G, IntegerType::get(M.getContext(), 32 * Dwords));
}

// The provisional wrapper: an argument-less function calling the hook with storage for every binding.
bool Builder::call(Function *Hook) {
  LLVMContext &C = M.getContext();
  Wrapper = Function::Create(FunctionType::get(Type::getVoidTy(C), false), GlobalValue::ExternalLinkage, WrapperName, M);
  BasicBlock *Entry = BasicBlock::Create(C, "entry", Wrapper);
  BasicBlock *Body = BasicBlock::Create(C, "body", Wrapper);
  IRBuilder<>(Entry).CreateBr(Body);
  IRBuilder<> B(Body);
  if (!Hook->getReturnType()->isVoidTy()) {
    Report.fail("the hook returns a value, which nothing takes; declare it `void`, and change registers through a reference parameter");
    return false;
  }
  if (Hook->arg_size() != Job.Parameters.size()) {
    Report.fail("the number of arguments is " + Twine(Job.Parameters.size()) + ", but the hook takes " + Twine(Hook->arg_size()));
    return false;
  }
  const DataLayout &Layout = M.getDataLayout();
  SmallVector<Value *> Arguments;
  for (auto [Index, Argument] : enumerate(Hook->args())) {
    const Parameter &P = Job.Parameters[Index];
    Type *T = Argument.getType();
    uint64_t Bits = T->isSized() ? Layout.getTypeSizeInBits(T) : 0;
    std::string Name = ("parameter:" + Twine(Index)).str();
    if (Argument.hasByValAttr() || Bits == 0 || Bits > 32 * MostDwords || T->isAggregateType()) {
      Report.fail("parameter " + Twine(Index) +
                  " of the hook has a type that does not fit registers; "
                  "pass integers, floats, pointers or references to them");
      return false;
    }
    if (P.Kind == LUTHIER_CODEGEN_CONSTANT) {
      if (Bits > 64) {
        Report.fail("parameter " + Twine(Index) + " is wider than 64 bits and cannot be a constant");
        return false;
      }
      Value *Constant = B.getIntN(Bits, Bits == 64 ? P.Value : P.Value & ((uint64_t(1) << Bits) - 1));
      Arguments.push_back(T->isPointerTy() ? B.CreateIntToPtr(Constant, T) : B.CreateBitCast(Constant, T));
      continue;
    }
    if (P.Kind == LUTHIER_CODEGEN_LITERAL) {
      if (Bits != 64) {
        Report.fail("parameter " + Twine(Index) + " of the hook has " + Twine(Bits) + " bits; a `literal` has 64");
        return false;
      }
      Value *Number = literal(Name, 2, T->isPointerTy() ? T : nullptr);
      Arguments.push_back(T->isPointerTy() ? Number : B.CreateBitCast(Number, T));
      continue;
    }
    uint32_t Dwords = P.Dwords ? P.Dwords : (Bits + 31) / 32;
    if (P.Kind == LUTHIER_CODEGEN_REFERENCE) {
      if (!T->isPointerTy()) {
        Report.fail("parameter " + Twine(Index) + " is to be a register that the hook changes, but is no reference");
        return false;
      }
      // A reference knows its bytes, a pointer does not. Registers of fewer bytes would lose what the hook stores in the others.
      uint64_t Referred = (Argument.getDereferenceableBytes() + 3) / 4;
      if (Referred == 0 && !Argument.use_empty()) {
        Report.fail("parameter " + Twine(Index) +
                    " of the hook is a pointer, which does not say how many registers the hook changes; declare it as a reference, such as "
                    "`double &`");
        return false;
      }
      if (Referred > MostDwords) {
        Report.fail("parameter " + Twine(Index) + " of the hook refers to " + Twine(32 * Referred) +
                    " bits; registers in a row have at most " + Twine(32 * MostDwords));
        return false;
      }
      CallInst *Slot = storage(Name, P.File, std::max<uint32_t>(Dwords, Referred), true, true);
      Arguments.push_back(T->getPointerAddressSpace() == 5 ? (Value *)Slot : B.CreateAddrSpaceCast(Slot, T));
      continue;
    }
    if (Dwords != (Bits + 31) / 32) {
      Report.fail("parameter " + Twine(Index) + " has " + Twine(Bits) + " bits, but " + Twine(Dwords) + " registers are given");
      return false;
    }
    CallInst *Slot = storage(Name, P.File, Dwords, true, false);
    Arguments.push_back(moved(B, B.CreateLoad(T, Slot), P.File));
  }
  CallInst *Call = B.CreateCall(Hook, Arguments);
  Call->setCallingConv(Hook->getCallingConv());
  B.CreateRetVoid();
  return true;
}

void Builder::optimise(bool Fully) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PipelineTuningOptions Tuning;
  // A hook is small and spliced many times: keep it so.
  Tuning.LoopUnrolling = false;
  Tuning.LoopVectorization = false;
  PassBuilder PB(&TM, Tuning);
  PB.registerModuleAnalyses(Modules);
  PB.registerCGSCCAnalyses(Components);
  PB.registerFunctionAnalyses(Functions);
  PB.registerLoopAnalyses(Loops);
  PB.crossRegisterProxies(Loops, Functions, Components, Modules);
  ModulePassManager Passes;
  if (Fully) {
    Passes = PB.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
  } else {
    // Nothing is inlined into other hooks.
    Passes.addPass(GlobalDCEPass());
    Passes.addPass(AlwaysInlinerPass());
    Passes.addPass(GlobalDCEPass());
    FunctionPassManager Simplify;
    Simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
    Simplify.addPass(EarlyCSEPass());
    Simplify.addPass(InstCombinePass());
    Simplify.addPass(SimplifyCFGPass());
    Passes.addPass(createModuleToFunctionPassAdaptor(std::move(Simplify)));
  }
  Passes.run(M, Modules);
}

// `__luthier_scalar64_NAME()`: an input of that file and width.
std::optional<State> namedInput(StringRef Name) {
  if (!Name.consume_front(Prefix))
    return std::nullopt;
  uint32_t File;
  if (Name.consume_front("scalar"))
    File = LUTHIER_CODEGEN_SCALAR;
  else if (Name.consume_front("vector"))
    File = LUTHIER_CODEGEN_VECTOR;
  else
    return std::nullopt;
  unsigned Bits;
  if (Name.consumeInteger(10, Bits) || !Name.consume_front("_") || Bits % 32 || Bits == 0 || Bits > 512)
    return std::nullopt;
  return State{Intrinsic::not_intrinsic, Name.data(), File, Bits / 32};
}

bool Builder::replaceState() {
  bool Good = true;
  SmallVector<CallInst *> Calls;
  for (Instruction &I : instructions(*Wrapper))
    if (auto *Call = dyn_cast<CallInst>(&I))
      Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    Function *Callee = Call->getCalledFunction();
    if (!Callee)
      continue;
    IRBuilder<> B(Call);
    StringRef Name = Callee->getName();
    std::optional<State> Input = namedInput(Name);
    for (const State &S : States)
      if (Callee->getIntrinsicID() == S.Id)
        Input = S;
    if (Input && is_contained(Literals, StringRef(Input->Name))) {
      Call->replaceAllUsesWith(literal(Input->Name, Input->Dwords));
      Call->eraseFromParent();
      continue;
    }
    if (Input) {
      CallInst *Slot = storage(Input->Name, Input->File, Input->Dwords, true, false);
      Type *T = Call->getType();
      Value *V = B.CreateLoad(T->isPointerTy() ? (Type *)B.getIntNTy(Input->Dwords * 32) : T, Slot);
      V = moved(B, V, Input->File);
      Call->replaceAllUsesWith(T->isPointerTy() ? B.CreateIntToPtr(V, T) : V);
      Call->eraseFromParent();
      continue;
    }
    bool Read = Name.starts_with("__luthier_read_"), Write = Name.starts_with("__luthier_write_");
    if (!Read && !Write)
      continue;
    StringRef What = Name.substr(Read ? 15 : 16);
    if (Write && (What == "exec" || What == "vcc" || What == "scc" || What == "m0" || What == "mode")) {
      // The splicer moves the binding there behind the template.
      uint32_t Dwords = What == "exec" || What == "vcc" ? 2 : 1;
      B.CreateStore(Call->getArgOperand(0), storage(What, LUTHIER_CODEGEN_SCALAR, Dwords, true, true));
      Call->eraseFromParent();
      continue;
    }
    uint32_t File = What == "sgpr" ? LUTHIER_CODEGEN_SCALAR : LUTHIER_CODEGEN_VECTOR;
    if (What != "sgpr" && What != "vgpr" && What != "agpr") {
      Report.fail(Call->getDebugLoc(), "the hook calls " + Name + ", which this version does not know");
      Good = false;
      continue;
    }
    auto *Index = dyn_cast<ConstantInt>(Call->getArgOperand(0));
    if (!Index) {
      Report.fail(Call->getDebugLoc(), "the register number in a register access is not a constant");
      Good = false;
      continue;
    }
    std::string Register = (What + ":" + Twine(Index->getZExtValue())).str();
    CallInst *Slot = storage(Register, File, 1, true, Write);
    if (Read)
      Call->replaceAllUsesWith(B.CreateLoad(Call->getType(), Slot));
    else
      B.CreateStore(Call->getArgOperand(1), Slot);
    Call->eraseFromParent();
  }
  return Good;
}

// The final signature: inputs as arguments, outputs as members of the returned structure, one 32-bit element a register.
bool Builder::finish() {
  LLVMContext &C = M.getContext();
  Type *Scalar = Type::getInt32Ty(C), *Vector = Type::getFloatTy(C);
  SmallVector<Type *> Inputs, Outputs;
  for (const Binding &B : Job.Bindings)
    for (uint32_t Dword = 0; Dword != B.Dwords; ++Dword) {
      Type *T = B.File == LUTHIER_CODEGEN_SCALAR ? Scalar : Vector;
      if (B.Read)
        Inputs.push_back(T);
      if (B.Written)
        Outputs.push_back(T);
    }
  // Returning something makes control fall off the end of the code; returning nothing would end the program.
  Type *Result = StructType::get(C, Outputs.empty() ? ArrayRef<Type *>(Scalar) : ArrayRef<Type *>(Outputs));
  Function *Old = Wrapper;
  Old->setName("provisional");
  Wrapper = Function::Create(FunctionType::get(Result, Inputs, false), GlobalValue::ExternalLinkage, WrapperName, M);
  Wrapper->setCallingConv(CallingConv::AMDGPU_CS);
  Wrapper->splice(Wrapper->begin(), Old);
  Old->eraseFromParent();

  std::map<std::string, AllocaInst *> Slots;
  for (const Binding &Bound : Job.Bindings) {
    CallInst *Opaque = Storage[Bound.Name];
    IRBuilder<> Build(&Wrapper->getEntryBlock(), Wrapper->getEntryBlock().begin());
    auto *Slot = Build.CreateAlloca(ArrayType::get(Scalar, Bound.Dwords), 5, nullptr, Bound.Name);
    Slot->setAlignment(Align(Bound.Dwords > 1 ? 8 : 4));
    Opaque->replaceAllUsesWith(Slot);
    Opaque->eraseFromParent();
    Slots[Bound.Name] = Slot;
  }
  // The calls stood first, and so do the variables now; the inputs go between them and the hook.
  BasicBlock &Entry = Wrapper->getEntryBlock();
  Instruction *Start = &*Entry.getFirstNonPHIOrDbgOrAlloca();
  unsigned Argument = 0;
  IRBuilder<> B(Start);
  for (const Binding &Bound : Job.Bindings) {
    AllocaInst *Slot = Slots[Bound.Name];
    for (uint32_t Dword = 0; Bound.Read && Dword != Bound.Dwords; ++Dword) {
      Value *Register = Wrapper->getArg(Argument);
      if (Bound.File == LUTHIER_CODEGEN_SCALAR)
        Wrapper->addParamAttr(Argument, Attribute::InReg);
      ++Argument;
      Value *Address = B.CreateConstInBoundsGEP2_32(Slot->getAllocatedType(), Slot, 0, Dword);
      B.CreateStore(B.CreateBitCast(Register, Scalar), Address);
    }
  }
  for (BasicBlock &Block : *Wrapper) {
    auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
    if (!Return)
      continue;
    IRBuilder<> End(Return);
    Value *Results = PoisonValue::get(Result);
    unsigned Member = 0;
    for (const Binding &Bound : Job.Bindings)
      for (uint32_t Dword = 0; Bound.Written && Dword != Bound.Dwords; ++Dword) {
        AllocaInst *Slot = Slots[Bound.Name];
        Value *Address = End.CreateConstInBoundsGEP2_32(Slot->getAllocatedType(), Slot, 0, Dword);
        Type *T = Bound.File == LUTHIER_CODEGEN_SCALAR ? Scalar : Vector;
        Results = End.CreateInsertValue(Results, End.CreateLoad(T, Address), Member++);
      }
    End.CreateRet(Results);
    Return->eraseFromParent();
  }
  Wrapper->addFnAttr("target-cpu", Job.Cpu);
  Wrapper->addFnAttr("target-features", Job.Features);
  Wrapper->addFnAttr("amdgpu-agpr-alloc", "0");
  Wrapper->addFnAttr("no-jump-tables", "true");
  Wrapper->addFnAttr(Attribute::NoUnwind);
  for (const auto &[Key, Value] : Job.Attributes)
    Wrapper->addFnAttr(Key, Value);
  return true;
}

// Constant tables that are left become variables of the tool, named by their contents.
void Builder::place() {
  const DataLayout &Layout = M.getDataLayout();
  for (GlobalVariable &G : M.globals()) {
    bool Memory = G.getAddressSpace() == 0 || G.getAddressSpace() == 1 || G.getAddressSpace() == 4;
    if (!G.hasPrivateLinkage() || !G.isConstant() || !G.hasInitializer() || G.use_empty() || !Memory)
      continue;
    std::vector<uint8_t> Bytes(Layout.getTypeAllocSize(G.getValueType()));
    if (!constantBytes(G.getInitializer(), Layout, Bytes))
      continue;
    uint64_t Hash = xxh3_64bits(ArrayRef<uint8_t>(Bytes));
    std::string Name = ("__luthier_constant_" + Twine::utohexstr(Hash) + "_" + Twine(Bytes.size())).str();
    uint64_t Alignment = Layout.getPreferredAlign(&G).value();
    bool Known = any_of(Job.Constants, [&](const Constants &C) { return C.Name == Name; });
    if (!Known)
      Job.Constants.push_back({Name, std::move(Bytes), Alignment});
    if (GlobalVariable *Same = M.getGlobalVariable(Name, true); Same && Same->getType() == G.getType()) {
      G.replaceAllUsesWith(Same);
      continue;
    }
    G.setInitializer(nullptr);
    G.setLinkage(GlobalValue::ExternalLinkage);
    G.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
    G.setDSOLocal(false);
    G.setName(Name);
  }
}

// Atomics through plain pointers: no such pointer leads to a stack, for hooks have none. Without this LLVM asks at run time,
// and goes to a stack.
void Builder::calm() {
  MDNode *Never = MDBuilder(M.getContext()).createRange(APInt(32, 5), APInt(32, 6));
  for (Instruction &I : instructions(*Wrapper)) {
    auto *Change = dyn_cast<AtomicRMWInst>(&I);
    auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
    unsigned Space = Change ? Change->getPointerAddressSpace() : Exchange ? Exchange->getPointerAddressSpace() : 1;
    if (Space == 0)
      I.setMetadata(LLVMContext::MD_noalias_addrspace, Never);
  }
}

// Functions of mathematics that are no instructions, where they are none for float either (`Both`) or for double alone.
struct Mathematics {
  Intrinsic::ID Id;
  bool Both;
};

constexpr Mathematics OfLibrary[] = {
    {Intrinsic::sin, false},   {Intrinsic::cos, false}, {Intrinsic::sincos, false}, {Intrinsic::exp, false},   {Intrinsic::exp2, false},
    {Intrinsic::exp10, false}, {Intrinsic::log, false}, {Intrinsic::log2, false},   {Intrinsic::log10, false}, {Intrinsic::pow, false},
    {Intrinsic::tan, true},    {Intrinsic::asin, true}, {Intrinsic::acos, true},    {Intrinsic::atan, true},   {Intrinsic::atan2, true},
    {Intrinsic::sinh, true},   {Intrinsic::cosh, true}, {Intrinsic::tanh, true},    {Intrinsic::modf, true},
};

// Why the hook cannot call a function of mathematics; nothing if it is none, or an instruction.
std::string lackOfLibrary(const CallBase &Call, const Function &Callee) {
  constexpr const char *Why = ", a function of HIP's device library, which `luthier tool build` does not have; build the tool with hipcc "
                              "(docs/tools/guide.md, \"Compilers\")";
  Type *Taken = Callee.arg_size() != 0 ? Callee.getArg(0)->getType()->getScalarType() : nullptr;
  if (!Taken || !Taken->isFloatingPointTy())
    return "";
  for (const Mathematics &M : OfLibrary)
    if (Callee.getIntrinsicID() == M.Id && (M.Both || Taken->isDoubleTy())) {
      StringRef Name = Intrinsic::getBaseName(M.Id);
      Name.consume_front("llvm.");
      return ("the hook calls " + Name + " of a " + (Taken->isDoubleTy() ? "double" : "float") + Why +
              (M.Both ? "" : ", or compute with float"))
          .str();
    }
  LibFunc Known;
  TargetLibraryInfoImpl Library(Call.getModule()->getTargetTriple());
  if (Callee.isDeclaration() && !Callee.isIntrinsic() && Library.getLibFunc(Callee.getName(), Known))
    return ("the hook calls " + Callee.getName() + Why).str();
  return "";
}

// Why a function that the hook calls is not inlined.
std::string lackOfInlining(const Function &Callee) {
  std::string Name = demangle(Callee.getName());
  if (any_of(Callee, [](const BasicBlock &Block) { return isa<IndirectBrInst>(Block.getTerminator()); }))
    return "the hook jumps to the address of a label (`goto *`), which cannot be moved into a kernel; use a switch";
  if (Callee.isVarArg())
    return "the hook calls " + Name +
           ", which takes a variable number of arguments and so cannot be inlined; use a template with a parameter pack, "
           "or an array";
  if (!Callee.isDeclaration())
    return "the hook calls " + Name + ", which is recursive and so cannot be inlined; use a loop";
  StringRef Base = StringRef(Name).substr(0, Name.find('('));
  if (Base.starts_with("operator new") || Base == "malloc" || Base == "calloc" || Base == "realloc")
    return "the hook allocates memory (" + Name + "), which hooks cannot; use an array, or a variable of the tool";
  return "the hook calls " + Name + ", which is in no source of the tool (functions of other sources need -fgpu-rdc)";
}

// Code that LLVM would compile to something wrong in the middle of a kernel.
bool Builder::refuse() {
  bool Good = true;
  auto Refuse = [&](const Instruction &I, const Twine &Text) {
    DebugLoc Where = I.getDebugLoc();
    // Variables have no place of their own: the first use that has one.
    for (const User *U : I.users())
      if (auto *Use = dyn_cast<Instruction>(U); Use && !Where)
        Where = Use->getDebugLoc();
    Report.fail(Where, Text);
    Good = false;
  };
  for (Instruction &I : instructions(*Wrapper)) {
    if (isa<AllocaInst>(I))
      Refuse(I, "the hook keeps a variable in memory in a way that cannot be moved (a size known at run time only, or an "
                "address that is stored or passed on)");
    SmallVector<const GlobalVariable *> Variables;
    for (const Value *Operand : I.operands())
      variablesOf(Operand, Variables);
    for (const GlobalVariable *G : Variables) {
      if (G->getAddressSpace() == 3)
        Refuse(I, "the hook uses the LDS variable " + G->getName() + " in a way that cannot be moved");
      else if (Addressed.contains(G->getName()))
        Refuse(I, "the hook uses " + demangle(G->getName()) +
                      ", a variable that begins with addresses in it, which are known only when a program runs; choose among the variables "
                      "in the hook, with an `if` or a switch");
      else if (!G->isDeclaration())
        Refuse(I, "the hook uses a table with addresses in it, which cannot be placed inside a kernel");
    }
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
      if (StringRef(Asm->getConstraintString()).contains("{m0}"))
        Refuse(I, "the hook writes M0 in its own assembly, and M0 is put back behind hooks; call luthier::write_m0");
      continue;
    }
    Function *Callee = Call->getCalledFunction();
    if (!Callee)
      Refuse(I, "the hook calls through a function pointer; call functions by their names, in the branches of an `if` or a switch");
    else if (std::string Lack = lackOfLibrary(*Call, *Callee); !Lack.empty())
      Refuse(I, Lack);
    else if (Callee->getIntrinsicID() == Intrinsic::trap || Callee->getIntrinsicID() == Intrinsic::ubsantrap)
      Refuse(I, "the hook may trap (abort, assert or __builtin_trap), which would end the application's wave");
    else if (Callee->getIntrinsicID() == Intrinsic::amdgcn_lds_kernel_id)
      Refuse(I, "the hook asks for the LDS kernel id, which an inserted hook does not have");
    else if (Callee->getIntrinsicID() == Intrinsic::amdgcn_s_barrier)
      Refuse(I, "the hook contains a barrier; waves of a workgroup do not reach a hook together");
    else if (Callee->getIntrinsicID() == Intrinsic::amdgcn_endpgm)
      Refuse(I, "the hook ends the program");
    else if (!Callee->isIntrinsic())
      Refuse(I, lackOfInlining(*Callee) + (I.getDebugLoc() ? "" : "; compiled with -gline-tables-only, the tool has the line"));
  }
  return Good;
}

} // namespace

bool luthier::wrap(Module &M, luthier_codegen_job &Job, StringRef Hook, TargetMachine &TM, Reporter &Report, bool &Again) {
  Builder B(M, Job, TM, Report);
  Job.Bindings.clear();
  Job.Constants.clear();
  Function *F = B.find(Hook);
  if (!F)
    return false;
  if (const DISubprogram *Source = F->getSubprogram()) {
    Job.SourceFile = Source->getFilename().str();
    Job.SourceLine = Source->getLine();
    Report.File = Job.SourceFile;
    Report.Line = Job.SourceLine;
  }
  M.setTargetTriple(TM.getTargetTriple());
  M.setDataLayout(TM.createDataLayout());
  B.redirect();
  B.strip();
  if (!B.call(F))
    return false;
  B.optimise(false);
  if (!B.replaceState())
    return false;
  if (Job.HasStack)
    B.storage("stack", LUTHIER_CODEGEN_SCALAR, 2, true, false);
  for (const Shared &Variable : Job.SharedVariables)
    B.storage("lds:" + Variable.Name, LUTHIER_CODEGEN_SCALAR, 1, true, false);
  if (!B.finish())
    return false;
  std::string Problem;
  raw_string_ostream Stream(Problem);
  if (verifyModule(M, &Stream)) {
    Report.fail("the hook's IR is broken: " + Problem);
    return false;
  }
  B.optimise(true);
  if (Job.HasStack || !Job.SharedVariables.empty()) {
    if (Job.Spill)
      spillKept(*B.Wrapper, TM);
    if (!moveObjects(*B.Wrapper, Job, Report))
      return false;
    B.optimise(true);
  } else if (!findObjects(*B.Wrapper, Job, Report, Again) || Again) {
    return !Report.Failed;
  }
  B.place();
  B.calm();
  return B.refuse();
}
