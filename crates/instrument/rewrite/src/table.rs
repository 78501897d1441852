//! One row per instruction of our own: which targets have it, how it is laid out, how LLVM writes it.

use crate::instruction::Op;
use gfx::{Family, Target};
use lift::Counter;

/// True for the targets that have an instruction.
type Availability = fn(&Target, u8) -> bool;

/// The places of an instruction's operands (ISA manuals, "Microcode formats"). The encodings of scalar and vector arithmetic are the same
/// on all families; what differs, opcode numbers and the prefix of VOP3, comes from LLVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// As the row's text has it, but for the displacement of branches.
    Fixed,
    /// The same, with a literal in the text.
    FixedWithLiteral,
    /// How long, in the low bits.
    Nop,
    Sopk,
    /// The same. The register in the place of the destination is read.
    SopkSource,
    Sop1,
    Sop2,
    Sopc,
    /// `s_set_gpr_idx_on`: a register and enables.
    IndexOn,
    Smem,
    Vop1,
    Vop2,
    Vop3,
    /// VOP3 with carries to a scalar register, of which some come from there, too.
    Vop3CarryOut,
    Vop3CarryIn,
    ScratchLoad,
    ScratchStore,
    Atomic,
}

impl Shape {
    /// Bytes, without a literal that an operand brings.
    pub fn size(self, family: Family) -> usize {
        match self {
            Shape::Fixed | Shape::Nop | Shape::Sopk | Shape::SopkSource => 4,
            Shape::Sop1 | Shape::Sop2 | Shape::Sopc | Shape::IndexOn => 4,
            Shape::Vop1 | Shape::Vop2 => 4,
            Shape::FixedWithLiteral | Shape::Smem => 8,
            Shape::Vop3 | Shape::Vop3CarryOut | Shape::Vop3CarryIn => 8,
            Shape::ScratchLoad | Shape::ScratchStore | Shape::Atomic => {
                if family >= Family::Gfx12 {
                    12
                } else {
                    8
                }
            }
        }
    }
}

/// Where a field is in instructions that access memory by lanes: the lowest bit, counted from the instruction's first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryFields {
    pub loaded: u32,
    pub stored: u32,
    pub base: u32,
    pub address: u32,
    pub offset: u32,
}

const BEFORE_GFX12: MemoryFields = MemoryFields {
    loaded: 56,
    stored: 40,
    base: 48,
    address: 32,
    offset: 0,
};
const GFX12: MemoryFields = MemoryFields {
    loaded: 32,
    stored: 55,
    base: 0,
    address: 64,
    offset: 72,
};

impl MemoryFields {
    pub fn for_family(family: Family) -> &'static MemoryFields {
        if family >= Family::Gfx12 {
            &GFX12
        } else {
            &BEFORE_GFX12
        }
    }
}

fn any(_: &Target, _: u8) -> bool {
    true
}
fn gfx9(target: &Target, _: u8) -> bool {
    target.family == Family::Gfx9
}
fn gfx940_up(target: &Target, _: u8) -> bool {
    gfx9(target, 64) && target.architected_flat_scratch
}
fn accumulators(target: &Target, _: u8) -> bool {
    target.matrix != gfx::Matrix::None && gfx9(target, 64)
}
fn gfx10_up(target: &Target, _: u8) -> bool {
    target.family >= Family::Gfx10
}
fn wave32(target: &Target, wave_size: u8) -> bool {
    target.family >= Family::Gfx10 && wave_size == 32
}
fn wave64(target: &Target, wave_size: u8) -> bool {
    target.family >= Family::Gfx10 && wave_size == 64
}
fn gfx10(target: &Target, _: u8) -> bool {
    gfx10_up(target, 32) && target.family < Family::Gfx11
}
/// Before it was repaired in gfx10.3.
fn gfx10_1(target: &Target, _: u8) -> bool {
    target.family == Family::Gfx10
}
fn gfx11(target: &Target, _: u8) -> bool {
    target.family == Family::Gfx11
}
fn gfx11_up(target: &Target, _: u8) -> bool {
    target.family >= Family::Gfx11
}
fn before_gfx11(target: &Target, _: u8) -> bool {
    target.family < Family::Gfx11
}
fn gfx10_to_11(target: &Target, _: u8) -> bool {
    target.family >= Family::Gfx10 && target.family < Family::Gfx12
}
fn before_gfx12(target: &Target, _: u8) -> bool {
    target.family < Family::Gfx12
}
fn gfx12_up(target: &Target, _: u8) -> bool {
    target.family >= Family::Gfx12
}

/// Instruction, where it exists, its layout, its text with all fields zero.
#[rustfmt::skip]
pub(crate) const ROWS: &[(Op, Availability, Shape, &str)] = &[
    (Op::SMovB32,            any,          Shape::Sop1,             "s_mov_b32 s0, s0"),
    (Op::SMovB64,            any,          Shape::Sop1,             "s_mov_b64 s[0:1], s[0:1]"),
    (Op::SCselectB32,        any,          Shape::Sop2,             "s_cselect_b32 s0, s0, s0"),
    (Op::SCmpLgU32,          any,          Shape::Sopc,             "s_cmp_lg_u32 s0, s0"),
    (Op::SCmpEqU32,          any,          Shape::Sopc,             "s_cmp_eq_u32 s0, s0"),
    (Op::SCmpLtU32,          any,          Shape::Sopc,             "s_cmp_lt_u32 s0, s0"),
    (Op::SAddU32,            any,          Shape::Sop2,             "s_add_u32 s0, s0, s0"),
    (Op::SAddcU32,           any,          Shape::Sop2,             "s_addc_u32 s0, s0, s0"),
    (Op::SSubU32,            any,          Shape::Sop2,             "s_sub_u32 s0, s0, s0"),
    (Op::SSubbU32,           any,          Shape::Sop2,             "s_subb_u32 s0, s0, s0"),
    (Op::SAndB32,            any,          Shape::Sop2,             "s_and_b32 s0, s0, s0"),
    (Op::SLshlB32,           any,          Shape::Sop2,             "s_lshl_b32 s0, s0, s0"),
    (Op::SLshrB32,           any,          Shape::Sop2,             "s_lshr_b32 s0, s0, s0"),
    (Op::SAddNcU64,          gfx12_up,     Shape::Sop2,             "s_add_nc_u64 s[0:1], s[0:1], s[0:1]"),
    (Op::SNotB32,            any,          Shape::Sop1,             "s_not_b32 s0, s0"),
    (Op::SNotB64,            any,          Shape::Sop1,             "s_not_b64 s[0:1], s[0:1]"),
    (Op::SNop,               any,          Shape::Nop,              "s_nop 0"),
    (Op::LaneGap,            gfx940_up,    Shape::Fixed,            "s_nop 0"),
    (Op::ScalarGap,          gfx9,         Shape::Fixed,            "s_nop 4"),
    (Op::MemoryGap,          gfx10,        Shape::Fixed,            "v_nop"),
    (Op::STrap,              any,          Shape::Fixed,            "s_trap 0x2"),
    (Op::SBranch,            any,          Shape::Fixed,           "s_branch 0"),
    (Op::SCbranchScc1,       any,          Shape::Fixed,           "s_cbranch_scc1 0"),
    (Op::SCbranchScc0,       any,          Shape::Fixed,           "s_cbranch_scc0 0"),
    (Op::SSetpcB64,          any,          Shape::Sop1,             "s_setpc_b64 s[0:1]"),
    (Op::SLoadDword,         any,          Shape::Smem,             "s_load_dword s0, s[0:1], 0x0"),
    (Op::SLoadDwordx2,       any,          Shape::Smem,             "s_load_dwordx2 s[0:1], s[0:1], 0x0"),
    (Op::SGetWholeMode,      any,          Shape::Sopk,             "s_getreg_b32 s0, hwreg(HW_REG_MODE)"),
    // Since gfx12 the bits of IEEE mode and of clamping mean something else.
    (Op::SGetMode,           before_gfx12, Shape::Sopk,             "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 10)"),
    (Op::SGetMode,           gfx12_up,     Shape::Sopk,             "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 8)"),
    (Op::SSetModeOfHooks,    before_gfx12, Shape::FixedWithLiteral, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), 0x3f0"),
    (Op::SSetModeOfHooks,    gfx12_up,     Shape::FixedWithLiteral, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf0"),
    (Op::SSetMode,           before_gfx12, Shape::SopkSource,       "s_setreg_b32 hwreg(HW_REG_MODE, 0, 10), s0"),
    (Op::SSetMode,           gfx12_up,     Shape::SopkSource,       "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s0"),
    (Op::SGetScratchLow,     gfx10_to_11,  Shape::Sopk,             "s_getreg_b32 s0, hwreg(HW_REG_FLAT_SCR_LO)"),
    (Op::SGetScratchHigh,    gfx10_to_11,  Shape::Sopk,             "s_getreg_b32 s0, hwreg(HW_REG_FLAT_SCR_HI)"),
    (Op::SGetScratchLow,     gfx12_up,     Shape::Sopk,             "s_getreg_b32 s0, hwreg(HW_REG_SCRATCH_BASE_LO)"),
    (Op::SGetScratchHigh,    gfx12_up,     Shape::Sopk,             "s_getreg_b32 s0, hwreg(HW_REG_SCRATCH_BASE_HI)"),
    (Op::SSetScratchLow,     gfx10,        Shape::SopkSource,       "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s0"),
    (Op::SSetScratchHigh,    gfx10,        Shape::SopkSource,       "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s0"),
    (Op::VMovB32,            any,          Shape::Vop1,             "v_mov_b32 v0, s0"),
    (Op::VReadfirstlaneB32,  any,          Shape::Vop1,             "v_readfirstlane_b32 s0, v0"),
    (Op::VReadlaneB32,       any,          Shape::Vop3,             "v_readlane_b32 s0, v0, s0"),
    (Op::VWritelaneB32,      any,          Shape::Vop3,             "v_writelane_b32 v0, s0, s0"),
    (Op::VAddU32,            gfx9,         Shape::Vop2,             "v_add_u32_e32 v0, s0, v0"),
    (Op::VAddU32,            gfx10_up,     Shape::Vop2,             "v_add_nc_u32_e32 v0, s0, v0"),
    (Op::VAndB32,            any,          Shape::Vop2,             "v_and_b32_e32 v0, s0, v0"),
    (Op::VLshlrevB32,        any,          Shape::Vop2,             "v_lshlrev_b32_e32 v0, s0, v0"),
    (Op::VBfeU32,            any,          Shape::Vop3,             "v_bfe_u32 v0, v0, v0, v0"),
    (Op::VMbcntLo,           any,          Shape::Vop3,             "v_mbcnt_lo_u32_b32_e64 v0, v0, v0"),
    (Op::VMbcntHi,           any,          Shape::Vop3,             "v_mbcnt_hi_u32_b32_e64 v0, v0, v0"),
    (Op::VAddCo,             gfx9,         Shape::Vop3CarryOut,     "v_add_co_u32_e64 v0, s[0:1], v0, v0"),
    (Op::VAddCi,             gfx9,         Shape::Vop3CarryIn,      "v_addc_co_u32_e64 v0, s[0:1], v0, v0, s[0:1]"),
    (Op::VAddCo,             wave32,       Shape::Vop3CarryOut,     "v_add_co_u32 v0, s0, v0, v0"),
    (Op::VAddCi,             wave32,       Shape::Vop3CarryIn,      "v_add_co_ci_u32_e64 v0, s0, v0, v0, s0"),
    (Op::VAddCo,             wave64,       Shape::Vop3CarryOut,     "v_add_co_u32 v0, s[0:1], v0, v0"),
    (Op::VAddCi,             wave64,       Shape::Vop3CarryIn,      "v_add_co_ci_u32_e64 v0, s[0:1], v0, v0, s[0:1]"),
    (Op::VAccRead,           accumulators, Shape::Vop3,             "v_accvgpr_read_b32 v0, a0"),
    (Op::VAccWrite,          accumulators, Shape::Vop3,             "v_accvgpr_write_b32 a0, v0"),
    (Op::ScratchStore,       before_gfx11, Shape::ScratchStore,     "scratch_store_dword off, v0, s0"),
    (Op::ScratchLoad,        before_gfx11, Shape::ScratchLoad,      "scratch_load_dword v0, off, s0"),
    (Op::ScratchStore,       gfx11_up,     Shape::ScratchStore,     "scratch_store_b32 off, v0, s0"),
    (Op::ScratchLoad,        gfx11_up,     Shape::ScratchLoad,      "scratch_load_b32 v0, off, s0"),
    (Op::GlobalAtomicAddU64, before_gfx12, Shape::Atomic,           "global_atomic_add_x2 v0, v[0:1], s[0:1]"),
    (Op::GlobalAtomicAddU64, gfx12_up,     Shape::Atomic,           "global_atomic_add_u64 v0, v[0:1], s[0:1]"),
    (Op::GlobalStoreDword,   before_gfx11, Shape::Atomic,           "global_store_dword v0, v0, s[0:1]"),
    (Op::GlobalStoreDword,   gfx11_up,     Shape::Atomic,           "global_store_b32 v0, v0, s[0:1]"),
    (Op::WaitLoad,           before_gfx12, Shape::Fixed,            "s_waitcnt vmcnt(0)"),
    (Op::WaitData,           before_gfx12, Shape::Fixed,            "s_waitcnt lgkmcnt(0)"),
    (Op::WaitExport,         before_gfx12, Shape::Fixed,            "s_waitcnt expcnt(0)"),
    (Op::WaitStore,          gfx10_to_11,  Shape::Fixed,            "s_waitcnt_vscnt null, 0x0"),
    (Op::WaitLoad,           gfx12_up,     Shape::Fixed,            "s_wait_loadcnt 0x0"),
    (Op::WaitSample,         gfx12_up,     Shape::Fixed,            "s_wait_samplecnt 0x0"),
    (Op::WaitBvh,            gfx12_up,     Shape::Fixed,            "s_wait_bvhcnt 0x0"),
    (Op::WaitStore,          gfx12_up,     Shape::Fixed,            "s_wait_storecnt 0x0"),
    (Op::WaitData,           gfx12_up,     Shape::Fixed,            "s_wait_dscnt 0x0"),
    (Op::WaitScalar,         gfx12_up,     Shape::Fixed,            "s_wait_kmcnt 0x0"),
    (Op::WaitExport,         gfx12_up,     Shape::Fixed,            "s_wait_expcnt 0x0"),
    (Op::WaitAlu,            gfx12_up,     Shape::Fixed,            "s_wait_alu 0x0"),
    (Op::WaitVector,         gfx11,        Shape::Fixed,            "s_waitcnt_depctr 0xfff"),
    (Op::SettleRegisters,    gfx10_1,      Shape::Fixed,            "s_waitcnt_depctr 0xffe2"),
    (Op::SettleLoads,        gfx10_1,      Shape::Fixed,            "s_mov_b32 null, 0"),
    (Op::SettleStores,       gfx10_1,      Shape::Fixed,            "s_waitcnt_vscnt null, 0x0"),
    (Op::IndexOff,           gfx9,         Shape::Fixed,            "s_set_gpr_idx_off"),
    (Op::IndexOn,            gfx9,         Shape::IndexOn,          "s_set_gpr_idx_on s0, 0x0"),
    (Op::EndPadding,         gfx10_up,     Shape::Fixed,            "s_code_end"),
    (Op::EndPadding,         gfx9,         Shape::Fixed,            "s_nop 0"),
];

/// The instruction that waits until nothing is outstanding on a counter.
#[rustfmt::skip]
pub(crate) const WAITS: &[(Counter, Op)] = &[
    (Counter::Load,   Op::WaitLoad),
    (Counter::Sample, Op::WaitSample),
    (Counter::Bvh,    Op::WaitBvh),
    (Counter::Store,  Op::WaitStore),
    (Counter::Data,   Op::WaitData),
    (Counter::Scalar, Op::WaitScalar),
    (Counter::Export, Op::WaitExport),
];
