// LLVM 20 and later have `createMCObjectStreamer` with six arguments. kfdtest passes the three that older ones took besides.
#include <llvm/Config/llvm-config.h>
#if LLVM_VERSION_MAJOR > 19
#include <llvm/MC/TargetRegistry.h>
#define createMCObjectStreamer(a, b, c, d, e, f, ...) createMCObjectStreamer(a, b, c, d, e, f)
#endif
