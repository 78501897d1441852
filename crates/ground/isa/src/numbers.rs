//! Numbers that operand fields of scalar sources and destinations have for what is no SGPR: the "Scalar operands" tables of the
//! ISA manuals.

use gfx::Family;

/// SGPRs that an instruction can name as such, on any family: numbers from 0.
pub const SGPR_COUNT: u16 = 106;
/// VCC, and its upper half behind it.
pub const VCC: u16 = 106;
/// The first register of the trap handler.
pub const TTMP: u16 = 108;
/// EXEC, and its upper half behind it.
pub const EXEC: u16 = 126;
/// Source: VCC is 0.
pub const VCCZ: u16 = 251;
/// Source: EXEC is 0.
pub const EXECZ: u16 = 252;
/// Source: SCC.
pub const SCC: u16 = 253;
/// Source: the dword of LDS at M0.
pub const LDS_DIRECT: u16 = 254;
/// Source: the dword behind the instruction.
pub const LITERAL: u16 = 255;
/// M0 before gfx11. Sets of registers have it under this number on every family.
pub const M0: u16 = 124;
/// Source: the integer 0, and behind it 1 up to 64.
pub const ZERO: u16 = 128;
/// Source: the integer 64, and behind it -1 down to -16.
pub const LARGEST: u16 = 192;
/// Source: the integer -16.
pub const SMALLEST: u16 = 208;
/// The register that reads as 0 and drops what is written, since gfx11.
pub const NULL: u16 = 124;

/// M0.
pub const fn m0(family: Family) -> u16 {
    match family {
        Family::Gfx9 | Family::Gfx10 | Family::Gfx10_3 => M0,
        Family::Gfx11 | Family::Gfx12 | Family::Gfx12_5 => 125,
    }
}

/// The register that reads as 0 and drops what is written, where there is one.
pub const fn null(family: Family) -> Option<u16> {
    match family {
        Family::Gfx9 => None,
        Family::Gfx10 | Family::Gfx10_3 => Some(125),
        Family::Gfx11 | Family::Gfx12 | Family::Gfx12_5 => Some(NULL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Assembler;

    /// LLVM's assembler writes these numbers.
    #[test]
    fn llvm_has_the_same_numbers() {
        for target in gfx::TARGETS {
            let assembler = Assembler::new(target).expect("LLVM knows it");
            let number = |text: &str| {
                let code = assembler.assemble(text).ok()?;
                Some((u16::from(code[0]), u16::from(code[2] & 0x7f)))
            };
            let source = |name: &str| number(&format!("s_mov_b32 s0, {name}")).map(|both| both.0);
            let written = |name: &str| number(&format!("s_mov_b32 {name}, 0")).map(|both| both.1);
            for (name, expected) in [
                ("vcc_lo", VCC),
                ("vcc_hi", VCC + 1),
                ("ttmp0", TTMP),
                ("m0", m0(target.family)),
                ("exec_lo", EXEC),
                ("exec_hi", EXEC + 1),
            ] {
                assert_eq!(source(name), Some(expected), "{}: {name}", target.name);
                assert_eq!(written(name), Some(expected), "{}: {name}", target.name);
            }
            assert_eq!(source("null"), null(target.family), "{}", target.name);
            let scc = source("src_scc").or_else(|| source("scc"));
            assert_eq!(scc, Some(SCC), "{}", target.name);
            assert_eq!(source("0x12345"), Some(LITERAL), "{}", target.name);
            for (text, number) in [("0", ZERO), ("64", LARGEST), ("-16", SMALLEST)] {
                assert_eq!(source(text), Some(number), "{}: {text}", target.name);
            }
            let last = format!("s{}", SGPR_COUNT - 1);
            let has_last = target.sgpr_addressable == SGPR_COUNT;
            assert_eq!(source(&last).is_some(), has_last, "{}", target.name);
        }
    }
}
