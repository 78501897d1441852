// One function in C: a mangled name in, text allocated by malloc out.

#include "llvm/Demangle/Demangle.h"

#include <string_view>

// Null if the name is not mangled as all systems but Windows have it.
extern "C" char *luthier_demangle(const char *name, size_t length) { return llvm::itaniumDemangle(std::string_view(name, length)); }
