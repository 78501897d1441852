// The input and the result of a compilation; shared by the shim's files.
#pragma once

#include "codegen.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace luthier {

struct Parameter {
  uint32_t Kind, File, Dwords;
  uint64_t Value;
};

struct Binding {
  std::string Name;
  uint32_t File, Dwords;
  uint32_t First = 0;
  bool Read = false, Written = false;
};

// An LDS variable of the hook.
struct Shared {
  std::string Name;
  uint64_t Size, Alignment;
};

// A constant table of the hook.
struct Constants {
  std::string Name;
  std::vector<uint8_t> Bytes;
  uint64_t Alignment;
};

// (file, index)
using FileIndex = std::pair<uint32_t, uint32_t>;

struct Reporter {
  luthier_codegen_diagnostic Sink;
  void *User;
  bool Failed = false;
  // Messages without a place of their own name this line.
  std::string File{};
  unsigned Line = 0;

  void report(uint32_t Severity, llvm::StringRef File, unsigned Line, llvm::StringRef Text) {
    if (Severity == LUTHIER_CODEGEN_ERROR)
      Failed = true;
    Sink(User, Severity, File.data(), File.size(), Line, Text.data(), Text.size());
  }
  void fail(const llvm::Twine &Text) { report(LUTHIER_CODEGEN_ERROR, File, Line, Text.str()); }
  void fail(const llvm::DebugLoc &Where, const llvm::Twine &Text);
};

// Runs `Body`; the reason if LLVM gave up with a fatal error inside.
std::string withoutAborting(llvm::function_ref<void()> Body);
void registerBackend();

// The name of the function that stands for the hook.
inline constexpr const char *WrapperName = "luthier_template";

} // namespace luthier

struct luthier_codegen_job {
  std::string Cpu, Features;
  std::vector<luthier::Parameter> Parameters;
  std::vector<std::pair<std::string, std::string>> Attributes;
  std::set<luthier::FileIndex> Pinned;
  std::map<std::string, uint32_t> Places;
  bool PinScc = false, PinVcc = false, Copy = false, AssumeTracked = false, MoveInputs = false, Spill = false;
  uint32_t Padding = 4;

  // Memory objects that survive optimisation; known after a first attempt, bindings of the second.
  bool HasStack = false;
  uint64_t StackBytes = 0;
  std::vector<luthier::Shared> SharedVariables;

  // Where the hook begins, by the debug information.
  std::string SourceFile;
  uint32_t SourceLine = 0;

  std::vector<luthier::Constants> Constants;
  std::vector<luthier::Binding> Bindings;
  llvm::SmallVector<char, 0> Object;
};

namespace luthier {

// Turns `M`, a private copy of the tool's module, into one function WrapperName with the bindings as arguments, inlined
// and optimised. Fills Job.Bindings. Sets `Again` where memory objects were found for which there are no bindings yet.
bool wrap(llvm::Module &M, luthier_codegen_job &Job, llvm::StringRef Hook, llvm::TargetMachine &TM, Reporter &Report, bool &Again);
// The hook's variables in memory: what there is, and their move to memory that the framework provides.
bool findObjects(llvm::Function &Wrapper, luthier_codegen_job &Job, Reporter &Report, bool &Found);
bool moveObjects(llvm::Function &Wrapper, luthier_codegen_job &Job, Reporter &Report);
// Puts values that are kept for long into variables in memory, which moveObjects() moves.
void spillKept(llvm::Function &Wrapper, llvm::TargetMachine &TM);
// The bytes of a constant; false if there are addresses among them.
bool constantBytes(const llvm::Constant *C, const llvm::DataLayout &Layout, std::vector<uint8_t> &Out);
// Machine code of the wrapper into Job.Object.
bool emit(llvm::Module &M, luthier_codegen_job &Job, llvm::TargetMachine &TM, Reporter &Report);

} // namespace luthier
