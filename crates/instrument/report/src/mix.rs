//! Kinds of instructions, as a reader of a profile sorts them.

use inspect::What;
use isa::{Effects, Format, Traits};

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

const OTHER: u8 = 10;
const ANY: Effects = Effects::all();
const WAITS: Effects = Effects::WAIT.union(Effects::BARRIER);
const LEAVES: Effects = Effects::BRANCH
    .union(Effects::CALL)
    .union(Effects::RETURN)
    .union(Effects::END)
    .union(Effects::TRAP);

/// Encoding, if it matters, what instructions do, and the number of their kind; the first row that fits decides.
#[rustfmt::skip]
const ROWS: &[(Option<Format>, Effects, u8)] = &[
    (None,               Effects::MATRIX,  1),
    (None,               Effects::VALU,    0),
    (None,               Effects::SMEM,    3),
    (Some(Format::Mimg), Effects::VMEM,    7),
    (None,               Effects::SCRATCH, 6),
    (None,               Effects::VMEM,    4),
    // Some exchange lanes or wait for the device, and access nothing.
    (Some(Format::Ds),   ANY,              5),
    (None,               Effects::LDS,     5),
    (None,               WAITS,            9),
    (None,               LEAVES,           8),
    (None,               Effects::SALU,    2),
];

/// The number of the kind of an instruction.
pub(crate) fn kind(what: Option<What>) -> u8 {
    let Some(what) = what else { return OTHER };
    if what.op.has(Traits::PAUSES) {
        return 9;
    }
    let row = ROWS.iter().find(|(format, effects, _)| {
        format.is_none_or(|format| format == what.format) && what.effects.intersects(*effects)
    });
    row.map_or(OTHER, |row| row.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_what_instructions_do() {
        let target = gfx::Target::find("gfx908").unwrap();
        let assembler = isa::Assembler::new(target).unwrap();
        let decoder = isa::Decoder::new(target).unwrap();
        for (text, expected) in [
            ("v_add_f32_e32 v0, v1, v2", "vector arithmetic"),
            ("v_dot2_f32_f16 v0, v1, v2, v3", "vector arithmetic"),
            ("v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[0:3]", "matrix"),
            ("s_load_dwordx2 s[0:1], s[4:5], 0x0", "scalar memory"),
            ("s_dcache_wb", "scalar memory"),
            ("s_waitcnt vmcnt(0)", "wait"),
            ("s_nop 0", "wait"),
            ("s_barrier", "wait"),
            ("s_cbranch_execz 1", "branch"),
            ("s_swappc_b64 s[30:31], s[0:1]", "branch"),
            ("s_endpgm", "branch"),
            ("s_and_saveexec_b64 s[0:1], vcc", "scalar arithmetic"),
            ("global_load_dword v1, v[2:3], off", "vector memory"),
            ("buffer_wbinvl1_vol", "vector memory"),
            ("scratch_load_dword v1, v2, off", "scratch"),
            ("image_load v[0:3], v[4:5], s[0:7] dmask:0xf unorm", "image"),
            ("ds_write_b32 v0, v1", "LDS"),
            ("ds_bpermute_b32 v0, v1, v2", "LDS"),
            ("exp mrt0 v0, v0, v0, v0", "other"),
        ] {
            let code = assembler.assemble(text);
            let code = code.unwrap_or_else(|error| panic!("{text}: {error}"));
            let inst = decoder.decode_alone(&code, 0).unwrap();
            let what = What {
                op: inst.op,
                format: inst.format,
                effects: inst.effects,
            };
            assert_eq!(KINDS[usize::from(kind(Some(what)))], expected, "{text}");
        }
        assert_eq!(KINDS[usize::from(kind(None))], "other");
    }
}
