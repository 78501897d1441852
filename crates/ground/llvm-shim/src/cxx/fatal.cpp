#include "fatal.h"

#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <cstring>
#include <mutex>

namespace {

struct Rescue {
  std::jmp_buf Target;
  char Reason[512];
};

thread_local Rescue *Current = nullptr;

void onFatalError(void *, const char *Reason, bool) {
  if (!Current)
    return; // LLVM then ends the process, as it would have without us.
  std::strncpy(Current->Reason, Reason, sizeof Current->Reason - 1);
  Current->Reason[sizeof Current->Reason - 1] = 0;
  std::longjmp(Current->Target, 1);
}

} // namespace

namespace luthier {

std::string withoutAborting(llvm::function_ref<void()> Body) {
  static std::once_flag Once;
  std::call_once(Once, [] { llvm::install_fatal_error_handler(onFatalError); });
  Rescue Here;
  Rescue *volatile Outer = Current;
  Current = &Here;
  // Skipping the destructors of the frames between here and the error only leaks. Pieces that such a frame has borrowed are lost, so that
  // no other owner gets half-changed ones.
  if (setjmp(Here.Target) == 0) {
    Body();
    Current = Outer;
    return {};
  }
  Current = Outer;
  return Here.Reason[0] ? Here.Reason : "LLVM gave up without a reason";
}

} // namespace luthier
