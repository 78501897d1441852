// The stages of the counting pass, in the order in which they run.
#ifndef LUTHIER_COUNT_COUNT_H
#define LUTHIER_COUNT_COUNT_H

#include "bridge.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class PassBuilder;
}

namespace luthier {

// Names shared with the runtime (crates/count/host-count-rt/c/runtime.c).
inline constexpr char CounterName[] = "__luthier_count";
inline constexpr char SlotsName[] = "__luthier_count_slots";
// A counter has so many words; their sum counts (LANES in crates/count/host-count-rt/c/internal.h).
inline constexpr unsigned CounterLanes = 8;
// Code with budget checks adds to two of them, each of which counts up to 0 and has a part of the remaining budget. It
// takes back from a third, which never exceeds 0. Checks add to the first and test only that one. An addition to the
// second tests it at once, and if it has reached 0, the remaining budget is divided anew. The second is therefore never
// more than 0 at a check: as long as the first is negative, less has been executed than the budget, and no check comes
// too late. An addition to the first without a check tests nothing, because checks will.
inline constexpr unsigned FirstLane = 0, TakenBackLane = 1, SecondLane = 2, CheckedLanes = 3;
// Objects whose checks rely on another rule than that do not link with these, or budgets would be overrun. It begins with "budget".
inline constexpr char ChecksKind[] = "budget in two words";
inline constexpr char LimitName[] = "__luthier_count_limit";
// The same for checks that are one piece of assembly: saves all registers itself (crates/count/host-count-rt/c/budget.c).
inline constexpr char LimitHereName[] = "__luthier_count_limit_here";
// Where an addition to the second word finds it used up: parts what is left anew, and never stops. From assembly that is the limit with
// a debt that no such check has.
inline constexpr char PartName[] = "__luthier_count_part";
inline constexpr char NoCheck[] = "$$1";
// Tells the runtime of a large amount that a thread counts, by which it sees that a counter wraps (shim/beyond.cpp).
inline constexpr char ManyName[] = "__luthier_count_many";
inline constexpr char ArticleName[] = "__luthier_count_article";
inline constexpr char RegisterModuleName[] = "__luthier_count_register_module";
inline constexpr char ForgetModuleName[] = "__luthier_count_forget_module";
// Every counted object refers to this one; where the runtime is missing, linkers print the name.
inline constexpr char RegisterContractName[] = "__luthier_count_has_no_runtime__link_with_what__luthier_count_flags_link__prints";
inline constexpr char ContractSymbol[] = "__luthier_count_one_contract_per_program";
// Attribute of calls that certainly return, without code reading the counter meanwhile.
inline constexpr char ComesBack[] = "luthier-comes-back";
// Attribute of functions that are the library's: they count no more than what lies there (shim/library.cpp).
inline constexpr char Uncounted[] = "luthier-uncounted";
// On an addition that is not worth a register.
inline constexpr char RareMetadata[] = "luthier.rare";
// Named metadata of a module that has been through.
inline constexpr char DoneMetadata[] = "luthier.count";
// Named metadata of a module whose additions may be moved, while it is in the optimiser.
inline constexpr char MovesMetadata[] = "luthier.count.moves";

// A bulk memory operation priced at run time: add length >> shift before it.
struct SizedCall {
  llvm::CallInst *call;
  uint8_t shift;
  uint32_t function;
  size_t index; // among those of its function
};

// The LLVM values behind the plan's indices.
struct DescribedFunction {
  llvm::Function *function = nullptr;
  std::vector<llvm::BasicBlock *> blocks;
  std::vector<std::vector<llvm::CallBase *>> calls; // per block
};

struct DescribedModule {
  std::vector<DescribedFunction> functions;
  std::vector<SizedCall> sized;
  std::vector<std::pair<std::string, std::string>> exempt; // function, reason
};

// Makes the number independent of what later passes and the linker do. See docs/count/contract.md, "Normalisation".
// `optimised`: behind it the optimiser may inline what the C++ library holds. `budget`: what code that is not seen may call is kept apart.
void normalise(llvm::Module &module, bool optimised, bool budget);

// Part of it: bodies that show the optimiser what the C++ library holds stay, uncounted (shim/library.cpp).
void keepLibraryBodies(llvm::Module &module);

// Part of it: what the optimiser or the back end would decide by what it knows at its level (shim/late.cpp).
void decideLateIntrinsics(llvm::Module &module);

// True for declared functions whose name says that they belong to the counter.
bool isCounterFunction(const llvm::Function &function);

// Returns true if clang wrote all of the module.
bool isOfClang(const llvm::Module &module);

// Returns true for an instruction that clang writes for one C++ ABI only, before optimisation.
bool isOfOneAbi(const llvm::Instruction &instruction);

// Returns true if the back end can make a jump of a call, because only a return follows.
bool endsFunction(const llvm::CallInst &call);

// Gives such calls a return of their own where they share one, as the back end would; it cannot if additions come in between.
void partReturns(llvm::Module &module);

// `optimised`: behind the optimiser. `withFacts`: also note what `luthier count lint` judges.
DescribedModule describe(llvm::Module &module, llvm::ModuleAnalysisManager &analyses, Session *session, bool optimised, bool withFacts);

// Writes the object's contract, for linkers and the runtime (shim/contract.cpp).
void emitContracts(llvm::Module &module, llvm::StringRef contract, const Settings &settings);
void emitExemptions(llvm::Module &module, const DescribedModule &described);

void apply(llvm::Module &module, const DescribedModule &described, Session *session, const Settings &settings, llvm::StringRef contract);

// The thread-local counter of this module, declared on first use.
llvm::GlobalVariable *counter(llvm::Module &module, const Settings &settings);

// A place where a coroutine can be put to sleep, or control can leave: more than an instruction.
bool isBoundary(const llvm::IntrinsicInst &call);

// The point in the optimiser at which additions are moved.
enum class Stage {
  Early,   // before it: sums of regions that nobody looks into become local variables, which it optimises as the program's
  Inlined, // in its midst: sums of loops become registers
  Late,    // behind it: what is left in loops becomes registers and products
};

// The same in the midst of the optimiser, each time it begins with a function anew.
void registerMoves(llvm::PassBuilder &builder);

// Sums of loops with constant numbers of iterations tell the runtime if they are too large (shim/beyond.cpp). Behind `registerMoves`.
void registerWatches(llvm::PassBuilder &builder);

// Sums that grow by the same in each iteration become products of the number of iterations (shim/charge.cpp).
void registerCharges(llvm::PassBuilder &builder);

// Moves additions. They are `atomicrmw` until lowered, which the optimiser neither splits nor duplicates.
bool moveAdditions(llvm::Module &module, llvm::ModuleAnalysisManager &analyses, Stage stage);

// The weight of each function's additions for the inliner.
using Weights = std::vector<std::pair<llvm::Function *, int>>;
Weights weigh(llvm::Module &module);

// Lets the inliner weigh functions as if they did not count, and takes out again what tells it so.
void takeOff(llvm::Module &module, const Weights &weights);
bool putBack(llvm::Module &module);

// Conditions whose ways differ in what they add only become one branch.
bool mergeConditions(llvm::Function &function);

// A check as the optimiser leaves it: an addition, a comparison of the result, a branch around a call of the limit.
struct Check {
  llvm::AtomicRMWInst *addition;
  llvm::Instruction *sum; // the addition itself if it adds nothing
  llvm::ICmpInst *test;
  llvm::BranchInst *branch;
  llvm::CallInst *limit;

  static std::optional<Check> of(llvm::AtomicRMWInst &addition);
  // Returns true if checks of this module can be pieces of assembly.
  static bool canBeAssembly(const llvm::Module &module);
  // The check as assembly. `held`: the first word, if it is in a register; then the result is what it is afterwards.
  llvm::Value *assemble(llvm::IRBuilder<> &builder, llvm::Value *held) const;
  // Takes out what `assemble` has replaced.
  void erase() const;
};

// The same for an addition to the second word, which looks at it.
void assembleSecond(llvm::AtomicRMWInst &addition);

// Replaces the value that a check compares, the old value plus the amount of an addition, by `sum`.
void replaceResult(llvm::AtomicRMWInst &addition, llvm::Value *sum, llvm::IRBuilder<> &builder);

// Recursive functions hand the counter to each other in a register, where there are checks.
bool holdInRecursion(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

// Returns true if a value is added to the counter, and nothing else is done with it.
bool isSum(llvm::Value *value);

// Lets sums in registers grow on the ways where they have been made to grow where the ways meet.
bool spreadSums(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

// Places additions anew on what the optimiser has left of the flow graph.
bool replaceAdditions(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

// Gives additions of constants that depend on the way to the ways.
void distributeAmounts(llvm::Function &function);

// The amount of an addition plus a constant, changed in place where that needs no other instruction; else null.
llvm::Value *plusConstant(llvm::Value *amount, llvm::ConstantInt *more);

// An addition of a constant or product that is large tells the runtime.
void watchAmount(llvm::AtomicRMWInst &addition);

// Returns true if code may read the counter during a call.
bool mayLook(const llvm::CallBase &call);

// The counter to a register or from one.
bool isCounterAccess(const llvm::Instruction &instruction);

// The address of one of the counter's words.
llvm::Constant *laneOf(llvm::GlobalVariable &counter, unsigned lane);
// Makes plain additions of them. `spread`: over the lanes of the counter, by how often they run. `checked`: those of which a budget is
// paid, also where this module has no check of its own, for others may.
void lowerAdditions(llvm::Module &module, llvm::FunctionAnalysisManager *spread, bool checked);

// The address that an addition adds to, if `instruction` is one.
llvm::Value *additionTo(const llvm::Instruction &instruction);

// Collects the text a Rust function writes.
inline void appendText(void *context, const char *text, size_t length) { static_cast<std::string *>(context)->append(text, length); }

// The counting pass on one module; reports errors through the context's diagnostics. False if there was one.
// `plain`: the front end is known to have written what it writes at -O0, which counts differently.
bool countModule(llvm::Module &module, llvm::ModuleAnalysisManager &analyses, llvm::StringRef options, bool plain = false);

} // namespace luthier

#endif
