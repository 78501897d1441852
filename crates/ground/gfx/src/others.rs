//! Chips that have numbers in code objects and no row: older ones, and those that LLVM has dropped or reserved.

/// `EF_AMDGPU_MACH` values and names. Source: LLVM's AMDGPU usage guide, and its versions up to 19 for gfx940 and gfx941.
#[rustfmt::skip]
const OTHERS: &[(u8, &str)] = &[
    (0x20, "gfx600"), (0x21, "gfx601"), (0x3a, "gfx602"),
    (0x22, "gfx700"), (0x23, "gfx701"), (0x24, "gfx702"), (0x25, "gfx703"), (0x26, "gfx704"), (0x3b, "gfx705"),
    (0x28, "gfx801"), (0x29, "gfx802"), (0x2a, "gfx803"), (0x3c, "gfx805"), (0x2b, "gfx810"),
    (0x40, "gfx940"), (0x4b, "gfx941"), (0x5a, "gfx1251"),
];

/// The name of a chip that is known by nothing else, by its `EF_AMDGPU_MACH` value.
pub fn name_of_other(mach: u8) -> Option<&'static str> {
    let found = OTHERS.iter().find(|(known, _)| *known == mach);
    found.map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_have_no_rows() {
        for (mach, name) in OTHERS {
            let row = crate::Target::from_mach(*mach).or(crate::Target::find(name));
            assert!(
                row.is_none(),
                "{name} has a row in TARGETS: delete it from OTHERS in others.rs"
            );
        }
    }
}
