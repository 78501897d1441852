// From the optimised wrapper to machine code. LLVM's own pipeline has three more passes, which bind the wrapper's
// arguments and results to chosen registers and keep all pinned registers intact.

#include "job.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace luthier;

namespace {

// LLVM creates inserted passes by ID, without arguments; the job reaches them through here.
thread_local luthier_codegen_job *Current = nullptr;

constexpr const char *FilePrefix[] = {"SGPR", "VGPR", "AGPR"};

MCRegister physical(const TargetRegisterInfo &TRI, luthier::FileIndex R) {
  static thread_local std::map<luthier::FileIndex, unsigned> Known;
  if (Known.empty())
    for (unsigned Number = 1; Number != TRI.getNumRegs(); ++Number) {
      StringRef Name = TRI.getName(Number);
      for (uint32_t File = 0; File != 3; ++File) {
        StringRef Rest = Name;
        unsigned Index;
        if (Rest.consume_front(FilePrefix[File]) && !Rest.getAsInteger(10, Index))
          Known[{File, Index}] = Number;
      }
    }
  auto Found = Known.find(R);
  return Found == Known.end() ? MCRegister() : MCRegister(Found->second);
}

MCRegister special(const TargetRegisterInfo &TRI, StringRef Wanted) {
  for (unsigned Number = 1; Number != TRI.getNumRegs(); ++Number)
    if (Wanted == TRI.getName(Number))
      return Number;
  return {};
}

const TargetRegisterClass *classNamed(const TargetRegisterInfo &TRI, StringRef Wanted) {
  for (const TargetRegisterClass *Class : TRI.regclasses())
    if (Wanted == TRI.getRegClassName(Class))
      return Class;
  return nullptr;
}

struct Plan {
  // Maps the calling convention's registers to those of this crate, for arguments and for results.
  DenseMap<unsigned, unsigned> Arguments, Results;
  SmallVector<MCRegister> LiveIns, Preserved;
};

Plan planOf(const luthier_codegen_job &Job, const TargetRegisterInfo &TRI, const BitVector &Reserved) {
  Plan P;
  uint32_t NextArgument[2] = {0, 0}, NextResult[2] = {0, 0};
  std::set<luthier::FileIndex> Changed;
  for (const Binding &B : Job.Bindings)
    for (uint32_t Dword = 0; Dword != B.Dwords; ++Dword) {
      luthier::FileIndex Mine{B.File, B.First + Dword};
      MCRegister Register = physical(TRI, Mine);
      if (B.Read) {
        P.Arguments[physical(TRI, {B.File, NextArgument[B.File]++})] = Register;
        P.LiveIns.push_back(Register);
      }
      if (B.Written) {
        P.Results[physical(TRI, {B.File, NextResult[B.File]++})] = Register;
        Changed.insert(Mine);
      }
    }
  for (luthier::FileIndex R : Job.Pinned) {
    if (Changed.count(R))
      continue;
    MCRegister Register = physical(TRI, R);
    // LLVM never allocates reserved registers: pinning them is needless.
    if (Register && !Reserved.test(Register))
      P.Preserved.push_back(Register);
  }
  return P;
}

struct PinRegisters final : MachineFunctionPass {
  static char ID;
  PinRegisters() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier: pin registers"; }

  bool runOnMachineFunction(MachineFunction &MF) override {
    if (!Current || MF.getName() != WrapperName)
      return false;
    const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
    const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
    MachineRegisterInfo &MRI = MF.getRegInfo();
    Plan P = planOf(*Current, TRI, TRI.getReservedRegs(MF));
    MachineBasicBlock &Entry = MF.front();

    for (MachineInstr &MI : Entry)
      if (MI.isCopy() && MI.getOperand(1).getReg().isPhysical()) {
        MachineOperand &Source = MI.getOperand(1);
        auto Found = P.Arguments.find(Source.getReg().id());
        if (Found == P.Arguments.end())
          continue;
        Source.setReg(Found->second);
        Source.setIsKill(false);
      }
    std::vector<MCRegister> Others;
    for (const auto &LiveIn : Entry.liveins())
      if (!P.Arguments.count(MCRegister(LiveIn.PhysReg).id()))
        Others.push_back(LiveIn.PhysReg);
    Entry.clearLiveIns();
    for (MCRegister R : Others)
      Entry.addLiveIn(R);
    for (MCRegister R : P.LiveIns)
      Entry.addLiveIn(R);

    struct Held {
      Register Virtual;
      MCRegister Physical;
    };
    SmallVector<Held> Copies;
    auto Hold = [&](MCRegister R, const TargetRegisterClass *Class) {
      Entry.addLiveIn(R);
      Register V = MRI.createVirtualRegister(Class);
      BuildMI(Entry, Entry.begin(), DebugLoc(), TII.get(TargetOpcode::COPY), V).addReg(R);
      Copies.push_back({V, R});
    };
    SmallVector<MCRegister> InPlace;
    for (MCRegister R : P.Preserved) {
      bool IsInput = is_contained(P.LiveIns, R);
      if (Current->Copy && !IsInput)
        Hold(R, TRI.getMinimalPhysRegClass(R));
      else {
        if (!IsInput)
          Entry.addLiveIn(R);
        InPlace.push_back(R);
      }
    }
    if (Current->PinVcc)
      Hold(special(TRI, "VCC"), classNamed(TRI, "SReg_64_XEXEC"));
    // Last, hence first in the block: what follows may change SCC.
    if (Current->PinScc)
      Hold(special(TRI, "SCC"), classNamed(TRI, "SReg_32_XM0_XEXEC"));

    for (MachineBasicBlock &Block : MF)
      for (MachineInstr &MI : make_early_inc_range(Block)) {
        if (!MI.isReturn())
          continue;
        rebindResults(MI, P);
        for (const Held &H : Copies)
          BuildMI(Block, MI, DebugLoc(), TII.get(TargetOpcode::COPY), H.Physical).addReg(H.Virtual);
        MachineInstrBuilder Return(MF, MI);
        for (const Held &H : Copies)
          Return.addReg(H.Physical, RegState::Implicit);
        for (MCRegister R : InPlace)
          Return.addReg(R, RegState::Implicit);
      }
    return true;
  }

  // The convention's result registers become the chosen ones. The result that stands for none is removed.
  static void rebindResults(MachineInstr &Return, const Plan &P) {
    MachineBasicBlock &Block = *Return.getParent();
    const TargetRegisterInfo &TRI = *Block.getParent()->getSubtarget().getRegisterInfo();
    // Our registers may equal conventional ones that are still to be looked up: collect first, change afterwards.
    SmallVector<std::pair<MachineOperand *, MCRegister>> Changes;
    SmallVector<unsigned> Removals;
    SmallVector<MachineInstr *> Dead;
    for (unsigned Index = Return.getNumOperands(); Index-- != 0;) {
      MachineOperand &Operand = Return.getOperand(Index);
      if (!Operand.isReg() || !Operand.getReg().isPhysical() || Operand.isDef())
        continue;
      Register Convention = Operand.getReg();
      StringRef Name = TRI.getName(Convention);
      if (!Name.starts_with("SGPR") && !Name.starts_with("VGPR"))
        continue;
      MachineInstr *Definition = nullptr;
      for (auto I = std::next(MachineBasicBlock::reverse_iterator(Return)), E = Block.rend(); I != E && !Definition; ++I)
        if (I->definesRegister(Convention, &TRI))
          Definition = &*I;
      auto Found = P.Results.find(Convention.id());
      if (Found == P.Results.end()) {
        if (Definition)
          Dead.push_back(Definition);
        Removals.push_back(Index);
        continue;
      }
      if (Definition)
        for (MachineOperand &Defined : Definition->operands())
          if (Defined.isReg() && Defined.isDef() && Defined.getReg() == Convention)
            Changes.push_back({&Defined, Found->second});
      Changes.push_back({&Operand, Found->second});
    }
    for (auto &[Operand, Ours] : Changes)
      Operand->setReg(Ours);
    for (unsigned Index : Removals)
      Return.removeOperand(Index);
    for (MachineInstr *MI : Dead)
      MI->eraseFromParent();
  }
};

struct KeepLive final : MachineFunctionPass {
  static char ID;
  KeepLive() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier: keep pinned registers live"; }

  bool runOnMachineFunction(MachineFunction &MF) override {
    if (!Current || MF.getName() != WrapperName)
      return false;
    const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
    Plan P = planOf(*Current, TRI, TRI.getReservedRegs(MF));
    for (MachineBasicBlock &Block : MF) {
      if (!Current->Copy)
        for (MCRegister R : P.Preserved)
          if (!Block.isLiveIn(R))
            Block.addLiveIn(R);
      for (MCRegister R : P.LiveIns)
        if (!Block.isLiveIn(R))
          Block.addLiveIn(R);
      Block.sortUniqueLiveIns();
    }
    return true;
  }
};

// gfx12: once a vector instruction has read a scalar pair, each later write of it needs a wait before the next read, and
// LLVM assumes a shader to start without such pairs. Spliced code does not; in a callable function LLVM assumes all of them.
struct AssumeTracked final : MachineFunctionPass {
  static char ID;
  AssumeTracked() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier: assume tracked SGPRs"; }

  bool runOnMachineFunction(MachineFunction &MF) override {
    if (Current && Current->AssumeTracked && MF.getName() == WrapperName)
      MF.getFunction().setCallingConv(CallingConv::AMDGPU_Gfx);
    return false;
  }
};

char PinRegisters::ID = 0;
char KeepLive::ID = 0;
char AssumeTracked::ID = 0;

RegisterPass<PinRegisters> RegisterPin("luthier-pin", "pin registers");
RegisterPass<KeepLive> RegisterKeep("luthier-keep", "keep pinned registers live");
RegisterPass<AssumeTracked> RegisterTracked("luthier-tracked", "assume tracked SGPRs");

constexpr uint32_t Limit[2] = {40, 128};

// Gives a binding the lowest free registers, aligned like tuples of its width; false if none are left.
bool placeOne(const luthier_codegen_job &Job, Binding &B, std::set<luthier::FileIndex> &Taken, uint32_t First) {
  uint32_t Alignment = B.Dwords == 1 ? 1 : B.File == LUTHIER_CODEGEN_SCALAR && B.Dwords > 2 ? 4 : 2;
  auto Free = [&](uint32_t At) {
    for (uint32_t Dword = 0; Dword != B.Dwords; ++Dword)
      if (Taken.count({B.File, At + Dword}))
        return false;
    return true;
  };
  First = (First + Alignment - 1) / Alignment * Alignment;
  while (!Free(First) && First < 256)
    First += Alignment;
  if (First + B.Dwords > (Job.Pinned.empty() ? Limit[B.File] : 256))
    return false;
  B.First = First;
  for (uint32_t Dword = 0; Dword != B.Dwords; ++Dword)
    Taken.insert({B.File, First + Dword});
  return true;
}

// Registers for the bindings that were not given any: inputs first, then what is changed. A register that is changed is free
// for other values until it gets its own, so a tuple may take it; behind the padding no input is beside it.
bool place(luthier_codegen_job &Job, Reporter &Report) {
  std::set<luthier::FileIndex> Taken = Job.Pinned;
  for (Binding &B : Job.Bindings)
    if (auto Found = Job.Places.find(B.Name); Found != Job.Places.end()) {
      B.First = Found->second;
      for (uint32_t Dword = 0; Dword != B.Dwords; ++Dword)
        Taken.insert({B.File, B.First + Dword});
    }
  bool Fixed = !Job.Pinned.empty();
  uint32_t End[2] = {0, 0};
  for (bool Changed : {false, true})
    for (Binding &B : Job.Bindings) {
      if (Job.Places.count(B.Name) || B.Written != Changed)
        continue;
      bool Apart = Changed && !Fixed && Job.Padding != 0;
      uint32_t First = Apart ? (End[B.File] + Job.Padding - 1) / Job.Padding * Job.Padding : 0;
      if (!placeOne(Job, B, Taken, First)) {
        Report.fail("the hook has more inputs than registers are set aside for them");
        return false;
      }
      if (!Changed)
        End[B.File] = std::max(End[B.File], B.First + B.Dwords);
    }
  for (const Binding &B : Job.Bindings)
    for (uint32_t Dword = 0; B.Read && !B.Written && Dword != B.Dwords; ++Dword)
      Job.Pinned.insert({B.File, B.First + Dword});
  for (uint32_t File = 0; File != 2; ++File) {
    if (End[File] == 0 || Job.Padding == 0)
      continue;
    uint32_t Padded = (End[File] + Job.Padding - 1) / Job.Padding * Job.Padding;
    for (uint32_t Index = 0; Index != Padded; ++Index)
      if (!Taken.count({File, Index}))
        Job.Pinned.insert({File, Index});
  }
  return true;
}

} // namespace

bool luthier::emit(Module &M, luthier_codegen_job &Job, TargetMachine &TM, Reporter &Report) {
  std::set<luthier::FileIndex> Asked = Job.Pinned;
  if (!place(Job, Report))
    return false;
  Job.Object.clear();
  raw_svector_ostream Stream(Job.Object);
  // AMDGPU's machine is one of those built on the common code generator.
  auto &Machine = static_cast<CodeGenTargetMachineImpl &>(TM);
  {
    legacy::PassManager Passes;
    TargetLibraryInfoImpl Library(TM.getTargetTriple());
    Passes.add(new TargetLibraryInfoWrapperPass(Library));
    TargetPassConfig *Config = Machine.createPassConfig(Passes);
    auto *Information = new MachineModuleInfoWrapperPass(&Machine);
    Passes.add(Config);
    Passes.add(Information);
    Config->insertPass(&FinalizeISelID, &PinRegisters::ID);
    Config->insertPass(&StackSlotColoringID, &KeepLive::ID);
    Config->insertPass(&PostRAHazardRecognizerID, &AssumeTracked::ID);
    if (Config->addISelPasses()) {
      Report.fail("LLVM has no instruction selector for this target");
      return false;
    }
    Config->addMachinePasses();
    Config->setInitialized();
    if (Machine.addAsmPrinter(Passes, Stream, nullptr, CodeGenFileType::ObjectFile, Information->getMMI().getContext())) {
      Report.fail("LLVM cannot write object files for this target");
      return false;
    }
    Passes.add(createFreeMachineFunctionPass());
    Current = &Job;
    Passes.run(M);
    Current = nullptr;
  }
  Job.Pinned = std::move(Asked);
  return !Report.Failed;
}
