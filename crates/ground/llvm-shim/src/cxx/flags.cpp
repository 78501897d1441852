#include "flags.h"
#include "mc.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/MC/MCInstrInfo.h"

#include <optional>

using namespace llvm;

namespace {

#define DECLARE_FLAG(Name, Bit) constexpr uint64_t Name = uint64_t(1) << Bit;
LUTHIER_MC_FLAGS(DECLARE_FLAG)
#undef DECLARE_FLAG

// Bit positions in LLVM 22's TSFlags. The header that names them is not installed, so checkFlagLayout() compares them
// with opcodes whose properties are known from the ISA manuals.
struct Row {
  unsigned TargetBit;
  uint64_t Flag;
};

constexpr Row Rows[] = {
    {0, SALU},          {1, VALU},          {2, SOP1},         {3, SOP2},         {4, SOPC},           {5, SOPK},
    {6, SOPP},          {7, VOP1},          {8, VOP2},         {9, VOPC},         {10, VOP3},          {12, VOP3P},
    {14, SDWA},         {15, DPP},          {16, TRANS},       {17, MUBUF},       {18, MTBUF},         {19, SMRD},
    {20, MIMG},         {21, VIMAGE},       {22, VSAMPLE},     {23, EXP},         {24, FLAT},          {25, DS},
    {32, COUNTS_VM},    {33, COUNTS_EXP},   {34, COUNTS_LGKM}, {51, FLAT_GLOBAL}, {54, MAI},           {55, DOT},
    {56, FLAT_SCRATCH}, {57, ATOMIC_NORET}, {58, ATOMIC_RET},  {59, WMMA},        {60, TIED_NOT_READ}, {62, GWS},
};

uint64_t translate(uint64_t TargetFlags) {
  uint64_t Flags = 0;
  for (const Row &R : Rows)
    if (TargetFlags >> R.TargetBit & 1)
      Flags |= R.Flag;
  return Flags;
}

// Opcode, the translated flags it must have among `Mask`.
struct Expectation {
  StringLiteral Opcode;
  uint64_t Mask;
  uint64_t Flags;
};

constexpr uint64_t Units = SALU | VALU | SMRD | MUBUF | MTBUF | FLAT | DS | EXP | MIMG;
constexpr uint64_t Encodings = SOP1 | SOP2 | SOPC | SOPK | SOPP | VOP1 | VOP2 | VOPC | VOP3 | VOP3P;
constexpr uint64_t Memory = COUNTS_VM | COUNTS_LGKM | FLAT_GLOBAL | FLAT_SCRATCH | ATOMIC_NORET | ATOMIC_RET;

constexpr Expectation Expectations[] = {
    {"S_MOV_B32_vi", Units | Encodings | Memory, SALU | SOP1},
    {"S_ADD_U32_vi", Units | Encodings | Memory, SALU | SOP2},
    {"S_CMP_EQ_U32_vi", Units | Encodings | Memory, SALU | SOPC},
    {"S_MOVK_I32_vi", Units | Encodings | Memory, SALU | SOPK},
    {"S_NOP_vi", Units | Encodings | Memory, SALU | SOPP},
    {"V_MOV_B32_e32_vi", Units | Encodings | SDWA | DPP | TRANS, VALU | VOP1},
    {"V_RCP_F32_e32_vi", Units | TRANS, VALU | TRANS},
    {"V_ADD_F32_e32_vi", Units | Encodings | SDWA | DPP, VALU | VOP2},
    {"V_ADD_F32_sdwa_gfx9", VALU | SDWA | DPP, VALU | SDWA},
    {"V_ADD_F32_dpp_vi", VALU | SDWA | DPP, VALU | DPP},
    {"V_CMP_EQ_U32_e32_vi", Units | Encodings, VALU | VOPC},
    {"V_MAD_F32_vi", Units | VOP3 | VOP3P, VALU | VOP3},
    {"V_PK_ADD_F16_vi", Units | VOP3P, VALU | VOP3P},
    {"V_MFMA_F32_32X32X1F32_gfx90a_acd", VALU | MAI | WMMA, VALU | MAI},
    {"V_DOT2_F32_F16_vi", VALU | DOT, VALU | DOT},
    {"S_LOAD_DWORD_IMM_vi", Units | COUNTS_VM | COUNTS_LGKM, SMRD | COUNTS_LGKM},
    {"BUFFER_LOAD_DWORD_OFFSET_vi", Units | COUNTS_VM | COUNTS_LGKM, MUBUF | COUNTS_VM},
    {"GLOBAL_LOAD_DWORD_vi", Units | FLAT_GLOBAL | FLAT_SCRATCH | COUNTS_VM, FLAT | FLAT_GLOBAL | COUNTS_VM},
    {"SCRATCH_LOAD_DWORD_vi", FLAT | FLAT_GLOBAL | FLAT_SCRATCH, FLAT | FLAT_SCRATCH},
    {"FLAT_LOAD_DWORD_vi", FLAT | FLAT_GLOBAL | FLAT_SCRATCH | COUNTS_VM | COUNTS_LGKM, FLAT | COUNTS_VM | COUNTS_LGKM},
    {"FLAT_ATOMIC_ADD_vi", FLAT | ATOMIC_NORET | ATOMIC_RET, FLAT | ATOMIC_NORET},
    {"FLAT_ATOMIC_ADD_RTN_vi", FLAT | ATOMIC_NORET | ATOMIC_RET, FLAT | ATOMIC_RET},
    {"DS_READ_B32_vi", Units | COUNTS_VM | COUNTS_LGKM, DS | COUNTS_LGKM},
};

} // namespace

namespace luthier {

uint64_t opcodeFlags(const MCInstrDesc &D) {
  uint64_t Flags = translate(D.TSFlags);
  Flags |= D.mayLoad() ? MAY_LOAD : 0;
  Flags |= D.mayStore() ? MAY_STORE : 0;
  Flags |= D.isBranch() ? BRANCH : 0;
  Flags |= D.isIndirectBranch() ? INDIRECT_BRANCH : 0;
  Flags |= D.isCall() ? CALL : 0;
  Flags |= D.isReturn() ? RETURN : 0;
  Flags |= D.isBarrier() ? BARRIER : 0;
  Flags |= D.isTerminator() ? TERMINATOR : 0;
  Flags |= D.isConvergent() ? CONVERGENT : 0;
  return Flags;
}

// The opcode of that name. LLVM numbers real instructions behind pseudo ones, both by their names. Every process looks for some: it does
// not read 38,000 names for that unless they are in another order.
static std::optional<unsigned> opcodeOf(const MCInstrInfo &Instructions, StringRef Name) {
  auto All = seq(0u, Instructions.getNumOpcodes());
  auto Real = partition_point(All, [&](unsigned Opcode) { return Instructions.get(Opcode).isPseudo(); });
  auto Ordered = make_range(Real, All.end());
  auto Found = partition_point(Ordered, [&](unsigned Opcode) { return Instructions.getName(Opcode) < Name; });
  auto Is = [&](unsigned Opcode) { return Instructions.getName(Opcode) == Name; };
  if (Found == All.end() || !Is(*Found))
    Found = find_if(All, Is);
  return Found == All.end() ? std::nullopt : std::optional(*Found);
}

std::string checkFlagLayout(const MCInstrInfo &Instructions) {
  for (const Expectation &E : Expectations) {
    std::optional<unsigned> Opcode = opcodeOf(Instructions, E.Opcode);
    if (!Opcode)
      return "this LLVM lacks AMDGPU opcodes that LLVM 22 has (" + E.Opcode.str() + "); build against LLVM 22";
    if ((translate(Instructions.get(*Opcode).TSFlags) & E.Mask) != E.Flags)
      return "this LLVM lays out its AMDGPU instruction flags differently (" + E.Opcode.str() + "); build against LLVM 22";
  }
  return {};
}

} // namespace luthier
