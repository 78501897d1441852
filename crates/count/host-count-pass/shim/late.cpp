// Intrinsics whose value the optimiser or the back end chooses by what it knows: at each level, and after each inlining, another one.
// They choose ways through the program, so they are decided before counting, by what the front end's code says by itself.
// docs/count/contract.md lists them.

#include "count.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace luthier {
namespace {

Constant *truth(const IntrinsicInst &call, bool value) { return ConstantInt::getBool(call.getType(), value); }

// A pointer to a variable of fixed size, and how far into it.
std::optional<uint64_t> bytesBehind(const Value *pointer, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  std::optional<uint64_t> size;
  if (auto *slot = dyn_cast<AllocaInst>(base)) {
    if (auto bytes = slot->getAllocationSize(layout); bytes && !bytes->isScalable())
      size = bytes->getFixedValue();
  } else if (auto *variable = dyn_cast<GlobalVariable>(base)) {
    if (variable->hasDefinitiveInitializer() || (variable->hasInitializer() && !variable->isInterposable()))
      size = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
  }
  if (!size)
    return std::nullopt;
  return offset.isNegative() || offset.ugt(*size) ? 0 : *size - offset.getZExtValue();
}

// How much memory is behind a pointer, as far as the expression itself says; else the answer for "not known".
Constant *objectSize(const IntrinsicInst &call) {
  auto *type = cast<IntegerType>(call.getType());
  if (auto bytes = bytesBehind(call.getArgOperand(0), call.getModule()->getDataLayout()))
    return ConstantInt::get(type, *bytes);
  bool least = cast<ConstantInt>(call.getArgOperand(1))->isOne();
  return least ? ConstantInt::get(type, 0) : ConstantInt::getAllOnesValue(type);
}

// The value that replaces `call`; null if it is not decided late.
Value *decided(const IntrinsicInst &call) {
  const Function &function = *call.getFunction();
  switch (call.getIntrinsicID()) {
  // __builtin_constant_p: whether the operand is a constant as it is written.
  case Intrinsic::is_constant: {
    auto *constant = dyn_cast<Constant>(call.getArgOperand(0));
    return truth(call, constant && constant->isManifestConstant());
  }
  case Intrinsic::objectsize: return objectSize(call);
  // Checks that a profile may have left out.
  case Intrinsic::allow_runtime_check:
  case Intrinsic::allow_ubsan_check:
  // An optimiser may answer either way.
  case Intrinsic::experimental_widenable_condition: return truth(call, true);
  // Whether the function that this is inlined into is checked.
  case Intrinsic::allow_sanitize_address: return truth(call, function.hasFnAttribute(Attribute::SanitizeAddress));
  case Intrinsic::allow_sanitize_hwaddress: return truth(call, function.hasFnAttribute(Attribute::SanitizeHWAddress));
  case Intrinsic::allow_sanitize_memory: return truth(call, function.hasFnAttribute(Attribute::SanitizeMemory));
  case Intrinsic::allow_sanitize_thread: return truth(call, function.hasFnAttribute(Attribute::SanitizeThread));
  // A coroutine's frame is allocated. Otherwise, where the coroutine is inlined, its caller may have it on its stack, and the
  // calls of the allocation are left out.
  case Intrinsic::coro_alloc: return truth(call, true);
  // The optimiser's own copies of values, which only it may insert.
  case Intrinsic::ssa_copy: return call.getArgOperand(0);
  default: return nullptr;
  }
}

} // namespace

void decideLateIntrinsics(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call)
        continue;
      // The other way to have a frame on the stack of a caller.
      call->removeFnAttr(Attribute::CoroElideSafe);
      auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      Value *value = intrinsic ? decided(*intrinsic) : nullptr;
      if (!value)
        continue;
      intrinsic->replaceAllUsesWith(value);
      intrinsic->eraseFromParent();
    }
}

} // namespace luthier
