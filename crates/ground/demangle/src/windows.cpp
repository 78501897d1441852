// Demangling of Windows names, in a file of its own: most programs here never see such a name, and are linked without
// this code.

#include "llvm/Demangle/Demangle.h"

#include <string_view>

// The same interface as `luthier_demangle`.
extern "C" char *luthier_demangle_windows(const char *name, size_t length) {
  return llvm::microsoftDemangle(std::string_view(name, length), nullptr, nullptr);
}
