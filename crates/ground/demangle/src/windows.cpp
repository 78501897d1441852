// Names as Windows has them, apart from the others: most programs of ours never see one, and are linked without what reads them.

#include "llvm/Demangle/Demangle.h"

#include <string_view>

// As `luthier_demangle`.
extern "C" char *luthier_demangle_windows(const char *name, size_t length) {
  return llvm::microsoftDemangle(std::string_view(name, length), nullptr, nullptr);
}
