// What the lanes of a wave have gathered becomes one atomic addition: lane k adds the total of counter k.

#include "pass.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace luthier {

namespace {

// Values below 2^25 of 64 lanes have a sum of 32 bits.
constexpr unsigned SafeBits = 25;

// What `DPP_CTRL` means in the instruction sets' manuals.
enum Move : unsigned { RowShiftRight = 0x110, RowBroadcast15 = 0x142, RowBroadcast31 = 0x143, RowExchange = 0x160 };

// The generation in `gfx90a`, `gfx1030`, `gfx1200`, `gfx10-3-generic`.
unsigned generation(StringRef processor) {
  if (!processor.consume_front("gfx"))
    return 0;
  if (auto generic = processor.find('-'); generic != StringRef::npos)
    processor = processor.take_front(generic);
  else if (processor.size() > 2)
    processor = processor.drop_back(2);
  unsigned number = 0;
  return processor.getAsInteger(10, number) ? 0 : number;
}

class Flushing {
public:
  Flushing(CallInst *call, UniformityInfo &uniformity)
      : call(call), uniformity(uniformity), function(*call->getFunction()), builder(call) {
    major = generation(function.getFnAttribute("target-cpu").getValueAsString());
    StringRef features = function.getFnAttribute("target-features").getValueAsString();
    wave = features.contains("+wavefrontsize32") || (major >= 10 && !features.contains("+wavefrontsize64")) ? 32 : 64;
  }

  void run() {
    active = ballot(builder.getTrue());
    count = narrow(builder.CreateUnaryIntrinsic(Intrinsic::ctpop, active));
    for (unsigned at = 0; at + 4 < call->arg_size(); at += 5)
      take(at);
    reduce();
    for (unsigned first = 0; first < totals.size(); first += wave)
      write(first, std::min<unsigned>(wave, totals.size() - first));
    call->eraseFromParent();
  }

private:
  Value *ballot(Value *condition) {
    Type *mask = builder.getIntNTy(wave);
    return builder.CreateIntrinsic(Intrinsic::amdgcn_ballot, {mask}, {condition});
  }

  Value *narrow(Value *value) { return builder.CreateZExtOrTrunc(value, builder.getInt32Ty()); }
  Value *wide(Value *value) { return builder.CreateZExtOrTrunc(value, builder.getInt64Ty()); }

  void take(unsigned at) {
    auto *counter = cast<Constant>(call->getArgOperand(at));
    auto number = [&](unsigned operand) { return cast<ConstantInt>(call->getArgOperand(at + operand))->getZExtValue(); };
    uint64_t weight = number(3);
    Value *value = call->getArgOperand(at + 4);
    Value *&total = totals.insert({counter, nullptr}).first->second;
    Value *more = nullptr;
    if (number(1) == Always) {
      more = builder.CreateMul(wide(count), builder.getInt64(weight));
    } else if (number(1) == Bit) {
      Value *set = builder.CreateICmpNE(builder.CreateAnd(value, 1u << number(2)), builder.getInt32(0));
      Value *lanes = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, ballot(set));
      more = builder.CreateMul(wide(lanes), builder.getInt64(weight));
    } else if (uniformity.isUniform(value)) {
      more = builder.CreateMul(value, wide(count));
    } else {
      divergent.push_back({counter, value});
      return;
    }
    total = total ? builder.CreateAdd(total, more) : more;
  }

  // Sums over the lanes. Where one is too large for 32 bits, each lane adds its own, and nothing is left to be written.
  void reduce() {
    if (divergent.empty())
      return;
    Value *large = builder.getInt64(0);
    for (auto &[counter, value] : divergent)
      large = builder.CreateOr(large, value);
    Value *any = ballot(builder.CreateICmpUGE(large, builder.getInt64(uint64_t(1) << SafeBits)));
    Value *rare = builder.CreateICmpNE(any, ConstantInt::get(any->getType(), 0));
    Instruction *then = nullptr, *otherwise = nullptr;
    SplitBlockAndInsertIfThenElse(rare, call, &then, &otherwise);
    builder.SetInsertPoint(then);
    for (auto &[counter, value] : divergent)
      builder.CreateAtomicRMW(AtomicRMWInst::Add, counter, value, Align(8), AtomicOrdering::Monotonic);
    builder.SetInsertPoint(otherwise);
    SmallVector<Value *> sums;
    for (auto &[counter, value] : divergent)
      sums.push_back(sum(narrow(value)));
    builder.SetInsertPoint(call->getParent(), call->getParent()->begin());
    for (auto [of, value] : zip(divergent, sums)) {
      PHINode *phi = builder.CreatePHI(builder.getInt32Ty(), 2);
      phi->addIncoming(builder.getInt32(0), then->getParent());
      phi->addIncoming(value, otherwise->getParent());
      reduced.push_back({of.first, phi});
    }
    builder.SetInsertPoint(call);
    for (auto &[counter, value] : reduced) {
      Value *&total = totals[counter];
      total = total ? builder.CreateAdd(total, wide(value)) : wide(value);
    }
  }

  Value *moved(Value *value, unsigned control, unsigned rows) {
    Type *word = builder.getInt32Ty();
    return builder.CreateIntrinsic(Intrinsic::amdgcn_update_dpp, {word},
                                   {builder.getInt32(0), value, builder.getInt32(control), builder.getInt32(rows),
                                    builder.getInt32(15), builder.getFalse()});
  }

  Value *lane(Value *value, unsigned number) {
    return builder.CreateIntrinsic(Intrinsic::amdgcn_readlane, {builder.getInt32Ty()},
                                   {value, builder.getInt32(number)});
  }

  // The sum of a value over the wave. Lanes that are off take part with 0.
  Value *sum(Value *value) {
    Type *word = builder.getInt32Ty();
    value = builder.CreateIntrinsic(Intrinsic::amdgcn_set_inactive, {word}, {value, builder.getInt32(0)});
    for (unsigned distance : {1, 2, 4, 8}) {
      unsigned control = (major >= 10 ? RowExchange : RowShiftRight) | distance;
      value = builder.CreateAdd(value, moved(value, control, 15));
    }
    if (major >= 10) {
      // Every lane of a row of sixteen has the row's sum.
      Value *other = builder.CreateIntrinsic(
          Intrinsic::amdgcn_permlanex16, {word},
          {value, value, builder.getInt32(0), builder.getInt32(0), builder.getFalse(), builder.getFalse()});
      value = builder.CreateAdd(value, other);
      Value *low = lane(value, 0);
      value = wave == 32 ? low : builder.CreateAdd(low, lane(value, 32));
    } else {
      // The last lane of a row has the row's sum, and then that of the rows before.
      value = builder.CreateAdd(value, moved(value, RowBroadcast15, 10));
      value = builder.CreateAdd(value, moved(value, RowBroadcast31, 12));
      value = lane(value, 63);
    }
    return builder.CreateIntrinsic(Intrinsic::amdgcn_strict_wwm, {word}, {value});
  }

  // Lanes of the wave by number, or among those that are on.
  Value *rank(Value *mask) {
    Value *zero = builder.getInt32(0);
    Value *low = builder.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo, {}, {narrow(mask), zero});
    if (wave == 32)
      return low;
    Value *upper = narrow(builder.CreateLShr(mask, 32));
    return builder.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_hi, {}, {upper, low});
  }

  // Totals `first` to `first + number`. Where those lanes are on, each takes one; else, one lane takes all.
  void write(unsigned first, unsigned number) {
    auto chosen = ArrayRef(totals.getArrayRef()).slice(first, number);
    builder.SetInsertPoint(call);
    uint64_t wanted = number == 64 ? ~uint64_t(0) : (uint64_t(1) << number) - 1;
    Constant *needed = ConstantInt::get(active->getType(), wanted);
    Value *complete = builder.CreateICmpEQ(builder.CreateAnd(active, needed), needed);
    Instruction *then = nullptr, *otherwise = nullptr;
    SplitBlockAndInsertIfThenElse(complete, call, &then, &otherwise);

    builder.SetInsertPoint(then);
    Value *number_of_lane = rank(Constant::getAllOnesValue(active->getType()));
    Value *low = builder.getInt32(0), *high = builder.getInt32(0);
    for (auto [at, entry] : enumerate(chosen)) {
      low = put(low, narrow(entry.second), at);
      if (!is_small(entry.second))
        high = put(high, narrow(builder.CreateLShr(entry.second, 32)), at);
    }
    Value *address = place(chosen, number_of_lane);
    Value *mine = builder.CreateICmpULT(number_of_lane, builder.getInt32(number));
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(mine, then, false));
    add(address, builder.CreateOr(wide(low), builder.CreateShl(wide(high), 32)));

    builder.SetInsertPoint(otherwise);
    Value *among = rank(active);
    Value *one = builder.CreateICmpEQ(among, builder.getInt32(0));
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(one, otherwise, false));
    for (auto &[counter, total] : chosen)
      // (An address of this lane's own: the back end need not make sure that only one adds.)
      add(builder.CreateGEP(builder.getInt64Ty(), counter, among), total);
  }

  Value *put(Value *into, Value *value, unsigned number) {
    return builder.CreateIntrinsic(Intrinsic::amdgcn_writelane, {builder.getInt32Ty()},
                                   {value, builder.getInt32(number), into});
  }

  void add(Value *address, Value *value) {
    builder.CreateAtomicRMW(AtomicRMWInst::Add, address, value, Align(8), AtomicOrdering::Monotonic);
  }

  static bool is_small(Value *total) {
    if (auto *extension = dyn_cast<ZExtInst>(total))
      return extension->getSrcTy()->getIntegerBitWidth() <= 32;
    if (auto *product = dyn_cast<BinaryOperator>(total); product && product->getOpcode() == Instruction::Mul)
      return is_small(product->getOperand(0)) && isa<ConstantInt>(product->getOperand(1)) &&
             cast<ConstantInt>(product->getOperand(1))->getZExtValue() < (1u << SafeBits);
    if (auto *constant = dyn_cast<ConstantInt>(total))
      return constant->getZExtValue() <= UINT32_MAX;
    // Lanes of three bits and of one, times weights: the front end's are 1.
    return false;
  }

  // The address of a lane's counter: of neighbours by distance, of others from a table.
  Value *place(ArrayRef<std::pair<Constant *, Value *>> chosen, Value *lane) {
    const DataLayout &layout = function.getDataLayout();
    Constant *base = nullptr;
    bool neighbours = true;
    int64_t start = 0;
    for (auto [at, entry] : enumerate(chosen)) {
      APInt offset(layout.getIndexTypeSizeInBits(entry.first->getType()), 0);
      auto *variable = cast<Constant>(entry.first->stripAndAccumulateConstantOffsets(layout, offset, true));
      if (at == 0) {
        base = variable;
        start = offset.getSExtValue();
      }
      neighbours &= variable == base && offset.getSExtValue() == start + 8 * int64_t(at);
    }
    if (neighbours)
      return builder.CreateGEP(builder.getInt64Ty(), chosen.front().first, lane);
    SmallVector<Constant *> counters;
    for (auto &[counter, total] : chosen)
      counters.push_back(counter);
    auto *type = ArrayType::get(counters.front()->getType(), counters.size());
    // 4 is the address space of constants.
    auto *table = new GlobalVariable(*function.getParent(), type, true, GlobalValue::PrivateLinkage,
                                     ConstantArray::get(type, counters), "count.places", nullptr,
                                     GlobalValue::NotThreadLocal, 4);
    // Lanes behind the last entry read the first: what they read is not used.
    Value *inside = builder.CreateSelect(builder.CreateICmpULT(lane, builder.getInt32(counters.size())), lane,
                                         builder.getInt32(0));
    Value *entry = builder.CreateGEP(type, table, {builder.getInt32(0), inside});
    return builder.CreateLoad(type->getElementType(), entry);
  }

  CallInst *call;
  UniformityInfo &uniformity;
  Function &function;
  IRBuilder<> builder;
  unsigned major = 0, wave = 64;
  Value *active = nullptr, *count = nullptr;
  MapVector<Constant *, Value *> totals;
  SmallVector<std::pair<Constant *, Value *>> divergent, reduced;
};

} // namespace

bool flush(Function &function, FunctionAnalysisManager &analyses) {
  CallInst *found = nullptr;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && call->getCalledFunction() && call->getCalledFunction()->getName() == FlushName)
        found = call;
  if (!found)
    return false;
  Flushing(found, analyses.getResult<UniformityInfoAnalysis>(function)).run();
  return true;
}

} // namespace luthier
