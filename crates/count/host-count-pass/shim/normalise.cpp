// Makes the number independent of later passes and of the linker. Each step closes a hole that silently changed totals;
// the figures are in docs/count/contract.md.

#include "count.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace luthier {
namespace {

// Shared copies of inline code get this suffix, so that the linker never mixes them with copies that do not count.
constexpr char CountedSuffix[] = ".counted";

// A body that is inlined at -O2 and ignored at -O0 would count or not count by optimisation level. Bodies that are
// always inlined stay: there is no other copy of some of them.
void dropUnemittedBodies(Module &module) {
  for (Function &function : module)
    if (function.hasAvailableExternallyLinkage() && !function.hasFnAttribute(Attribute::AlwaysInline) &&
        !function.hasFnAttribute(Uncounted))
      function.deleteBody();
}

// A function that counts writes memory. Left in place, "reads memory only" would let the optimiser merge or drop calls.
void stripPurity(Module &module) {
  static const Attribute::AttrKind Purity[] = {Attribute::Memory, Attribute::Speculatable};
  AttributeMask mask;
  for (Attribute::AttrKind kind : Purity)
    mask.addAttribute(kind);
  // An allocation that is taken away at -O2 would take its (instrumented) operator new along.
  AttributeMask callMask;
  for (Attribute::AttrKind kind : Purity)
    callMask.addAttribute(kind);
  callMask.addAttribute(Attribute::Builtin);

  for (Function &function : module) {
    if (function.isIntrinsic())
      continue;
    function.removeFnAttrs(mask);
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call)
        continue;
      const Function *callee = call->getCalledFunction();
      if (!callee || !callee->isIntrinsic())
        call->removeFnAttrs(callMask);
    }
  }
}

bool isShared(const GlobalValue &value) { return !value.isDeclaration() && (value.hasLinkOnceLinkage()); }

// Type information is compared by address or name across the program and refers to no code.
bool isTypeInformation(StringRef name) { return name.starts_with("_ZTI") || name.starts_with("_ZTS"); }

bool refersTo(const Constant *constant, const SmallPtrSetImpl<const GlobalValue *> &values, SmallPtrSetImpl<const Constant *> &seen) {
  if (!seen.insert(constant).second)
    return false;
  if (auto *value = dyn_cast<GlobalValue>(constant))
    return values.contains(value);
  for (const Use &operand : constant->operands())
    if (auto *inner = dyn_cast<Constant>(operand.get()))
      if (refersTo(inner, values, seen))
        return true;
  return false;
}

// Counted copies of functions that are called through pointers or tables: what the address of an inline function is.
constexpr char EnteredSuffix[] = ".entered";

// With budget checks, a function that uncounted code may call checks at its entry; a function that is only called by
// name need not. The linker keeps any one copy of an inline function, and whether its address is taken differs from
// module to module. The two therefore have names of their own: the copy that addresses refer to, and the copy that is
// called.
void partEntries(Module &module) {
  SmallVector<Function *, 16> shared;
  for (Function &function : module)
    if (!function.isDeclaration() && function.hasLinkOnceLinkage() && function.getName().ends_with(CountedSuffix) &&
        !function.hasFnAttribute(Uncounted))
      shared.push_back(&function);
  for (Function *function : shared) {
    bool isCalled = false, isTaken = false, isFixed = false;
    auto isCallOf = [&](const Use &use) {
      auto *call = dyn_cast<CallBase>(use.getUser());
      return call && call->isCallee(&use) && call->getFunctionType() == function->getFunctionType();
    };
    auto isAddress = [&](const Use &use) { return !isCallOf(use) && !isa<BlockAddress, GlobalAlias>(use.getUser()); };
    for (const Use &use : function->uses()) {
      isCalled |= isCallOf(use);
      isTaken |= isAddress(use);
      isFixed |= isa<BlockAddress, GlobalAlias>(use.getUser());
    }
    if (!isTaken || isFixed)
      continue;
    std::string name = (function->getName().drop_back(strlen(CountedSuffix)) + EnteredSuffix + CountedSuffix).str();
    Function *entered = function;
    if (isCalled) {
      ValueToValueMapTy values;
      entered = CloneFunction(function, values);
      function->replaceUsesWithIf(entered, [&](Use &use) { return isAddress(use); });
    }
    entered->setName(name);
    if (const Comdat *old = function->getComdat()) {
      Comdat *own = module.getOrInsertComdat(name);
      own->setSelectionKind(old->getSelectionKind());
      entered->setComdat(own);
    }
  }
}

// Inline functions and templates exist once per object file and the linker keeps any one. Give the counted ones, and the
// constant tables that lead to them (virtual tables), names of their own.
void renameSharedCode(Module &module) {
  SmallPtrSet<const GlobalValue *, 32> renamed;
  SmallVector<GlobalValue *, 32> order;
  auto take = [&](GlobalValue &value) {
    if (renamed.insert(&value).second)
      order.push_back(&value);
  };
  for (Function &function : module)
    if (isShared(function) && !function.getName().starts_with("luthier_count_"))
      take(function);
  for (GlobalAlias &alias : module.aliases())
    if (isShared(alias) && isa_and_nonnull<Function>(alias.getAliaseeObject()))
      take(alias);
  for (bool changed = true; changed;) {
    changed = false;
    for (GlobalVariable &variable : module.globals()) {
      if (!isShared(variable) || !variable.isConstant() || renamed.contains(&variable) || isTypeInformation(variable.getName()))
        continue;
      SmallPtrSet<const Constant *, 16> seen;
      if (refersTo(variable.getInitializer(), renamed, seen)) {
        take(variable);
        changed = true;
      }
    }
  }
  for (GlobalValue *value : order) {
    if (auto *object = dyn_cast<GlobalObject>(value))
      if (const Comdat *old = object->getComdat()) {
        Comdat *own = module.getOrInsertComdat((old->getName() + CountedSuffix).str());
        own->setSelectionKind(old->getSelectionKind());
        object->setComdat(own);
      }
    value->setName(value->getName() + CountedSuffix);
    value->setVisibility(GlobalValue::HiddenVisibility);
    value->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    value->setDSOLocal(true);
  }
}

} // namespace

bool isCounterFunction(const Function &function) {
  // The last is the Rust interface, in either mangling.
  return function.getName().starts_with("luthier_count_") || function.getName().starts_with("__luthier_") ||
         function.getName().contains("host_count_rt");
}

void normalise(Module &module, bool optimised, bool budget) {
  if (optimised)
    keepLibraryBodies(module);
  dropUnemittedBodies(module);
  decideLateIntrinsics(module);
  stripPurity(module);
  renameSharedCode(module);
  if (budget)
    partEntries(module);
}

} // namespace luthier
