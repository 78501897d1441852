//! LLVM's register names to [`Reg`].
//!
//! LLVM has several registers for one: operands carry the name of an encoding (`M0_gfx11plus`), implicit lists the plain
//! one (`M0`). Going by canonical name makes them equal.

use crate::{Reg, RegKind};
use llvm_shim::RegisterDescription;

/// Suffixes that tell encodings of one register apart.
const ENCODING_SUFFIXES: &[&str] = &["_gfxpre11", "_gfx11plus", "_gfx9plus", "_vi", "_ci"];

/// Register files: LLVM's name before the number.
const FILES: &[(&str, RegKind)] = &[
    ("SGPR", RegKind::Sgpr),
    ("VGPR", RegKind::Vgpr),
    ("AGPR", RegKind::Agpr),
    ("TTMP", RegKind::Ttmp),
];

/// Registers without a number: name, kind, index, dwords. A pair's halves are `_LO` and `_HI`.
#[rustfmt::skip]
const SPECIALS: &[(&str, RegKind, u16, u8)] = &[
    ("VCC",           RegKind::Vcc,         0, 2),
    ("VCC_LO",        RegKind::Vcc,         0, 1),
    ("VCC_HI",        RegKind::Vcc,         1, 1),
    ("EXEC",          RegKind::Exec,        0, 2),
    ("EXEC_LO",       RegKind::Exec,        0, 1),
    ("EXEC_HI",       RegKind::Exec,        1, 1),
    ("SCC",           RegKind::Scc,         0, 1),
    ("SRC_SCC",       RegKind::Scc,         0, 1),
    ("M0",            RegKind::M0,          0, 1),
    ("MODE",          RegKind::Mode,        0, 1),
    ("FLAT_SCR",      RegKind::FlatScratch, 0, 2),
    ("FLAT_SCR_LO",   RegKind::FlatScratch, 0, 1),
    ("FLAT_SCR_HI",   RegKind::FlatScratch, 1, 1),
    ("XNACK_MASK",    RegKind::XnackMask,   0, 2),
    ("XNACK_MASK_LO", RegKind::XnackMask,   0, 1),
    ("XNACK_MASK_HI", RegKind::XnackMask,   1, 1),
    ("SGPR_NULL",     RegKind::Null,        0, 1),
    ("SGPR_NULL64",   RegKind::Null,        0, 2),
];

/// The register that LLVM describes so.
pub(crate) fn canonical(description: &RegisterDescription) -> Reg {
    let mut name = description.name;
    for suffix in ENCODING_SUFFIXES {
        name = name.strip_suffix(suffix).unwrap_or(name);
    }
    let (name, half) = if let Some(low) = name.strip_suffix("_LO16") {
        (low, Some(false))
    } else if let Some(high) = name.strip_suffix("_HI16") {
        (high, Some(true))
    } else {
        (name, None)
    };
    if let Some(&(_, kind, index, width)) = SPECIALS.iter().find(|row| row.0 == name) {
        return Reg {
            kind,
            index,
            width,
            half,
        };
    }
    for &(file, kind) in FILES {
        if let Some(index) = first_number(name, file) {
            // `SGPR4_SGPR5_SGPR6_SGPR7`: one segment per dword.
            let width = name.split('_').count() as u8;
            return Reg {
                kind,
                index,
                width,
                half,
            };
        }
    }
    let width = description.units.div_ceil(2).clamp(1, 255) as u8;
    if name.starts_with("SRC_") || matches!(name, "LDS_DIRECT" | "VCCZ" | "EXECZ") {
        return Reg {
            kind: RegKind::Source,
            index: description.encoding as u16,
            width,
            half,
        };
    }
    Reg {
        kind: RegKind::Other,
        index: description.encoding as u16,
        width,
        half,
    }
}

fn first_number(name: &str, file: &str) -> Option<u16> {
    name.strip_prefix(file)?.split('_').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &'static str, encoding: u32, units: u32) -> Reg {
        canonical(&RegisterDescription {
            name,
            encoding,
            units,
        })
    }

    #[test]
    fn names_map_to_kind_index_width_and_half() {
        let reg = |kind, index, width, half| Reg {
            kind,
            index,
            width,
            half,
        };
        assert_eq!(parse("SGPR4_SGPR5", 4, 4), reg(RegKind::Sgpr, 4, 2, None));
        assert_eq!(parse("VGPR255", 255, 2), reg(RegKind::Vgpr, 255, 1, None));
        assert_eq!(
            parse("VGPR7_HI16", 7, 1),
            reg(RegKind::Vgpr, 7, 1, Some(true))
        );
        assert_eq!(
            parse("TTMP4_TTMP5_TTMP6_TTMP7_gfx9plus", 112, 8),
            reg(RegKind::Ttmp, 4, 4, None)
        );
        assert_eq!(parse("M0_gfx11plus", 125, 2), reg(RegKind::M0, 0, 1, None));
        assert_eq!(parse("M0_gfxpre11", 124, 2), reg(RegKind::M0, 0, 1, None));
        assert_eq!(parse("VCC_HI", 107, 2), reg(RegKind::Vcc, 1, 1, None));
        assert_eq!(
            parse("SRC_SHARED_BASE", 235, 4),
            reg(RegKind::Source, 235, 2, None)
        );
        assert_eq!(
            parse("SGPR_NULL_gfx11plus", 124, 2),
            reg(RegKind::Null, 0, 1, None)
        );
    }
}
