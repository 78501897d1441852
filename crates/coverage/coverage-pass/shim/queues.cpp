// Kernels in HIP enqueue no kernels. Newer compilers assume it of a kernel that calls a function that they do not know,
// and the HIP of Debian 12 then looks for a queue on the device that HIP never makes, and crashes.

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {

class NoDeviceQueues : public PassInfoMixin<NoDeviceQueues> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (!Triple(module.getTargetTriple()).isAMDGPU())
      return PreservedAnalyses::all();
    for (Function &function : module)
      if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL) {
        function.addFnAttr("amdgpu-no-default-queue");
        function.addFnAttr("amdgpu-no-completion-action");
      }
    return PreservedAnalyses::none();
  }

  static bool isRequired() { return true; }
};

} // namespace

namespace luthier {

void add_no_device_queues(ModulePassManager &passes) { passes.addPass(NoDeviceQueues()); }

} // namespace luthier
