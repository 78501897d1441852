//! MODE: how floating-point numbers are rounded and what becomes of small ones, for the application and for hooks.
//!
//! Hooks are compiled for rounding to nearest even and for denormals kept, IEEE mode and the clamping of DX10 on, which is
//! what LLVM takes for granted in a compute shader and what nearly all kernels run with. Where a kernel's descriptor says
//! otherwise, or its code writes MODE, hooks that depend on it get theirs, and the application's comes back behind them.

use crate::Refusal;
use crate::encode::Codes;
use crate::entry::assemble;
use codeobj::KernelDescriptor;
use gfx::Family;
use lift::{Function, Traits};

/// Fields of the descriptor that become MODE, with the values that hooks are compiled for.
const EXPECTED: &[(&str, u64)] = &[
    ("float_round_mode_32", 0),
    ("float_round_mode_16_64", 0),
    ("float_denorm_mode_32", 3),
    ("float_denorm_mode_16_64", 3),
    ("enable_dx10_clamp", 1),
    ("enable_ieee_mode", 1),
];

/// Whether MODE may anywhere in these functions be another than hooks are compiled for.
pub(crate) fn is_foreign<'f>(
    descriptor: &KernelDescriptor,
    mut functions: impl Iterator<Item = &'f Function>,
) -> bool {
    let differs = EXPECTED
        .iter()
        .any(|(field, value)| descriptor.get(field).is_some_and(|found| found != *value));
    differs || functions.any(|function| function.has(Traits::WRITES_MODE))
}

/// The bits of MODE in question, as operand of `s_getreg` and `s_setreg`, and what hooks want there.
fn bits(codes: &Codes) -> (&'static str, u32) {
    // Since gfx12 the bits of IEEE mode and of clamping mean something else.
    if codes.target.family < Family::Gfx12 {
        ("hwreg(HW_REG_MODE, 0, 10)", 0x3f0)
    } else {
        ("hwreg(HW_REG_MODE, 0, 8)", 0xf0)
    }
}

/// Puts the application's MODE aside in an SGPR and sets that of hooks.
pub(crate) fn enter(codes: &Codes, register: u16) -> Result<Vec<u8>, Refusal> {
    let (field, value) = bits(codes);
    let save = assemble(codes, &format!("s_getreg_b32 s{register}, {field}"))?;
    let set = assemble(codes, &format!("s_setreg_imm32_b32 {field}, {value:#x}"))?;
    // gfx9: two wait states between instructions that write the same hardware register.
    Ok([save, set, codes.no_operation(2).to_vec()].concat())
}

/// The application's MODE again.
pub(crate) fn leave(codes: &Codes, register: u16) -> Result<Vec<u8>, Refusal> {
    let (field, _) = bits(codes);
    assemble(codes, &format!("s_setreg_b32 {field}, s{register}"))
}
