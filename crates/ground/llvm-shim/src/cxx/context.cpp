#include "context.h"
#include "flags.h"

#include <mutex>
#include <utility>
#include <vector>

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

namespace {

struct Shelf {
  std::mutex Lock;
  // The oldest come first.
  std::vector<std::pair<std::string, std::unique_ptr<Pieces>>> Kept;
};

constexpr size_t MostKept = 64;

// Never freed: decoders are also made and dropped in exit handlers.
Shelf &shelf() {
  static Shelf &The = *new Shelf;
  return The;
}

} // namespace

std::string Borrowed::find(StringRef Cpu, StringRef Features) {
  Name = (Cpu + "\n" + Features).str();
  {
    // Nobody waits: the child of a fork may find it locked by a thread that it does not have.
    std::unique_lock<std::mutex> Locked(shelf().Lock, std::try_to_lock);
    if (Locked) {
      auto &Kept = shelf().Kept;
      for (auto One = Kept.rbegin(); One != Kept.rend(); ++One) {
        if (One->first != Name)
          continue;
        P = std::move(One->second);
        Kept.erase(std::next(One).base());
        return {};
      }
    }
  }
  P = std::make_unique<Pieces>();
  std::string Problem = P->create(Cpu, Features);
  if (!Problem.empty())
    P.reset();
  return Problem;
}

Borrowed::~Borrowed() {
  if (!P)
    return;
  std::unique_ptr<Pieces> Oldest;
  std::unique_lock<std::mutex> Locked(shelf().Lock, std::try_to_lock);
  if (!Locked)
    return;
  auto &Kept = shelf().Kept;
  if (Kept.size() == MostKept) {
    Oldest = std::move(Kept.front().second);
    Kept.erase(Kept.begin());
  }
  Kept.emplace_back(std::move(Name), std::move(P));
}

} // namespace luthier
