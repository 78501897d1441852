// Bodies of the C++ library's own code that the front end shows to the optimiser only (`extern template`), kept for it.
//
// They never count, because the code that the program calls is in the library. If they were dropped, code that is inlined
// without counting would be called instead, even constructors that do nothing. They therefore stay, uncounted. Functions
// that they call are copies that do not count either, whether they are inlined or not. The name shows that such code is in
// a library: a program may not instantiate these classes itself.

#include "count.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace luthier {
namespace {

// Members of what the C++ library instantiates itself, by the beginning of their mangled names (behind `_ZN` and `K`).
constexpr StringLiteral Classes[] = {
    "SaIcE",                                              // std::allocator<char>
    "SaIwE",                                              // std::allocator<wchar_t>
    "Ss",                                                 // std::string, before C++11's
    "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE", // std::string
    "St7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE", // std::wstring
    "So",                                                 // std::ostream
    "Si",                                                 // std::istream
    "St9basic_iosIcSt11char_traitsIcEE",                  // std::ios
    "St15basic_streambufIcSt11char_traitsIcEE",           // std::streambuf
};

// A member that is no template itself: its arguments could be the program's types.
bool isMember(StringRef rest) {
  size_t length = 0;
  if (rest.consumeInteger(10, length) || length > rest.size())
    return rest.size() >= 2 && (rest.starts_with("C") || rest.starts_with("D") || isLower(rest[0])) && !rest.substr(2).starts_with("I");
  return !rest.substr(length).starts_with("I");
}

bool isOfLibrary(StringRef name) {
  if (!name.consume_front("_ZN"))
    return false;
  name.consume_front("K");
  return any_of(Classes, [&](StringRef known) {
    StringRef rest = name;
    return rest.consume_front(known) && isMember(rest);
  });
}

// Members that are always inlined have no other copy, perhaps, and count.
bool isAlwaysInlined(const Function &function) { return function.hasFnAttribute(Attribute::AlwaysInline); }

// Part of the library that a body calls, and that lies in this object, too.
bool isCopied(const Function *function) {
  if (!function || function->isDeclaration())
    return false;
  return function->hasLinkOnceLinkage() || (function->hasAvailableExternallyLinkage() && isAlwaysInlined(*function));
}

// No address of code, nor of a variable that is one in the whole program.
bool isPlain(const Constant &constant) {
  if (auto *variable = dyn_cast<GlobalVariable>(&constant))
    return variable->isDeclaration() || (variable->isConstant() && variable->hasPrivateLinkage());
  if (isa<GlobalValue, BlockAddress>(constant))
    return false;
  return all_of(constant.operands(), [](const Use &operand) { return isPlain(*cast<Constant>(operand.get())); });
}

// Returns true if all that the body refers to is there without the program, but for what it calls and `isCopied`.
bool standsAlone(const Function &function) {
  return all_of(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    return all_of(instruction.operands(), [&](const Use &operand) {
      auto *callee = dyn_cast<Function>(operand.get());
      if (call && callee && call->isCallee(&operand))
        return !callee->hasLocalLinkage();
      auto *constant = dyn_cast<Constant>(operand.get());
      return !constant || isPlain(*constant);
    });
  });
}

// `function` and what is copied for it.
void collect(Function &function, SmallSetVector<Function *, 16> &all) {
  if (all.insert(&function))
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction(); isCopied(callee))
          collect(*callee, all);
}

// Returns the plain `operator delete` of one that is told the size, or no name.
StringRef plainDelete(StringRef name) {
  bool array = name.starts_with("_ZdaPv");
  if (name.size() != strlen("_ZdlPv") + 1 || !(array || name.starts_with("_ZdlPv")) || !StringRef("mjy").contains(name.back()))
    return {};
  return array ? "_ZdaPv" : "_ZdlPv";
}

// The library calls the plain `operator delete`, its headers one that is told the size. Both may be the program's own, and count.
void deleteAsTheLibrary(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    StringRef plain = callee ? plainDelete(callee->getName()) : StringRef();
    if (plain.empty())
      continue;
    Value *memory = call->getArgOperand(0);
    FunctionCallee other = function.getParent()->getOrInsertFunction(plain, FunctionType::get(call->getType(), {memory->getType()}, false));
    CallInst *replacement = CallInst::Create(other, {memory}, "", call->getIterator());
    replacement->setCallingConv(call->getCallingConv());
    replacement->setTailCallKind(call->getTailCallKind());
    replacement->setDebugLoc(call->getDebugLoc());
    if (call->doesNotThrow())
      replacement->setDoesNotThrow();
    call->eraseFromParent();
  }
}

} // namespace

void keepLibraryBodies(Module &module) {
  SmallSetVector<Function *, 16> uncounted;
  for (Function &function : module) {
    if (!function.hasAvailableExternallyLinkage() || isAlwaysInlined(function) || !isOfLibrary(function.getName()))
      continue;
    SmallSetVector<Function *, 16> needed;
    collect(function, needed);
    if (all_of(needed, [](Function *each) { return standsAlone(*each); }))
      uncounted.insert_range(needed);
  }
  DenseMap<Function *, Function *> copies;
  for (Function *function : uncounted)
    if (isCopied(function)) {
      ValueToValueMapTy values;
      Function *copy = CloneFunction(function, values);
      copy->setName(function->getName() + ".library");
      copy->setLinkage(GlobalValue::InternalLinkage);
      copy->setVisibility(GlobalValue::DefaultVisibility);
      copy->setComdat(nullptr);
      copies[function] = copy;
    }
  for (Function *original : uncounted) {
    Function *copy = copies.lookup(original), *function = copy ? copy : original;
    function->addFnAttr(Uncounted);
    deleteAsTheLibrary(*function);
    for (Instruction &instruction : instructions(*function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *other = copies.lookup(call->getCalledFunction()))
          call->setCalledFunction(other);
  }
}

} // namespace luthier
