#include "context.h"
#include "flags.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <type_traits>
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

struct Kept {
  std::string Name;
  std::unique_ptr<Pieces> P;
};

// Processors with features, and pieces for one of them.
constexpr size_t MostKept = 64;
constexpr size_t MostOfOne = 4;

// Threads only try it: the child of a fork may find it locked by a thread that it does not have. Decoders are also made and dropped in exit
// handlers, so that nothing destroys the shelf.
std::mutex Lock;
static_assert(std::is_trivially_destructible_v<std::mutex>);
// The oldest come first.
std::vector<Kept> *Shelf = nullptr;
std::atomic<uint64_t> Made{0};

} // namespace

uint64_t piecesMade() { return Made; }

std::string Borrowed::find(StringRef Cpu, StringRef Features) {
  Name = (Cpu + "\n" + Features).str();
  {
    std::unique_lock<std::mutex> Locked(Lock, std::try_to_lock);
    if (Locked && Shelf) {
      auto Found = std::find_if(Shelf->rbegin(), Shelf->rend(), [&](const Kept &One) { return One.Name == Name; });
      if (Found != Shelf->rend()) {
        P = std::move(Found->P);
        Shelf->erase(std::next(Found).base());
        return {};
      }
    }
  }
  ++Made;
  P = std::make_unique<Pieces>();
  std::string Problem = P->create(Cpu, Features);
  if (!Problem.empty())
    P.reset();
  return Problem;
}

Borrowed::~Borrowed() {
  if (!P)
    return;
  std::unique_ptr<Pieces> Dropped;
  std::unique_lock<std::mutex> Locked(Lock, std::try_to_lock);
  if (!Locked)
    return;
  if (!Shelf)
    Shelf = new std::vector<Kept>;
  auto IsOne = [&](const Kept &One) { return One.Name == Name; };
  auto Last = Shelf->end();
  if (size_t(std::count_if(Shelf->begin(), Last, IsOne)) == MostOfOne)
    Last = std::find_if(Shelf->begin(), Last, IsOne);
  else if (Shelf->size() == MostKept)
    Last = Shelf->begin();
  if (Last != Shelf->end()) {
    Dropped = std::move(Last->P);
    Shelf->erase(Last);
  }
  Shelf->push_back({std::move(Name), std::move(P)});
}

} // namespace luthier
