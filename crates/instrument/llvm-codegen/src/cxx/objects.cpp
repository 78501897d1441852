// Variables of a hook that live in memory. A stack and LDS belong to the application; so private variables move to memory
// that every lane finds behind the application's scratch, by its address, and LDS variables to where the framework says.

#include "job.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/Alignment.h"
#include <map>
#include <set>

using namespace llvm;
using namespace luthier;

namespace {

constexpr unsigned Global = 1, Lds = 3, Flat = 0, Stack = 5;
// Bytes per lane; more would not be a hook.
constexpr uint64_t MostStack = 16384;
constexpr uint64_t MostAlignment = 16;

SmallVector<AllocaInst *> allocas(Function &F) {
  SmallVector<AllocaInst *> Found;
  for (Instruction &I : instructions(F))
    if (auto *A = dyn_cast<AllocaInst>(&I))
      Found.push_back(A);
  return Found;
}

DebugLoc placeOf(const Instruction &I) {
  if (I.getDebugLoc())
    return I.getDebugLoc();
  for (const User *U : I.users())
    if (auto *Use = dyn_cast<Instruction>(U); Use && Use->getDebugLoc())
      return Use->getDebugLoc();
  return {};
}

// Some use of a variable that has a place in the source.
DebugLoc placeOf(const User &Used, unsigned Depth = 0) {
  for (const User *U : Used.users()) {
    auto *I = dyn_cast<Instruction>(U);
    DebugLoc Where = I ? placeOf(*I) : Depth < 8 ? placeOf(*U, Depth + 1) : DebugLoc();
    if (Where)
      return Where;
  }
  return {};
}

SmallVector<GlobalVariable *> sharedVariables(Function &F) {
  SmallVector<GlobalVariable *> Found;
  for (GlobalVariable &G : F.getParent()->globals())
    if (G.getAddressSpace() == Lds && !G.use_empty())
      Found.push_back(&G);
  return Found;
}

// Uses of a pointer, and of those computed from it, in another address space.
struct Mover {
  Reporter &Report;
  SmallVector<Instruction *> Dead;
  std::map<Value *, Value *> Moved;
  std::set<Value *> Plain;
  bool Good = true;

  explicit Mover(Reporter &Report) : Report(Report) {}

  void fail(const Instruction &I, const Twine &Text) {
    Report.fail(placeOf(I), Text);
    Good = false;
  }

  // `Old` points to a stack, `New` to where its contents are.
  void uses(Value *Old, Value *New) {
    Moved[Old] = New;
    SmallVector<Use *> Uses;
    for (Use &U : Old->uses())
      Uses.push_back(&U);
    for (Use *U : Uses)
      if (auto *I = dyn_cast<Instruction>(U->getUser()))
        use(*I, *U, New);
  }

  // A plain pointer to a variable that has moved: where it becomes one to the stack again, it is one to the new place.
  void plain(Value *Pointer) {
    if (!Plain.insert(Pointer).second)
      return;
    SmallVector<User *> Users(Pointer->users());
    for (User *Next : Users) {
      if (isa<GetElementPtrInst, PHINode, SelectInst>(Next))
        plain(Next);
      auto *C = dyn_cast<AddrSpaceCastInst>(Next);
      if (!C || C->getDestAddressSpace() != Stack || Moved.count(C))
        continue;
      IRBuilder<> B(C);
      uses(C, B.CreateAddrSpaceCast(Pointer, PointerType::get(C->getContext(), Global)));
      Dead.push_back(C);
    }
  }

  void use(Instruction &I, Use &U, Value *New) {
    IRBuilder<> B(&I);
    if (auto *G = dyn_cast<GetElementPtrInst>(&I)) {
      SmallVector<Value *> Indices;
      for (Value *Index : G->indices())
        Indices.push_back(Index);
      Value *Element = B.CreateGEP(G->getSourceElementType(), New, Indices, "", G->getNoWrapFlags());
      Dead.push_back(G);
      return uses(G, Element);
    }
    if (auto *C = dyn_cast<AddrSpaceCastInst>(&I)) {
      if (C->getDestAddressSpace() != Flat)
        return fail(I, "a variable's address changes to an unknown address space");
      Value *Plain = B.CreateAddrSpaceCast(New, C->getType());
      C->replaceAllUsesWith(Plain);
      Dead.push_back(C);
      return plain(Plain);
    }
    if (auto *P = dyn_cast<PHINode>(&I)) {
      if (auto Known = Moved.find(P); Known != Moved.end()) {
        cast<PHINode>(Known->second)->setIncomingValue(U.getOperandNo(), New);
        return;
      }
      PHINode *Other = B.CreatePHI(New->getType(), P->getNumIncomingValues());
      for (unsigned Index = 0; Index != P->getNumIncomingValues(); ++Index)
        Other->addIncoming(PoisonValue::get(New->getType()), P->getIncomingBlock(Index));
      Other->setIncomingValue(U.getOperandNo(), New);
      Dead.push_back(P);
      return uses(P, Other);
    }
    if (auto *S = dyn_cast<SelectInst>(&I)) {
      if (auto Known = Moved.find(S); Known != Moved.end()) {
        cast<SelectInst>(Known->second)->setOperand(U.getOperandNo(), New);
        return;
      }
      Value *None = PoisonValue::get(New->getType());
      bool First = U.getOperandNo() == 1;
      Value *Other = SelectInst::Create(S->getCondition(), First ? New : None, First ? None : New, "", S->getIterator());
      Dead.push_back(S);
      return uses(S, Other);
    }
    if (auto *L = dyn_cast<IntrinsicInst>(&I)) {
      switch (L->getIntrinsicID()) {
      case Intrinsic::lifetime_start:
      case Intrinsic::lifetime_end: L->eraseFromParent(); return;
      case Intrinsic::memcpy:
      case Intrinsic::memmove:
      case Intrinsic::memset:
      case Intrinsic::memcpy_inline:
      case Intrinsic::memset_inline: {
        U.set(New);
        SmallVector<Type *> Types{L->getArgOperand(0)->getType()};
        if (isa<MemTransferInst>(L))
          Types.push_back(L->getArgOperand(1)->getType());
        Types.push_back(L->getArgOperand(2)->getType());
        L->setCalledFunction(Intrinsic::getOrInsertDeclaration(I.getModule(), L->getIntrinsicID(), Types));
        return;
      }
      default: return fail(I, "the hook passes the address of one of its variables on");
      }
    }
    bool Stored = isa<StoreInst>(I) && U.getOperandNo() == 0;
    bool Accesses = isa<LoadInst, StoreInst, AtomicRMWInst>(I) && !Stored;
    if (!Accesses)
      return fail(I, "the hook stores or computes with the address of one of its variables");
    U.set(New);
  }

  void finish() {
    for (Instruction *I : reverse(Dead)) {
      if (!I->use_empty())
        I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
  }
};

// The arguments of a binding, which finish() made one per register.
Argument *argumentOf(Function &F, const luthier_codegen_job &Job, StringRef Name) {
  unsigned Index = 0;
  for (const Binding &B : Job.Bindings) {
    if (B.Name == Name)
      return F.getArg(Index);
    if (B.Read)
      Index += B.Dwords;
  }
  return nullptr;
}

bool moveStack(Function &F, luthier_codegen_job &Job, Reporter &Report) {
  SmallVector<AllocaInst *> Found = allocas(F);
  Argument *Low = argumentOf(F, Job, "stack");
  if (Found.empty() || !Low)
    return true;
  const DataLayout &Layout = F.getParent()->getDataLayout();
  std::map<AllocaInst *, uint64_t> Places;
  uint64_t End = 0;
  for (AllocaInst *A : Found) {
    std::optional<TypeSize> Size = A->getAllocationSize(Layout);
    if (!Size || !A->isStaticAlloca() || A->getAlign().value() > MostAlignment) {
      Report.fail(placeOf(*A), "the hook has a variable whose size is known at run time only, or with an alignment above 16");
      return false;
    }
    End = alignTo(End, A->getAlign());
    Places[A] = End;
    End += Size->getFixedValue();
  }
  uint64_t Frame = alignTo(End, MostAlignment);
  if (Frame > MostStack) {
    Report.fail(placeOf(*Found.front()),
                "the hook's variables in memory take " + Twine(Frame) + " bytes per lane; at most " + Twine(MostStack) + " are possible");
    return false;
  }
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Type *Word = B.getInt32Ty(), *Wide = B.getInt64Ty();
  Value *High = F.getArg(Low->getArgNo() + 1);
  Value *Base = B.CreateOr(B.CreateZExt(Low, Wide), B.CreateShl(B.CreateZExt(High, Wide), 32));
  Value *Start = B.CreateIntToPtr(Base, PointerType::get(F.getContext(), Global));
  Value *All = B.getInt32(~0u);
  Value *Lane = B.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo, {}, {All, B.getInt32(0)});
  Lane = B.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_hi, {}, {All, Lane});
  if (StringRef(Job.Features).contains("+wavefrontsize32"))
    Lane = B.CreateAnd(Lane, 31);
  Value *Offset = B.CreateZExt(B.CreateMul(Lane, ConstantInt::get(Word, Frame)), Wide);
  Value *Own = B.CreateGEP(B.getInt8Ty(), Start, Offset);
  Mover Move(Report);
  for (AllocaInst *A : Found) {
    Move.uses(A, B.CreateConstGEP1_64(B.getInt8Ty(), Own, Places[A]));
    Move.Dead.insert(Move.Dead.begin(), A);
  }
  if (!Move.Good)
    return false;
  Move.finish();
  Job.StackBytes = Frame;
  return true;
}

} // namespace

bool luthier::findObjects(Function &F, luthier_codegen_job &Job, Reporter &Report, bool &Found) {
  const DataLayout &Layout = F.getParent()->getDataLayout();
  Job.HasStack = Job.Spill || !allocas(F).empty();
  for (GlobalVariable *G : sharedVariables(F)) {
    uint64_t Size = Layout.getTypeAllocSize(G->getValueType());
    uint64_t Alignment = Layout.getPreferredAlign(G).value();
    if (Size == 0) {
      Report.fail(placeOf(*static_cast<const User *>(G)),
                  "the hook uses the LDS variable " + G->getName() +
                      ", whose size is known at a launch only; give it a size, for launches know nothing of hooks");
      return false;
    }
    Job.SharedVariables.push_back({G->getName().str(), Size, std::min(Alignment, MostAlignment)});
  }
  Found = Job.HasStack || !Job.SharedVariables.empty();
  return true;
}

bool luthier::moveObjects(Function &F, luthier_codegen_job &Job, Reporter &Report) {
  if (!moveStack(F, Job, Report))
    return false;
  for (GlobalVariable *G : sharedVariables(F)) {
    Argument *Address = argumentOf(F, Job, ("lds:" + G->getName()).str());
    if (!Address)
      continue;
    convertUsersOfConstantsToInstructions({G});
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    G->replaceAllUsesWith(B.CreateIntToPtr(Address, G->getType()));
  }
  return true;
}
