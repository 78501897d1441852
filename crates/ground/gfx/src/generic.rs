//! Generic targets: one code object for several chips of a family (code object v6).

use crate::Feature::*;
use crate::Target;
use crate::targets::{GFX9, GFX10, GFX10_3, GFX11_SMALL, GFX12, GFX940};

/// A target that stands for several chips. Its row holds what all of them can do, such as the smallest register file, and what its
/// code has to wait for on any of them: `matrix` is that of the first.
#[derive(Debug)]
pub struct GenericTarget {
    pub target: Target,
    /// Names of the chips that run its code.
    pub covers: &'static [&'static str],
}

/// Source: "Generic processor" table of LLVM's AMDGPU usage guide.
#[rustfmt::skip]
pub static GENERIC_TARGETS: &[GenericTarget] = &[
    GenericTarget {
        target: Target { name: "gfx9-generic", mach: 0x51, version: (9, 0, 0), ..GFX9 },
        covers: &["gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"],
    },
    GenericTarget {
        target: Target { name: "gfx9-4-generic", mach: 0x5f, version: (9, 4, 0), ..GFX940 },
        covers: &["gfx942", "gfx950"],
    },
    GenericTarget {
        target: Target { name: "gfx10-1-generic", mach: 0x52, version: (10, 1, 0), ..GFX10 },
        covers: &["gfx1010", "gfx1011", "gfx1012", "gfx1013"],
    },
    GenericTarget {
        target: Target { name: "gfx10-3-generic", mach: 0x53, version: (10, 3, 0), xnack: Absent, ..GFX10_3 },
        covers: &["gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"],
    },
    GenericTarget {
        target: Target { name: "gfx11-generic", mach: 0x54, version: (11, 0, 3), ..GFX11_SMALL },
        covers: &["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"],
    },
    GenericTarget {
        target: Target { name: "gfx12-generic", mach: 0x59, version: (12, 0, 0), ..GFX12 },
        covers: &["gfx1200", "gfx1201"],
    },
];
