// One function in C: a mangled name in, text allocated by malloc out.

#include "llvm/Demangle/Demangle.h"

#include <string_view>

// Null if the name is not mangled in a way that LLVM knows.
extern "C" char *luthier_demangle(const char *name, size_t length) {
  std::string_view text(name, length);
  if (text.substr(0, 1) == "?")
    return llvm::microsoftDemangle(text, nullptr, nullptr);
  return llvm::itaniumDemangle(text);
}
