// The pass itself and its registration. Options come through the environment: a plugin is loaded after clang has parsed
// its command line.

#include "count.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr char OptionsVariable[] = "LUTHIER_COUNT";
constexpr char ExplainVariable[] = "LUTHIER_COUNT_EXPLAIN";

std::string environment(StringRef name) { return sys::Process::GetEnv(name).value_or(""); }

void fail(Module &module, const Twine &message) {
  module.getContext().emitError("luthier count: " + module.getSourceFileName() + ": " + message);
}

void writeExplanation(Module &module, Session *session) {
  std::string path = environment(ExplainVariable);
  if (path.empty())
    return;
  std::string text;
  lc_explain(session, appendText, &text);
  std::error_code error;
  raw_fd_ostream out(path, error, sys::fs::OF_Append);
  if (error)
    return fail(module, "cannot write " + path + ": " + error.message());
  out << text;
}

Session *open(Module &module, StringRef options) {
  std::string error;
  Session *session = lc_open(options.data(), options.size(), appendText, &error);
  if (!session)
    fail(module, Twine(OptionsVariable) + ": " + error);
  return session;
}

// The position of a pass. Alone: `opt` was asked for it by name, and no other pass of the plugin follows.
enum class Position { Start, End, Alone, AloneAtEnd };

// The front end was told a level because what it writes at -O0 is other code; behind it this is an -O0 compilation.
bool leaveUnoptimised(Module &module) {
  bool changed = false;
  for (Function &function : module) {
    if (function.isDeclaration() || function.hasFnAttribute(Attribute::AlwaysInline) || function.hasFnAttribute(Attribute::OptimizeNone))
      continue;
    for (Attribute::AttrKind kind : {Attribute::OptimizeForSize, Attribute::MinSize, Attribute::OptimizeForDebugging})
      function.removeFnAttr(kind);
    function.addFnAttr(Attribute::NoInline);
    function.addFnAttr(Attribute::OptimizeNone);
    changed = true;
  }
  return changed;
}

// Returns true if this is the front end's output at -O0.
bool isPlain(const Module &module) {
  bool any = false;
  for (const Function &function : module) {
    if (function.isDeclaration() || function.hasFnAttribute(Attribute::AlwaysInline))
      continue;
    if (!function.hasFnAttribute(Attribute::OptimizeNone))
      return false;
    any = true;
  }
  return any;
}

// Code for a device in a source of HIP, OpenMP or CUDA. It has no thread of the host's, in which a counter could be.
bool isForDevice(const Module &module) { return Triple(module.getTargetTriple()).isGPU(); }

class CountPass : public PassInfoMixin<CountPass> {
public:
  CountPass(Position position, bool optimising) : position(position), optimising(optimising) {}

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    // The compiler runs for the host too, and counts there.
    if (isForDevice(module) && (position == Position::Start || position == Position::End))
      return PreservedAnalyses::all();
    std::string options = environment(OptionsVariable);
    Session *session = open(module, options);
    if (!session)
      return PreservedAnalyses::all();
    Settings settings;
    lc_settings(session, &settings);
    scope_exit close([&] { lc_close(session); });
    bool atEnd = position == Position::End || position == Position::AloneAtEnd;
    bool optimised = optimising && !settings.unoptimised;
    bool changed = settings.countLast == atEnd && countModule(module, analyses, options, !optimising);
    if (settings.unoptimised && position == Position::Start)
      changed |= leaveUnoptimised(module);
    if (changed)
      analyses.invalidate(module, PreservedAnalyses::none());
    if (atEnd) {
      changed |= putBack(module);
      if (NamedMDNode *moves = module.getNamedMetadata(MovesMetadata))
        moves->eraseFromParent();
    }
    // The reference stays as simple as it is.
    if (settings.replaceLate && optimised && settings.placement == Placement::Tree) {
      if (position == Position::Start)
        module.getOrInsertNamedMetadata(MovesMetadata);
      Weights weights = position == Position::Start ? weigh(module) : Weights();
      changed |= moveAdditions(module, analyses, atEnd ? Stage::Late : Stage::Early);
      if (changed)
        analyses.invalidate(module, PreservedAnalyses::none());
      changed |= atEnd && holdInRecursion(module, analyses);
      changed |= atEnd && spreadSums(module, analyses);
      // (Optimised code with checks is placed by prices that know the sign of an addition: host_count::exchange.)
      if (atEnd && !(settings.countLast && settings.budget))
        changed |= replaceAdditions(module, analyses);
      if (!weights.empty()) {
        takeOff(module, weights);
        changed = true;
      }
    }
    if (position != Position::Start && module.getNamedMetadata(DoneMetadata)) {
      bool spread = settings.placement == Placement::Tree || settings.placement == Placement::Least;
      lowerAdditions(module, spread ? &analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager() : nullptr,
                     settings.budget);
      changed = true;
    }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

  // At -O0 functions are marked optnone, which skips passes that may be skipped.
  static bool isRequired() { return true; }

private:
  Position position;
  bool optimising;
};

void registerCallbacks(PassBuilder &builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel level) {
    passes.addPass(CountPass(Position::Start, level != OptimizationLevel::O0));
  });
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
    passes.addPass(CountPass(Position::End, level != OptimizationLevel::O0));
  });
  registerMoves(builder);
  registerWatches(builder);
  registerCharges(builder);
  // For `opt -passes=luthier-count`.
  builder.registerPipelineParsingCallback([](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
    if (name != "luthier-count" && name != "luthier-count-late")
      return false;
    passes.addPass(CountPass(name == "luthier-count-late" ? Position::AloneAtEnd : Position::Alone, true));
    return true;
  });
}

} // namespace

bool countModule(Module &module, ModuleAnalysisManager &analyses, StringRef options, bool plain) {
  if (module.getNamedMetadata(DoneMetadata)) {
    fail(module, "the module counts already; compile from source, or from bitcode made without the plugin");
    return false;
  }
  if (isForDevice(module)) {
    fail(module, "code for " + Triple(module.getTargetTriple()).getArchName() + " runs on a device, which has no counter of the host's; " +
                     "`luthier run -t instr-count` counts what devices execute");
    return false;
  }
  // An unknown intrinsic: its cost, and whether it returns, cannot be known.
  for (const Function &function : module)
    if (function.getName().starts_with("llvm.") && function.getIntrinsicID() == Intrinsic::not_intrinsic) {
      fail(module, "unknown intrinsic `" + function.getName() + "`; LLVM 22 has none of this name");
      return false;
    }
  Session *session = open(module, options);
  if (!session)
    return false;
  scope_exit close([&] { lc_close(session); });
  Settings settings;
  lc_settings(session, &settings);

  bool frontWasPlain = isPlain(module);
  normalise(module, !settings.countLast && !settings.unoptimised && !plain, settings.budget);
  if (settings.countLast)
    partReturns(module);
  // Normalisation makes earlier analyses stale.
  analyses.invalidate(module, PreservedAnalyses::none());
  DescribedModule described = describe(module, analyses, session, settings.countLast, !environment(ExplainVariable).empty());
  std::string error;
  if (!lc_plan(session, appendText, &error)) {
    fail(module, error);
    return false;
  }
  writeExplanation(module, session);
  std::string contract;
  lc_contract(session, appendText, &contract);
  if (!settings.countLast && !settings.unoptimised && (plain || frontWasPlain))
    contract += ",front=0";
  apply(module, described, session, settings, contract);
  NamedMDNode *done = module.getOrInsertNamedMetadata(DoneMetadata);
  done->addOperand(MDNode::get(module.getContext(), MDString::get(module.getContext(), contract)));
  return true;
}

} // namespace luthier

extern "C" void luthier_register_callbacks(void *builder) { luthier::registerCallbacks(*static_cast<PassBuilder *>(builder)); }
