#include "context.h"
#include "flags.h"

#include <mutex>

using namespace llvm;

// Entry points of LLVM's AMDGPU backend. llvm/Config/Targets.def declares them through llvm/Support/TargetSelect.h, but
// that header would also reference every other backend.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace luthier {

static void registerBackend() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

std::string Pieces::create(StringRef Cpu, StringRef Features) {
  registerBackend();
  std::string Error;
  T = TargetRegistry::lookupTarget(TheTriple, Error);
  if (!T)
    return "this LLVM has no AMDGPU backend: " + Error;
  Registers.reset(T->createMCRegInfo(TheTriple));
  AsmInfo.reset(T->createMCAsmInfo(*Registers, TheTriple, Options));
  Instructions.reset(T->createMCInstrInfo());
  static std::once_flag Once;
  // Decoders are also made behind the destructors of this library, in exit handlers of programs.
  static std::string &LayoutProblem = *new std::string;
  std::call_once(Once, [&] { LayoutProblem = checkFlagLayout(*Instructions); });
  if (!LayoutProblem.empty())
    return LayoutProblem;
  // An unknown name would make LLVM print a warning and carry on with a default processor.
  std::unique_ptr<MCSubtargetInfo> Probe(T->createMCSubtargetInfo(TheTriple, "", ""));
  if (!Probe->isCPUStringValid(Cpu))
    return "LLVM 22 does not know the processor " + Cpu.str();
  Subtarget.reset(T->createMCSubtargetInfo(TheTriple, Cpu, Features));
  if (!Subtarget)
    return "LLVM 22 cannot describe the processor " + Cpu.str();
  return {};
}

} // namespace luthier
