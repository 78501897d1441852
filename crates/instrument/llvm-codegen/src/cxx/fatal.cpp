// Fatal errors of LLVM as values.

#include "job.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <cstring>
#include <mutex>

namespace {

struct Rescue {
  std::jmp_buf Target;
  char Reason[512];
};

thread_local Rescue *Open = nullptr;

void onFatalError(void *, const char *Reason, bool) {
  if (!Open)
    return;
  std::strncpy(Open->Reason, Reason, sizeof Open->Reason - 1);
  Open->Reason[sizeof Open->Reason - 1] = 0;
  std::longjmp(Open->Target, 1);
}

} // namespace

namespace luthier {

std::string withoutAborting(llvm::function_ref<void()> Body) {
  static std::once_flag Once;
  std::call_once(Once, [] { llvm::install_fatal_error_handler(onFatalError); });
  Rescue Here;
  Here.Reason[0] = 0;
  Rescue *volatile Outer = Open;
  Open = &Here;
  // The frames between here and the error are LLVM's own: skipping their destructors only leaks.
  if (setjmp(Here.Target) == 0) {
    Body();
    Open = Outer;
    return {};
  }
  Open = Outer;
  return Here.Reason[0] ? Here.Reason : "LLVM gave up without a reason";
}

void Reporter::fail(const llvm::DebugLoc &Where, const llvm::Twine &Text) {
  if (!Where)
    return fail(Text);
  const llvm::DILocation *Location = Where.get();
  report(LUTHIER_CODEGEN_ERROR, Location->getFilename(), Location->getLine(), Text.str());
}

} // namespace luthier
