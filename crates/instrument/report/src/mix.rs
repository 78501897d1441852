//! Kinds of instructions, as a reader of a profile sorts them.

/// The names of the kinds, in the order of their numbers.
pub(crate) const KINDS: [&str; 11] = [
    "vector arithmetic",
    "matrix",
    "scalar arithmetic",
    "scalar memory",
    "vector memory",
    "LDS",
    "scratch",
    "image",
    "branch",
    "wait",
    "other",
];

/// Beginnings of mnemonics with the number of their kind; the first that fits decides.
#[rustfmt::skip]
const BEGINNINGS: &[(&str, u8)] = &[
    ("v_mfma_", 1), ("v_smfmac_", 1), ("v_wmma_", 1), ("v_swmmac_", 1), ("v_dot", 0),
    ("v_", 0),
    ("s_load_", 3), ("s_buffer_", 3), ("s_store_", 3), ("s_scratch_", 3), ("s_atomic_", 3), ("s_dcache_", 3), ("s_memtime", 3), ("s_memrealtime", 3),
    ("s_branch", 8), ("s_cbranch_", 8), ("s_setpc_", 8), ("s_swappc_", 8), ("s_call_", 8), ("s_endpgm", 8), ("s_trap", 8), ("s_rfe", 8),
    ("s_waitcnt", 9), ("s_wait_", 9), ("s_nop", 9), ("s_sleep", 9), ("s_barrier", 9), ("s_delay_alu", 9), ("s_clause", 9), ("s_waitidle", 9),
    ("s_", 2),
    ("ds_", 5),
    ("scratch_", 6),
    ("image_", 7),
    ("global_", 4), ("flat_", 4), ("buffer_", 4), ("tbuffer_", 4),
];

/// The number of the kind of an instruction, from its text.
pub(crate) fn kind(text: &str) -> u8 {
    let known = BEGINNINGS.iter().find(|(start, _)| text.starts_with(start));
    known.map_or(KINDS.len() as u8 - 1, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_mnemonic() {
        for (text, expected) in [
            ("v_add_f32_e32 v0, v1, v2", "vector arithmetic"),
            ("v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[0:3]", "matrix"),
            ("s_load_dwordx2 s[0:1], s[4:5], 0x0", "scalar memory"),
            ("s_waitcnt vmcnt(0)", "wait"),
            ("s_cbranch_execz bb3", "branch"),
            ("s_and_saveexec_b64 s[0:1], vcc", "scalar arithmetic"),
            ("global_load_dword v1, v[2:3], off", "vector memory"),
            ("ds_write_b32 v0, v1", "LDS"),
            ("exp mrt0 v0, v0, v0, v0", "other"),
        ] {
            assert_eq!(KINDS[usize::from(kind(text))], expected, "{text}");
        }
    }
}
