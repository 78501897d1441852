// Kernels in HIP enqueue no kernels. Newer compilers assume that a kernel does if it calls a function that they do not know.
// The HIP of Debian 12 then looks for a queue on the device that HIP never makes, and crashes.

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {

// Kernels in OpenCL may enqueue others. (The version of OpenCL stands in modules of HIP, too: its device libraries bring it.)
bool isOpenCl(const Function &kernel) { return kernel.hasMetadata("kernel_arg_addr_space"); }

class NoDeviceQueues : public PassInfoMixin<NoDeviceQueues> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (!Triple(module.getTargetTriple()).isAMDGPU())
      return PreservedAnalyses::all();
    for (Function &function : module)
      if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL && !isOpenCl(function)) {
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
