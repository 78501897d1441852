// The C interface over wrapper.cpp and emit.cpp.

#include "job.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace llvm;
using namespace luthier;

static_assert(LLVM_VERSION_MAJOR == 22, "the shim is written for LLVM 22");

// llvm/Support/TargetSelect.h declares these for every backend; only one is wanted.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

struct luthier_codegen_module {
  std::vector<uint8_t> Bytes;
  std::unique_ptr<LLVMContext> Context;
  std::unique_ptr<Module> M;
  std::vector<GlobalVariable *> Globals;
  std::vector<std::vector<uint8_t>> Initial;
};

namespace {

// LLVM's message about a hook's code, and the message for the hook's author.
struct Words {
  const char *Llvm, *Ours;
};
constexpr const char *TooMany =
    "it keeps more values at a time than a wave has registers for; unroll less, or use values as soon as they are there";
constexpr Words Messages[] = {
    {"ran out of registers", TooMany},
    {"requires more registers than available", TooMany},
    {"annot select", "it uses an operation that this processor does not have"},
};

std::string plain(std::string Text) {
  for (const Words &W : Messages)
    if (StringRef(Text).contains(W.Llvm))
      return W.Ours;
  return Text;
}

struct Handler final : DiagnosticHandler {
  Reporter &Report;
  explicit Handler(Reporter &Report) : Report(Report) {}

  bool handleDiagnostics(const DiagnosticInfo &Info) override {
    if (Info.getSeverity() == DS_Remark || Info.getSeverity() == DS_Note)
      return true;
    std::string Text;
    raw_string_ostream Stream(Text);
    DiagnosticPrinterRawOStream Printer(Stream);
    Info.print(Printer);
    uint32_t Severity = Info.getSeverity() == DS_Error ? LUTHIER_CODEGEN_ERROR : LUTHIER_CODEGEN_WARNING;
    Report.report(Severity, Report.File, Report.Line, plain(Text));
    return true;
  }
};

std::unique_ptr<Module> parse(ArrayRef<uint8_t> Bytes, LLVMContext &Context, Reporter &Report) {
  SMDiagnostic Problem;
  StringRef Text(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
  // A copy, so that the text ends in the zero LLVM's assembly reader wants.
  std::unique_ptr<MemoryBuffer> Buffer = MemoryBuffer::getMemBufferCopy(Text, "hook");
  std::unique_ptr<Module> M = parseIR(Buffer->getMemBufferRef(), Problem, Context);
  if (!M)
    Report.report(LUTHIER_CODEGEN_ERROR, "", Problem.getLineNo() > 0 ? Problem.getLineNo() : 0,
                  ("this is no LLVM bitcode or assembly that LLVM 22 can read: " + Problem.getMessage()).str());
  return M;
}

// The bytes of an initialiser; false for those that hold addresses.
bool bytesOf(const Constant *C, const DataLayout &Layout, std::vector<uint8_t> &Out, uint64_t Offset) {
  if (C->isNullValue() || isa<UndefValue>(C))
    return true;
  auto Integer = [&](const APInt &Value) {
    for (uint64_t Byte = 0; Byte != (Value.getBitWidth() + 7) / 8; ++Byte)
      Out[Offset + Byte] = Value.lshr(Byte * 8).trunc(8).getZExtValue();
    return true;
  };
  if (auto *I = dyn_cast<ConstantInt>(C); I && I->getBitWidth() > 8)
    return Integer(I->getValue());
  if (auto *I = dyn_cast<ConstantInt>(C))
    return Integer(I->getValue().zext(16).trunc(8).zextOrTrunc(I->getBitWidth() < 8 ? 8 : 8));
  if (auto *F = dyn_cast<ConstantFP>(C))
    return Integer(F->getValueAPF().bitcastToAPInt());
  if (auto *S = dyn_cast<StructType>(C->getType())) {
    for (unsigned Index = 0; Index != S->getNumElements(); ++Index)
      if (!bytesOf(C->getAggregateElement(Index), Layout, Out, Offset + Layout.getStructLayout(S)->getElementOffset(Index)))
        return false;
    return true;
  }
  if (auto *A = dyn_cast<ArrayType>(C->getType())) {
    uint64_t Size = Layout.getTypeAllocSize(A->getElementType());
    for (uint64_t Index = 0; Index != A->getNumElements(); ++Index)
      if (!bytesOf(C->getAggregateElement(Index), Layout, Out, Offset + Index * Size))
        return false;
    return true;
  }
  return false;
}

} // namespace

bool luthier::constantBytes(const Constant *C, const DataLayout &Layout, std::vector<uint8_t> &Out) { return bytesOf(C, Layout, Out, 0); }

namespace {

void noteGlobals(luthier_codegen_module &Module) {
  const DataLayout &Layout = Module.M->getDataLayout();
  for (GlobalVariable &G : Module.M->globals()) {
    bool Device = G.getAddressSpace() == 0 || G.getAddressSpace() == 1 || G.getAddressSpace() == 4;
    if (!Device || G.hasPrivateLinkage() || G.getName().starts_with("llvm."))
      continue;
    uint64_t Size = Layout.getTypeAllocSize(G.getValueType());
    if (Size > (uint64_t(1) << 30))
      continue;
    std::vector<uint8_t> Bytes;
    if (G.hasInitializer() && !G.getInitializer()->isNullValue()) {
      Bytes.resize(Size);
      if (!bytesOf(G.getInitializer(), Layout, Bytes, 0))
        continue; // Tables of addresses (virtual methods) are nothing a hook can use.
    }
    Module.Globals.push_back(&G);
    Module.Initial.push_back(std::move(Bytes));
  }
}

void configure() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    const char *Options[] = {
        "luthier",
        // Dual-issue pairs restrict which registers may stand together; renamed code would break the rules.
        "-amdgpu-enable-vopd=0",
        // Hints only, and wrong ones once the code stands elsewhere.
        "-amdgpu-enable-delay-alu=0",
        // Hook authors elect a lane themselves; a second election would only be longer.
        "-amdgpu-atomic-optimizer-strategy=None",
        // Arrays as vectors need a stack to be indexed on; as arrays they move to memory of the hook's own.
        "-disable-promote-alloca-to-vector=1",
    };
    cl::ParseCommandLineOptions(std::size(Options), Options, "", &nulls());
  });
}

std::unique_ptr<TargetMachine> machine(const luthier_codegen_job &Job, Reporter &Report) {
  configure();
  Triple Where("amdgcn-amd-amdpal");
  std::string Problem;
  const Target *T = TargetRegistry::lookupTarget(Where, Problem);
  if (!T) {
    Report.fail("this LLVM has no AMDGPU backend: " + Problem);
    return nullptr;
  }
  std::unique_ptr<MCSubtargetInfo> Probe(T->createMCSubtargetInfo(Where, "", ""));
  if (!Probe->isCPUStringValid(Job.Cpu)) {
    Report.fail("LLVM 22 does not know the processor " + Twine(Job.Cpu));
    return nullptr;
  }
  TargetOptions Options;
  return std::unique_ptr<TargetMachine>(
      T->createTargetMachine(Where, Job.Cpu, Job.Features, Options, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

} // namespace

int luthier_codegen_link(const uint8_t *const *Units, const size_t *Lengths, size_t Count, luthier_codegen_text Out, void *OutUser,
                         luthier_codegen_diagnostic Sink, void *User) {
  Reporter Report{Sink, User};
  std::string Fatal = withoutAborting([&] {
    configure();
    LLVMContext Context;
    Context.setDiagnosticHandler(std::make_unique<Handler>(Report));
    std::unique_ptr<Module> Whole;
    for (size_t Index = 0; Index != Count; ++Index) {
      std::unique_ptr<Module> Unit = parse(ArrayRef<uint8_t>(Units[Index], Lengths[Index]), Context, Report);
      if (!Unit)
        return;
      if (!Whole)
        Whole = std::move(Unit);
      else if (Linker::linkModules(*Whole, std::move(Unit)))
        return Report.fail("the sources of the tool do not link");
    }
    if (!Whole)
      return Report.fail("there is nothing to link");
    SmallVector<char, 0> Bytes;
    raw_svector_ostream Stream(Bytes);
    WriteBitcodeToFile(*Whole, Stream);
    Out(OutUser, Bytes.data(), Bytes.size());
  });
  if (!Fatal.empty())
    Report.fail(Fatal);
  return !Report.Failed;
}

luthier_codegen_module *luthier_codegen_load(const uint8_t *Bytes, size_t Length, luthier_codegen_diagnostic Sink, void *User) {
  Reporter Report{Sink, User};
  auto Result = std::make_unique<luthier_codegen_module>();
  std::string Fatal = withoutAborting([&] {
    configure();
    Result->Bytes.assign(Bytes, Bytes + Length);
    Result->Context = std::make_unique<LLVMContext>();
    Result->Context->setDiagnosticHandler(std::make_unique<Handler>(Report));
    Result->M = parse(Result->Bytes, *Result->Context, Report);
    if (Result->M && Triple(Result->M->getTargetTriple()).getArch() != Triple::amdgcn)
      Report.fail("this bitcode is for " + Triple(Result->M->getTargetTriple()).str() +
                  ", not for an AMD GPU; compile the device side (--cuda-device-only)");
    if (!Report.Failed)
      noteGlobals(*Result);
  });
  if (!Fatal.empty())
    Report.fail(Fatal);
  if (Report.Failed)
    return nullptr;
  // The report lives no longer than this call.
  Result->Context->setDiagnosticHandler(std::make_unique<DiagnosticHandler>());
  return Result.release();
}

void luthier_codegen_module_destroy(luthier_codegen_module *M) { delete M; }

void luthier_codegen_functions(const luthier_codegen_module *Module, luthier_codegen_text Sink, void *User) {
  for (const Function &F : *Module->M)
    if (!F.isDeclaration() && F.getCallingConv() != CallingConv::AMDGPU_KERNEL)
      Sink(User, F.getName().data(), F.getName().size());
}

// Both functions take their parts by reference, and the compiler notes how many bytes a reference leads to.
void luthier_codegen_records(const luthier_codegen_module *Module, luthier_codegen_text Sink, void *User) {
  constexpr uint64_t Mask = 8, Lanes = 64;
  for (const Function &F : *Module->M)
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee)
        continue;
      StringRef Name = Callee->getName();
      // With an L, functions are the unit's own.
      if (!Name.consume_front("_ZN7luthierL") && !Name.consume_front("_ZN7luthier"))
        continue;
      bool OfWave = Name.starts_with("9emit_waveI") && Call->arg_size() == 3;
      bool OfLanes = Name.starts_with("4emitI") && Call->arg_size() == 2;
      auto *Ring = OfWave || OfLanes ? dyn_cast<GlobalVariable>(Call->getArgOperand(0)->stripPointerCasts()) : nullptr;
      uint64_t Bytes = Ring ? Call->getParamDereferenceableBytes(1) : 0;
      uint64_t Each = OfWave && Bytes ? Call->getParamDereferenceableBytes(2) : 0;
      if (Bytes == 0 || (OfWave && Each == 0))
        continue;
      std::string Line = (Ring->getName() + " " + Twine(OfWave ? Bytes + Mask + Lanes * Each : Bytes)).str();
      Sink(User, Line.data(), Line.size());
    }
}

uint32_t luthier_codegen_global_count(const luthier_codegen_module *Module) { return Module->Globals.size(); }

int luthier_codegen_global_at(const luthier_codegen_module *Module, uint32_t Index, luthier_codegen_global *Out) {
  if (Index >= Module->Globals.size())
    return 0;
  const GlobalVariable *G = Module->Globals[Index];
  const DataLayout &Layout = Module->M->getDataLayout();
  *Out = {};
  Out->name = G->getName().data();
  Out->name_length = G->getName().size();
  Out->size = Layout.getTypeAllocSize(G->getValueType());
  Out->alignment = Layout.getPreferredAlign(G).value();
  Out->initial = Module->Initial[Index].empty() ? nullptr : Module->Initial[Index].data();
  Out->defined = !G->isDeclaration();
  return 1;
}

luthier_codegen_job *luthier_codegen_job_create(const char *Cpu, size_t CpuLength, const char *Features, size_t FeaturesLength) {
  auto *Job = new luthier_codegen_job;
  Job->Cpu.assign(Cpu, CpuLength);
  Job->Features.assign(Features, FeaturesLength);
  return Job;
}

void luthier_codegen_job_destroy(luthier_codegen_job *Job) { delete Job; }

void luthier_codegen_job_parameter(luthier_codegen_job *Job, uint32_t Kind, uint32_t File, uint32_t Dwords, uint64_t Value) {
  Job->Parameters.push_back({Kind, File, Dwords, Value});
}

void luthier_codegen_job_attribute(luthier_codegen_job *Job, const char *Key, size_t KeyLength, const char *Value, size_t ValueLength) {
  Job->Attributes.emplace_back(std::string(Key, KeyLength), std::string(Value, ValueLength));
}

void luthier_codegen_job_pin(luthier_codegen_job *Job, uint32_t File, uint32_t Index) { Job->Pinned.insert({File, Index}); }

void luthier_codegen_job_place(luthier_codegen_job *Job, const char *Name, size_t NameLength, uint32_t First) {
  Job->Places[std::string(Name, NameLength)] = First;
}

void luthier_codegen_job_options(luthier_codegen_job *Job, int PinScc, int PinVcc, int Copy, uint32_t Padding, int AssumeTracked,
                                 int MoveInputs, int Spill) {
  Job->PinScc = PinScc;
  Job->PinVcc = PinVcc;
  Job->Copy = Copy;
  Job->Padding = Padding;
  Job->AssumeTracked = AssumeTracked;
  Job->MoveInputs = MoveInputs;
  Job->Spill = Spill;
}

int luthier_codegen_compile(luthier_codegen_module *Module, luthier_codegen_job *Job, const char *Hook, size_t HookLength,
                            luthier_codegen_diagnostic Sink, void *User) {
  Reporter Report{Sink, User};
  std::string Fatal = withoutAborting([&] {
    Job->HasStack = false;
    Job->StackBytes = 0;
    Job->SharedVariables.clear();
    for (bool Again = true; Again;) {
      Again = false;
      // A context of its own: a fatal error in the middle leaves a broken module behind, which must not be the caller's.
      auto *Context = new LLVMContext;
      Context->setDiagnosticHandler(std::make_unique<Handler>(Report));
      std::unique_ptr<llvm::Module> M = parse(Module->Bytes, *Context, Report);
      std::unique_ptr<TargetMachine> TM = machine(*Job, Report);
      if (M && TM && wrap(*M, *Job, StringRef(Hook, HookLength), *TM, Report, Again) && !Again)
        emit(*M, *Job, *TM, Report);
      M.reset();
      delete Context;
    }
  });
  if (!Fatal.empty())
    Report.fail(plain(Fatal));
  return !Report.Failed;
}

const uint8_t *luthier_codegen_object(const luthier_codegen_job *Job, size_t *Length) {
  *Length = Job->Object.size();
  return reinterpret_cast<const uint8_t *>(Job->Object.data());
}

uint32_t luthier_codegen_binding_count(const luthier_codegen_job *Job) { return Job->Bindings.size(); }

int luthier_codegen_binding_at(const luthier_codegen_job *Job, uint32_t Index, luthier_codegen_binding *Out) {
  if (Index >= Job->Bindings.size())
    return 0;
  const Binding &B = Job->Bindings[Index];
  *Out = {B.Name.data(), B.Name.size(), B.File, B.Dwords, B.First, B.Read, B.Written};
  return 1;
}

uint64_t luthier_codegen_stack(const luthier_codegen_job *Job) { return Job->StackBytes; }

const char *luthier_codegen_source(const luthier_codegen_job *Job, size_t *Length, uint32_t *Line) {
  *Length = Job->SourceFile.size();
  *Line = Job->SourceLine;
  return Job->SourceFile.data();
}

uint32_t luthier_codegen_shared_count(const luthier_codegen_job *Job) { return Job->SharedVariables.size(); }

int luthier_codegen_shared_at(const luthier_codegen_job *Job, uint32_t Index, luthier_codegen_shared *Out) {
  if (Index >= Job->SharedVariables.size())
    return 0;
  const Shared &S = Job->SharedVariables[Index];
  *Out = {S.Name.data(), S.Name.size(), S.Size, S.Alignment};
  return 1;
}

uint32_t luthier_codegen_constant_count(const luthier_codegen_job *Job) { return Job->Constants.size(); }

int luthier_codegen_constant_at(const luthier_codegen_job *Job, uint32_t Index, luthier_codegen_global *Out) {
  if (Index >= Job->Constants.size())
    return 0;
  const Constants &C = Job->Constants[Index];
  *Out = {C.Name.data(), C.Name.size(), C.Bytes.size(), C.Alignment, C.Bytes.data(), 1, 0};
  return 1;
}
