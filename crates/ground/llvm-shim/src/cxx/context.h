// The LLVM objects that decoding and assembling both need.
#pragma once

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdint>
#include <memory>
#include <string>

namespace luthier {

struct Pieces {
  llvm::Triple TheTriple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions Options;
  const llvm::Target *T = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> AsmInfo;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;

  // Empty on success, otherwise what went wrong.
  std::string create(llvm::StringRef Cpu, llvm::StringRef Features);
};

// The pieces for one processor, for one owner at a time. Making them takes longer than assembling a line: pieces without
// an owner are kept for the next one.
class Borrowed {
public:
  Borrowed() = default;
  Borrowed(const Borrowed &) = delete;
  Borrowed &operator=(const Borrowed &) = delete;
  ~Borrowed();
  // Empty on success, otherwise what went wrong.
  std::string find(llvm::StringRef Cpu, llvm::StringRef Features);
  const Pieces *operator->() const { return P.get(); }
  const Pieces &operator*() const { return *P; }

private:
  std::string Name;
  std::unique_ptr<Pieces> P;
};

// How many pieces were made.
uint64_t piecesMade();

} // namespace luthier
