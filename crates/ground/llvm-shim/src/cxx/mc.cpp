// Decoding, printing and descriptions: LLVM's MC objects for one processor behind one handle.

#include "mc.h"
#include "context.h"
#include "flags.h"

#include "llvm/MC/MCAsmInfoELF.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInst.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace llvm;
using namespace luthier;

static_assert(LLVM_VERSION_MAJOR == 22, "the shim is written for LLVM 22");

namespace {

// LLVM's disassembler looks at no more bytes than the target's longest instruction has, and crashes (22.1) when an
// operand field that announces a literal stands at their end. With room for a literal after every encoding it returns
// an instruction that is too long, which decode() refuses.
struct RoomyAsmInfo final : MCAsmInfoELF {
  unsigned getMaxInstLength(const MCSubtargetInfo *) const override { return LUTHIER_MC_WINDOW; }
};

// The register of an operand class for a register. Operands carry names of encodings (M0_gfx11plus), classes the plain
// ones (M0). Registers have the same numbers for all processors. Zero: null, and sources that stand for values, which
// not all classes list. The table is never freed: kernels run in exit handlers too, after the destructors of this
// library.
const std::vector<MCRegister> &plainRegisters(const MCRegisterInfo &Registers) {
  static const std::vector<MCRegister> &Plain = *new std::vector<MCRegister>([&] {
    std::vector<MCRegister> Plain(Registers.getNumRegs());
    // By the plain name: the registers that carry an encoding's. They are few, so no table holds the names of all.
    StringMap<std::vector<unsigned>> Encoded;
    for (unsigned Reg = 1; Reg != Registers.getNumRegs(); ++Reg) {
      StringRef Name = Registers.getName(Reg);
      if (Name.starts_with("SRC_") || Name.starts_with("SGPR_NULL"))
        continue;
      Plain[Reg] = Reg;
      size_t Length = Name.size();
      for (StringRef Suffix : {"_gfxpre11", "_gfx11plus", "_gfx9plus", "_vi", "_ci"})
        Name.consume_back(Suffix);
      if (Name.size() != Length)
        Encoded[Name].push_back(Reg);
    }
    for (unsigned Reg = 1; Reg != Registers.getNumRegs(); ++Reg)
      if (auto Found = Encoded.find(Registers.getName(Reg)); Found != Encoded.end())
        for (unsigned One : Found->second)
          Plain[One] = Reg;
    return Plain;
  }());
  return Plain;
}

} // namespace

struct luthier_mc {
  Borrowed P;
  std::unique_ptr<RoomyAsmInfo> AsmInfo;
  unsigned Longest = 0;
  std::unique_ptr<MCContext> Context;
  std::unique_ptr<MCDisassembler> Disassembler;
  std::unique_ptr<MCInstPrinter> Printer;
  std::unique_ptr<MCCodeEmitter> Emitter;
};

luthier_mc *luthier_mc_create(const char *Cpu, size_t CpuLength, const char *Features, size_t FeaturesLength, luthier_mc_sink Error,
                              void *User) {
  auto Fail = [&](StringRef Message) -> luthier_mc * {
    Error(User, Message.data(), Message.size());
    return nullptr;
  };
  auto Mc = std::make_unique<luthier_mc>();
  std::string Problem = Mc->P.find(StringRef(Cpu, CpuLength), StringRef(Features, FeaturesLength));
  if (!Problem.empty())
    return Fail(Problem);
  const Target &T = *Mc->P->T;
  Mc->AsmInfo = std::make_unique<RoomyAsmInfo>();
  Mc->Longest = Mc->P->AsmInfo->getMaxInstLength(Mc->P->Subtarget.get());
  Mc->Context = std::make_unique<MCContext>(Mc->P->TheTriple, Mc->AsmInfo.get(), Mc->P->Registers.get(), Mc->P->Subtarget.get(), nullptr,
                                            &Mc->P->Options);
  // A malformed operand makes LLVM report through the context; decoding then fails, and nothing goes to stderr.
  Mc->Context->setDiagnosticHandler([](const SMDiagnostic &, bool, const SourceMgr &, std::vector<const MDNode *> &) {});
  Mc->Disassembler.reset(T.createMCDisassembler(*Mc->P->Subtarget, *Mc->Context));
  Mc->Printer.reset(T.createMCInstPrinter(Mc->P->TheTriple, Mc->P->AsmInfo->getAssemblerDialect(), *Mc->P->AsmInfo, *Mc->P->Instructions,
                                          *Mc->P->Registers));
  Mc->Emitter.reset(T.createMCCodeEmitter(*Mc->P->Instructions, *Mc->Context));
  if (!Mc->Disassembler || !Mc->Printer || !Mc->Emitter)
    return Fail("this LLVM has no AMDGPU disassembler");
  return Mc.release();
}

void luthier_mc_destroy(luthier_mc *Mc) { delete Mc; }

uint64_t luthier_mc_made(void) { return piecesMade(); }

uint32_t luthier_mc_opcode_count(const luthier_mc *Mc) { return Mc->P->Instructions->getNumOpcodes(); }

uint32_t luthier_mc_register_count(const luthier_mc *Mc) { return Mc->P->Registers->getNumRegs(); }

int luthier_mc_opcode(const luthier_mc *Mc, uint32_t Opcode, luthier_mc_opcode_info *Out) {
  if (Opcode >= luthier_mc_opcode_count(Mc))
    return 0;
  const MCInstrDesc &D = Mc->P->Instructions->get(Opcode);
  StringRef Name = Mc->P->Instructions->getName(Opcode);
  *Out = {};
  Out->name = Name.data();
  Out->name_length = Name.size();
  Out->flags = opcodeFlags(D);
  Out->definitions = D.getNumDefs();
  Out->operands = D.getNumOperands();
  Out->implicit_definitions = D.implicit_defs().size();
  Out->implicit_uses = D.implicit_uses().size();
  Out->encoding_size = D.getSize();
  return 1;
}

int luthier_mc_register(const luthier_mc *Mc, uint32_t Reg, luthier_mc_register_info *Out) {
  if (Reg == 0 || Reg >= luthier_mc_register_count(Mc))
    return 0;
  const MCRegisterInfo &Registers = *Mc->P->Registers;
  StringRef Name = Registers.getName(Reg);
  *Out = {};
  Out->name = Name.data();
  Out->name_length = Name.size();
  Out->encoding = Registers.getEncodingValue(Reg) & 0x3ff;
  for (MCRegUnit Unit : Registers.regunits(Reg)) {
    (void)Unit;
    ++Out->units;
  }
  return 1;
}

uint32_t luthier_mc_implicit(const luthier_mc *Mc, uint32_t Opcode, int Definitions, uint32_t Index) {
  if (Opcode >= luthier_mc_opcode_count(Mc))
    return 0;
  const MCInstrDesc &D = Mc->P->Instructions->get(Opcode);
  ArrayRef<MCPhysReg> List = Definitions ? D.implicit_defs() : D.implicit_uses();
  return Index < List.size() ? List[Index] : 0;
}

int luthier_mc_operand_is_pc_relative(const luthier_mc *Mc, uint32_t Opcode, uint32_t Index) {
  if (Opcode >= luthier_mc_opcode_count(Mc))
    return 0;
  const MCInstrDesc &D = Mc->P->Instructions->get(Opcode);
  return Index < D.getNumOperands() && D.operands()[Index].OperandType == MCOI::OPERAND_PCREL;
}

// LLVM's private type of an operand that modifies the next source, as an instruction has it whose operands are known.
static uint8_t modifierType(const MCInstrInfo &Instructions) {
  static const uint8_t Type = [&]() -> uint8_t {
    for (unsigned Opcode = 0, End = Instructions.getNumOpcodes(); Opcode != End; ++Opcode)
      if (Instructions.getName(Opcode) == "V_ADD_F32_e64_vi")
        return Instructions.get(Opcode).operands()[1].OperandType;
    return MCOI::OPERAND_UNKNOWN;
  }();
  return Type;
}

int luthier_mc_operand_is_modifier(const luthier_mc *Mc, uint32_t Opcode, uint32_t Index) {
  if (Opcode >= luthier_mc_opcode_count(Mc))
    return 0;
  const MCInstrDesc &D = Mc->P->Instructions->get(Opcode);
  uint8_t Type = modifierType(*Mc->P->Instructions);
  return Type != MCOI::OPERAND_UNKNOWN && Index < D.getNumOperands() && D.operands()[Index].OperandType == Type;
}

int luthier_mc_operand_tied_to(const luthier_mc *Mc, uint32_t Opcode, uint32_t Index) {
  if (Opcode >= luthier_mc_opcode_count(Mc))
    return -1;
  const MCInstrDesc &D = Mc->P->Instructions->get(Opcode);
  return Index < D.getNumOperands() ? D.getOperandConstraint(Index, MCOI::TIED_TO) : -1;
}

// Returns true if every operand is one that its place can have. LLVM's decoder does not ask that of all fields: its printer writes
// "Invalid register" then, and its assembler takes no such text.
static bool isSound(const luthier_mc &Mc, const MCInst &Inst) {
  const MCInstrDesc &D = Mc.P->Instructions->get(Inst.getOpcode());
  // Their one data register is described as a pair on gfx90a.
  if (Mc.P->Instructions->getName(Inst.getOpcode()).starts_with("DS_GWS_"))
    return true;
  const std::vector<MCRegister> &Plain = plainRegisters(*Mc.P->Registers);
  unsigned Mode = Mc.P->Subtarget->getHwMode(MCSubtargetInfo::HwMode_RegInfo);
  unsigned Count = std::min<unsigned>(Inst.getNumOperands(), D.getNumOperands());
  for (unsigned Index = 0; Index != Count; ++Index) {
    const MCOperand &Operand = Inst.getOperand(Index);
    const MCOperandInfo &Info = D.operands()[Index];
    int16_t Class = Mc.P->Instructions->getOpRegClassID(Info, Mode);
    if (Class < 0)
      continue;
    if (Operand.isReg() && Operand.getReg()) {
      MCRegister Reg = Plain[Operand.getReg().id()];
      if (Reg && !Mc.P->Registers->getRegClass(Class).contains(Reg))
        return false;
    } else if (Operand.isImm() && Info.OperandType == MCOI::OPERAND_REGISTER) {
      return false;
    }
  }
  return true;
}

static bool decode(luthier_mc *Mc, const uint8_t *Bytes, size_t Length, uint64_t Pc, MCInst &Inst, uint64_t &Size) {
  // A soft failure is an instruction with reserved fields not at their default, e.g. v_cmpx with another destination
  // than EXEC, which clang 15 does emit.
  return Mc->Disassembler->getInstruction(Inst, Size, ArrayRef<uint8_t>(Bytes, Length), Pc, nulls()) != MCDisassembler::Fail && Size != 0 &&
         Size <= Length && Size <= Mc->Longest && isSound(*Mc, Inst);
}

int luthier_mc_decode(luthier_mc *Mc, const uint8_t *Bytes, size_t Length, uint64_t Pc, luthier_mc_inst *Out) {
  MCInst Inst;
  uint64_t Size = 0;
  if (!decode(Mc, Bytes, Length, Pc, Inst, Size) || Inst.getNumOperands() > LUTHIER_MC_MAX_OPERANDS)
    return 0;
  Out->opcode = Inst.getOpcode();
  Out->size = Size;
  Out->operand_count = Inst.getNumOperands();
  for (unsigned Index = 0; Index != Out->operand_count; ++Index) {
    const MCOperand &Operand = Inst.getOperand(Index);
    luthier_mc_operand &Result = Out->operands[Index];
    if (Operand.isReg()) {
      Result.kind = LUTHIER_MC_OPERAND_REGISTER;
      Result.value = Operand.getReg().id();
    } else if (Operand.isImm()) {
      Result.kind = LUTHIER_MC_OPERAND_IMMEDIATE;
      Result.value = Operand.getImm();
    } else {
      Result.value = 0;
      Result.kind =
          Operand.isExpr() && Operand.getExpr()->evaluateAsAbsolute(Result.value) ? LUTHIER_MC_OPERAND_LITERAL : LUTHIER_MC_OPERAND_OPAQUE;
    }
  }
  return 1;
}

int luthier_mc_print(luthier_mc *Mc, const uint8_t *Bytes, size_t Length, uint64_t Pc, luthier_mc_sink Text, void *User) {
  MCInst Inst;
  uint64_t Size = 0;
  if (!decode(Mc, Bytes, Length, Pc, Inst, Size))
    return 0;
  SmallString<128> Buffer;
  raw_svector_ostream Stream(Buffer);
  Mc->Printer->printInst(&Inst, Pc, "", *Mc->P->Subtarget, Stream);
  Text(User, Buffer.data(), Buffer.size());
  return 1;
}

int luthier_mc_reencode(luthier_mc *Mc, const uint8_t *Bytes, size_t Length, uint64_t Pc, luthier_mc_sink Encoding, void *User) {
  MCInst Inst;
  uint64_t Size = 0;
  if (!decode(Mc, Bytes, Length, Pc, Inst, Size))
    return 0;
  SmallVector<char, 32> Code;
  SmallVector<MCFixup, 4> Fixups;
  Mc->Emitter->encodeInstruction(Inst, Code, Fixups, *Mc->P->Subtarget);
  Encoding(User, Code.data(), Code.size());
  return 1;
}
