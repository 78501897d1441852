// Carries out the plan: additions, budget checks, registration with the runtime, the contract.

#include "count.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <array>
#include <optional>

using namespace llvm;

namespace luthier {
namespace {

// The model decides the code: one instruction with an immediate offset, or one load of the offset first. Neither calls
// __tls_get_addr, and neither is a %rip-relative counter, whose updates are seven times slower.
GlobalValue::ThreadLocalMode threadLocalModel(const Module &module, const Settings &settings) {
  bool executable = module.getPICLevel() == PICLevel::NotPIC || module.getPIELevel() != PIELevel::Default;
  return settings.localExec || executable ? GlobalValue::LocalExecTLSModel : GlobalValue::InitialExecTLSModel;
}

class Applier {
public:
  Applier(Module &module, Session *session, const Settings &settings)
      : module(module), session(session), settings(settings), context(module.getContext()), word(Type::getInt64Ty(context)) {}

  void run(const DescribedModule &described) {
    apart = accessTag();
    if (size_t count = lc_slots(session))
      makeSlots(count);
    for (const SizedCall &sized : described.sized)
      addLength(sized);
    for (uint32_t index = 0; index < described.functions.size(); ++index)
      applyFunction(index, described.functions[index]);
    if (slots)
      registerSlots();
  }

private:
  Module &module;
  Session *session;
  const Settings &settings;
  LLVMContext &context;
  IntegerType *word;
  GlobalVariable *slots = nullptr;
  Function *limit = nullptr;
  MDNode *apart = nullptr;
  unsigned kind = 0;

  // No access of the program means the counter. Said in the terms of the program's own type-based alias analysis, if it
  // has one, this lets the optimiser keep treating the program's loops as it would without us.
  MDNode *accessTag() {
    for (Function &function : module)
      for (BasicBlock &block : function)
        for (Instruction &instruction : block)
          if (MDNode *tag = instruction.getMetadata(LLVMContext::MD_tbaa); tag && tag->getNumOperands() >= 3)
            if (MDNode *root = rootOf(dyn_cast<MDNode>(tag->getOperand(1)))) {
              MDBuilder builder(context);
              MDNode *type = builder.createTBAAScalarTypeNode("luthier count", root);
              return builder.createTBAAStructTagNode(type, type, 0);
            }
    return nullptr;
  }

  static MDNode *rootOf(MDNode *type) {
    for (int depth = 0; type && type->getNumOperands() >= 2 && depth < 32; ++depth) {
      MDNode *parent = dyn_cast<MDNode>(type->getOperand(1));
      if (!parent)
        return nullptr;
      if (parent->getNumOperands() < 2)
        return parent;
      type = parent;
    }
    return nullptr;
  }

  // Additions and checks of one function by the instruction they go before. At one instruction, what belongs to the way
  // in comes first, then what the block's own code costs, then what belongs to the way out; a check sees what precedes it.
  enum Phase { WayIn, Own, WayOut, Phases };
  using Sums = SmallVector<std::pair<uint32_t, int64_t>, 1>; // slot, amount
  struct Place {
    Sums sums;
    std::optional<int64_t> check; // what is owed there
  };
  using Places = MapVector<Instruction *, std::array<Place, Phases>>;
  using Jumps = MapVector<std::pair<uint32_t, uint32_t>, Place>; // block, successor

  void applyFunction(uint32_t index, const DescribedFunction &described) {
    if (lc_charged_by_callers(session, index)) {
      // Callers in other objects would call a copy that counts. This copy belongs to this object alone.
      if (described.function->hasLinkOnceLinkage()) {
        described.function->setComdat(nullptr);
        described.function->setVisibility(GlobalValue::DefaultVisibility);
        described.function->setLinkage(GlobalValue::InternalLinkage);
      }
      return;
    }
    for (uint32_t block = 0; block < described.calls.size(); ++block)
      for (uint32_t call = 0; call < described.calls[block].size(); ++call)
        if (lc_comes_back(session, index, block, call))
          described.calls[block][call]->addFnAttr(Attribute::get(context, ComesBack));
    const Increment *list;
    Places places;
    Jumps jumps;
    size_t count = lc_increments(session, index, &list);
    for (const Increment &increment : ArrayRef(list, count))
      place(described, increment, places, jumps).sums.emplace_back(increment.slot, increment.amount);
    count = lc_checks(session, index, &list);
    for (const Increment &check : ArrayRef(list, count))
      place(described, check, places, jumps).check = check.amount;

    // Jumps before code: code inserted first could move a terminator away from the block the jump is named after.
    for (auto &[jump, place] : jumps) {
      auto [before, phase] = splitJump(described.blocks[jump.first]->getTerminator(), jump.second);
      places[before][phase] = place;
    }
    for (auto &[before, phases] : places) {
      Sums sums;
      for (Place &place : phases) {
        sums.append(place.sums);
        if (place.check) {
          emit(before, sums, place.check);
          sums.clear();
        }
      }
      emit(before, sums, std::nullopt);
    }
  }

  Place &place(const DescribedFunction &described, const Increment &at, Places &places, Jumps &jumps) {
    switch (at.kind) {
    case SiteKind::Call: return places[described.calls[at.block][at.index]][Own];
    case SiteKind::End: return places[described.blocks[at.block]->getTerminator()][Own];
    case SiteKind::Start: return places[startOf(*described.blocks[at.block])][WayIn];
    case SiteKind::Edge: return jumps[{at.block, at.index}];
    }
    llvm_unreachable("site kinds are listed");
  }

  // The place for the first code of a block. In the entry block the fixed stack slots stay together at the beginning: a
  // slot behind a branch would be allocated each time.
  static Instruction *startOf(BasicBlock &block) {
    Instruction *start = &*block.getFirstInsertionPt();
    if (!block.isEntryBlock())
      return start;
    SmallVector<AllocaInst *, 16> fixed;
    for (Instruction &instruction : block)
      if (auto *slot = dyn_cast<AllocaInst>(&instruction))
        if (slot->isStaticAlloca())
          fixed.push_back(slot);
    for (AllocaInst *slot : fixed) {
      if (slot == start)
        start = start->getNextNode();
      else
        slot->moveBefore(start->getIterator());
    }
    return start;
  }

  // The place of the jump from `terminator`'s block to its `index`-th successor.
  std::pair<Instruction *, Phase> splitJump(Instruction *terminator, unsigned index) {
    BasicBlock *from = terminator->getParent();
    BasicBlock *to = terminator->getSuccessor(index);
    if (terminator->getNumSuccessors() == 1 && !isa<InvokeInst>(terminator))
      return {terminator, WayOut};
    if (hasSingleEdge(from, to))
      return {&*to->getFirstInsertionPt(), WayIn};
    BasicBlock *between = BasicBlock::Create(context, "", from->getParent(), to);
    BranchInst *jump = BranchInst::Create(to, between);
    jump->setDebugLoc(terminator->getDebugLoc());
    terminator->setSuccessor(index, between);
    // One of possibly several equal edges has moved: exactly one incoming entry changes its block.
    for (PHINode &phi : to->phis())
      phi.setIncomingBlock(phi.getBasicBlockIndex(from), between);
    return {jump, Own};
  }

  static bool hasSingleEdge(BasicBlock *from, BasicBlock *to) {
    auto edges = predecessors(to);
    auto edge = edges.begin();
    return edge != edges.end() && *edge == from && ++edge == edges.end() && !to->isEntryBlock();
  }

  void emit(Instruction *before, const Sums &list, std::optional<int64_t> owed) {
    IRBuilder<> builder(before);
    DenseMap<uint32_t, int64_t> sums;
    SmallVector<uint32_t, 2> order;
    for (auto [slot, amount] : list) {
      if (!sums.contains(slot))
        order.push_back(slot);
      sums[slot] += amount;
    }
    Value *total = nullptr;
    for (uint32_t slot : order) {
      if (sums[slot] == 0)
        continue;
      if (settings.placement == Placement::Article) {
        builder.CreateCall(articleFunction(), {builder.getInt64(sums[slot])});
        continue;
      }
      if (slots)
        setApart(add(builder, slotAddress(slot), builder.getInt64(sums[slot])));
      // With budgets the thread's counter is kept as well: it is what the checks look at.
      if (!slots || settings.budget) {
        uint64_t unit = slots ? lc_slot_unit(session, slot) : 1;
        Value *amount = builder.getInt64(sums[slot] * int64_t(unit));
        AtomicRMWInst *old = add(builder, counter(module, settings), amount);
        if (!owed)
          setApart(old);
        total = owed ? builder.CreateAdd(old, amount) : nullptr;
      }
    }
    if (owed)
      check(builder, before, total, *owed);
  }

  // If several blocks end with an addition, the optimiser makes one addition of them, of an amount that each block puts
  // in a register. If the blocks contain other code too, and so stay, that costs more than it saves. The additions
  // there get different synchronisation scopes, which keeps the optimiser from merging them and has no other effect.
  void setApart(AtomicRMWInst *addition) {
    constexpr unsigned Kinds = 8;
    auto isEffect = [](const Instruction &instruction) {
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        return !isa<AllocaInst>(store->getPointerOperand()->stripInBoundsConstantOffsets());
      return isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
    };
    if (any_of(*addition->getParent(), isEffect))
      addition->setSyncScopeID(context.getOrInsertSyncScopeID(("luthier." + Twine(kind++ % Kinds)).str()));
  }

  // Atomic for a single thread, that is, towards signal handlers, in name; lowerAdditions() makes it plain. Until then no
  // pass takes it apart into a load here and a store there.
  AtomicRMWInst *add(IRBuilder<> &builder, Value *address, Value *amount) {
    AtomicRMWInst *old =
        builder.CreateAtomicRMW(AtomicRMWInst::Add, address, amount, Align(8), AtomicOrdering::Monotonic, SyncScope::SingleThread);
    old->setMetadata(LLVMContext::MD_tbaa, apart);
    return old;
  }

  // The counter counts up to 0, the limit. A check tests the result of an addition, if only of zero. If the counter is ahead,
  // the limit's handler is called too early: it is told by how much, and continues the program to the next check.
  void check(IRBuilder<> &builder, Instruction *before, Value *total, int64_t owed) {
    if (!total)
      total = add(builder, counter(module, settings), builder.getInt64(0));
    Value *reached = builder.CreateICmpSGE(total, builder.getInt64(std::min<int64_t>(-owed, 0)));
    MDNode *unlikely = MDBuilder(context).createBranchWeights(1, 1 << 20);
    Instruction *then = SplitBlockAndInsertIfThen(reached, before->getIterator(), false, unlikely);
    builder.SetInsertPoint(then);
    CallInst *call = builder.CreateCall(limitFunction(), {builder.getInt64(owed)});
    call->setCallingConv(limitFunction()->getCallingConv());
    if (before->getDebugLoc())
      call->setDebugLoc(before->getDebugLoc());
    else if (DISubprogram *program = before->getFunction()->getSubprogram())
      call->setDebugLoc(DILocation::get(context, 0, 0, program));
  }

  void addLength(const SizedCall &sized) {
    IRBuilder<> builder(sized.call);
    Value *length = cast<MemIntrinsic>(sized.call)->getLength();
    Value *bytes = builder.CreateZExtOrTrunc(length, word);
    Value *units = builder.CreateLShr(bytes, sized.shift);
    if (slots)
      add(builder, slotAddress(lc_priced_slot(session, sized.function, sized.index)), units);
    if (!slots || settings.budget)
      add(builder, counter(module, settings), units);
  }

  FunctionCallee articleFunction() {
    return module.getOrInsertFunction(ArticleName, FunctionType::get(Type::getVoidTy(context), {word}, false));
  }

  Function *limitFunction() {
    if (limit)
      return limit;
    FunctionCallee callee = module.getOrInsertFunction(LimitName, FunctionType::get(Type::getVoidTy(context), {word}, false));
    limit = cast<Function>(callee.getCallee());
    // Saves registers itself: the code around a check stays as good as without.
    limit->setCallingConv(CallingConv::PreserveMost);
    limit->addFnAttr(Attribute::Cold);
    if (!settings.unwind)
      limit->setDoesNotThrow();
    return limit;
  }

  void makeSlots(size_t count) {
    ArrayType *type = ArrayType::get(word, count);
    slots = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, Constant::getNullValue(type), SlotsName, nullptr,
                               threadLocalModel(module, settings));
    slots->setAlignment(Align(8));
  }

  Value *slotAddress(uint32_t slot) {
    return ConstantExpr::getInBoundsGetElementPtr(slots->getValueType(), slots,
                                                  ArrayRef<Constant *>{ConstantInt::get(word, 0), ConstantInt::get(word, slot)});
  }

  Function *callWith(GlobalVariable &argument, StringRef callee, StringRef name) {
    Type *nothing = Type::getVoidTy(context);
    FunctionCallee called = module.getOrInsertFunction(callee, FunctionType::get(nothing, {argument.getType()}, false));
    Function *caller = Function::Create(FunctionType::get(nothing, false), GlobalValue::InternalLinkage, name, module);
    IRBuilder<> builder(BasicBlock::Create(context, "", caller));
    builder.CreateCall(called, {&argument});
    builder.CreateRetVoid();
    return caller;
  }

  // Tells the runtime where a thread's slots are and what they mean. The layout is `struct module` in the runtime.
  void registerSlots() {
    size_t count = lc_slots(session);
    std::string table;
    lc_slot_table(session, appendText, &table);
    SmallVector<uint64_t, 64> units;
    for (size_t slot = 0; slot < count; ++slot)
      units.push_back(lc_slot_unit(session, slot));

    PointerType *pointer = PointerType::getUnqual(context);
    auto constant = [&](Constant *value, const Twine &name) {
      auto *variable = new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, name);
      variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
      return variable;
    };
    Function *here =
        Function::Create(FunctionType::get(pointer, false), GlobalValue::InternalLinkage, "__luthier_count_slots_here", module);
    IRBuilder<> builder(BasicBlock::Create(context, "", here));
    builder.CreateRet(builder.CreateThreadLocalAddress(slots));

    Constant *fields[] = {
        ConstantPointerNull::get(pointer), // link, for the runtime
        here,
        constant(ConstantDataArray::get(context, units), "__luthier_count_units"),
        constant(ConstantDataArray::getString(context, table, true), "__luthier_count_table"),
        ConstantInt::get(word, count),
        ConstantInt::get(word, settings.budget),
        ConstantPointerNull::get(pointer), // sums, for the runtime
    };
    Constant *record = ConstantStruct::getAnon(fields);
    auto *variable = new GlobalVariable(module, record->getType(), false, GlobalValue::InternalLinkage, record, "__luthier_count_module");
    appendToGlobalCtors(module, callWith(*variable, RegisterModuleName, "__luthier_count_register"), 0);
    // The slots of a library go when it is closed. (Elsewhere than in ELF, libraries do not count.)
    if (Triple(module.getTargetTriple()).isOSBinFormatELF())
      appendToGlobalDtors(module, callWith(*variable, ForgetModuleName, "__luthier_count_forget"), 0);
  }
};

} // namespace

GlobalVariable *counter(Module &module, const Settings &settings) {
  if (GlobalVariable *known = module.getGlobalVariable(CounterName))
    return known;
  Type *type = ArrayType::get(Type::getInt64Ty(module.getContext()), CounterLanes);
  auto *variable = new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, nullptr, CounterName, nullptr,
                                      threadLocalModel(module, settings));
  variable->setAlignment(Align(8));
  if (variable->getThreadLocalMode() == GlobalValue::LocalExecTLSModel)
    variable->setDSOLocal(true);
  return variable;
}

void apply(Module &module, const DescribedModule &described, Session *session, const Settings &settings, StringRef contract) {
  Applier(module, session, settings).run(described);
  emitContracts(module, contract, settings);
  emitExemptions(module, described);
}

} // namespace luthier
