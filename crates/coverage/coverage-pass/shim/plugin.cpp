// The places of the passes in clang's pipeline.

#include "pass.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/StructurizeCFG.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyLoopExits.h"

using namespace llvm;

namespace luthier {
void add_local_names(ModulePassManager &passes);
void add_no_device_queues(ModulePassManager &passes);
} // namespace luthier

namespace {

// The header defines this where counters must stay where they are.
bool wanted(Function &function) {
  Module *module = function.getParent();
  return Triple(module->getTargetTriple()).isAMDGPU() && !module->getNamedGlobal("luthier_profile_immediate");
}

using Step = bool (*)(Function &, FunctionAnalysisManager &);

template <Step step> class Each : public PassInfoMixin<Each<step>> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    return wanted(function) && step(function, analyses) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

bool mark(Function &function, FunctionAnalysisManager &) { return luthier::mark(function); }

// Branches around additions become selections, as they would be without counters.
void add_selection(FunctionPassManager &passes) {
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true).sinkCommonInsts(true)));
}

// For functions with sums in memory.
template <typename Pass> class Kept : public PassInfoMixin<Kept<Pass>> {
public:
  explicit Kept(Pass pass) : pass(std::move(pass)) {}
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    return luthier::has_kept(function) ? pass.run(function, analyses) : PreservedAnalyses::all();
  }

private:
  Pass pass;
};

// The target's own passes over control flow before it selects instructions.
void add_structure(FunctionPassManager &passes) {
  passes.addPass(Kept(LowerSwitchPass()));
  passes.addPass(Kept(FixIrreduciblePass()));
  passes.addPass(Kept(UnifyLoopExitsPass()));
  passes.addPass(Kept(StructurizeCFGPass(/*SkipUniformRegions=*/true)));
}

class Forget : public PassInfoMixin<Forget> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (Function *flush = module.getFunction(luthier::FlushName); flush && flush->use_empty())
      flush->eraseFromParent();
    return PreservedAnalyses::all();
  }
};

} // namespace

extern "C" void luthier_coverage_register_callbacks(void *of) {
  auto *builder = static_cast<PassBuilder *>(of);
  // Before anything else: clang's counters are not lowered yet.
  builder->registerPipelineStartEPCallback([](ModulePassManager &modules, OptimizationLevel level) {
    luthier::add_no_device_queues(modules);
    if (level != OptimizationLevel::O0)
      modules.addPass(createModuleToFunctionPassAdaptor(Each<luthier::count_conditions>()));
  });
  builder->registerPeepholeEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      passes.addPass(Each<mark>());
  });
  // Behind the inliner, so that kernels hold what they call; before loops are unrolled, so that sums are taken for what they are.
  builder->registerOptimizerEarlyEPCallback([](ModulePassManager &modules, OptimizationLevel level, ThinOrFullLTOPhase) {
    if (level == OptimizationLevel::O0)
      return;
    FunctionPassManager passes;
    passes.addPass(Each<mark>());
    passes.addPass(LoopSimplifyPass());
    passes.addPass(Each<luthier::gather>());
    passes.addPass(EarlyCSEPass());
    add_selection(passes);
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
    passes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
    passes.addPass(InstCombinePass());
    add_selection(passes);
    modules.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  });
  // Before the target looks at what kernels call: of an unknown function it would believe that it needs everything.
  builder->registerVectorizerEndEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      passes.addPass(Each<luthier::flush>());
  });
  builder->registerOptimizerLastEPCallback([](ModulePassManager &modules, OptimizationLevel level, ThinOrFullLTOPhase) {
    luthier::add_local_names(modules);
    if (level == OptimizationLevel::O0)
      return;
    FunctionPassManager passes;
    passes.addPass(Each<luthier::flush>());
    passes.addPass(Each<luthier::restore_all>());
    add_structure(passes);
    passes.addPass(Each<luthier::promote_kept>());
    modules.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
    modules.addPass(Forget());
  });
}
