#include "count.h"
namespace luthier {
bool replaceLate(llvm::Module &, llvm::ModuleAnalysisManager &, Session *, const Settings &) { return false; }
} // namespace luthier
