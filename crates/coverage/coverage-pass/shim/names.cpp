// Names of instrumented functions belong to their source, so that several sources can be linked.

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {

class LocalNames : public PassInfoMixin<LocalNames> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    GlobalVariable *names = module.getGlobalVariable("__llvm_prf_nm", /*AllowInternal=*/true);
    if (!names || names->hasLocalLinkage() || !Triple(module.getTargetTriple()).isAMDGPU())
      return PreservedAnalyses::all();
    names->setVisibility(GlobalValue::DefaultVisibility);
    names->setLinkage(GlobalValue::InternalLinkage);
    names->setComdat(nullptr);
    return PreservedAnalyses::none();
  }

  static bool isRequired() { return true; }
};

} // namespace

namespace luthier {

void add_local_names(ModulePassManager &passes) { passes.addPass(LocalNames()); }

} // namespace luthier
