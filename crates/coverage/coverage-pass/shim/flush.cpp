// Adds the counts that the lanes of a wave have gathered to the function's table in memory, with at most two
// instructions for each sum and mask.
//
// Lanes add to columns of their own, so that neighbours do not wait for each other; the drain adds the columns up.

#include "pass.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {

namespace {

void lower(CallInst *call) {
  Function &function = *call->getFunction();
  IRBuilder<> builder(call);
  Value *table = call->getArgOperand(0);
  unsigned sums = cast<ConstantInt>(call->getArgOperand(1))->getZExtValue();
  unsigned bits = cast<ConstantInt>(call->getArgOperand(2))->getZExtValue();
  // Any value does that differs among neighbours.
  Value *lane = nullptr;
  if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL)
    lane = builder.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, ArrayRef<Type *>(), ArrayRef<Value *>());
  else
    lane = builder.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo, {}, {builder.getInt32(~0u), builder.getInt32(0)});
  Value *column = builder.CreateShl(builder.CreateAnd(lane, Columns - 1), 3);
  if (sums > 0 || bits > BitsOfGroup) {
    // One address for all rows, which the back end would compute for each of them.
    auto *same = FunctionType::get(table->getType(), {table->getType()}, false);
    table = builder.CreateCall(InlineAsm::get(same, "", "=s,0", /*hasSideEffects=*/false), {table});
  }
  auto add = [&](Value *offset, uint64_t row, Value *value) {
    Value *place = builder.CreateInBoundsGEP(builder.getInt8Ty(), table, builder.CreateZExt(offset, builder.getInt64Ty()));
    place = builder.CreateInBoundsGEP(builder.getInt8Ty(), place, builder.getInt64(row * Columns * 8));
    builder.CreateAtomicRMW(AtomicRMWInst::Add, place, value, Align(8), AtomicOrdering::Monotonic);
  };
  uint64_t row = 0;
  for (; row < sums; ++row)
    add(column, row, call->getArgOperand(3 + row));
  for (unsigned first = 0; first < std::max(bits, 1u); first += BitsOfGroup) {
    unsigned count = std::min(bits - first, BitsOfGroup);
    Value *offset = column;
    if (count > 0) {
      Value *mask = call->getArgOperand(3 + sums + first / BitsOfMask);
      mask = builder.CreateLShr(mask, first % BitsOfMask);
      if (bits - first > count || first % BitsOfMask != 0)
        mask = builder.CreateAnd(mask, ((1u << count) - 1) << FirstBit);
      offset = builder.CreateOr(column, mask);
    }
    add(offset, row, builder.getInt64(1));
    row += uint64_t(1) << count;
  }
  call->eraseFromParent();
}

} // namespace

bool flush(Function &function, FunctionAnalysisManager &) {
  SmallVector<CallInst *> found;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && call->getCalledFunction() && call->getCalledFunction()->getName() == FlushName)
        found.push_back(call);
  for (CallInst *call : found)
    lower(call);
  return !found.empty();
}

} // namespace luthier
