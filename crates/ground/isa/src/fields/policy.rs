//! The bits of a memory or cache instruction that say how near a copy of memory it may use.

use gfx::{Family, Target};

use super::bits;
use crate::{Decoded, Format};

/// The place of a bit: which word, and which bit of it.
type Bit = (usize, u32);

/// Never set.
const NONE: Bit = (3, 0);

/// The places of the first and the second bit on some targets.
struct Row {
    families: &'static [Family],
    /// The bits are named sc0 and sc1.
    are_scope: bool,
    flat: [Bit; 2],
    buffer: [Bit; 2],
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { families: &[Family::Gfx9],                   are_scope: false, flat: [(0, 16), NONE],    buffer: [(0, 14), NONE] },
    Row { families: &[Family::Gfx9],                   are_scope: true,  flat: [(0, 16), (0, 25)], buffer: [(0, 14), (0, 15)] },
    Row { families: &[Family::Gfx10, Family::Gfx10_3], are_scope: false, flat: [(0, 16), (0, 12)], buffer: [(0, 14), (0, 15)] },
    Row { families: &[Family::Gfx11],                  are_scope: false, flat: [(0, 14), (0, 13)], buffer: [(0, 14), (0, 13)] },
    Row { families: &[Family::Gfx12, Family::Gfx12_5], are_scope: false, flat: [(1, 18), (1, 19)], buffer: [(1, 18), (1, 19)] },
];

/// The bits of caches of gfx94x and gfx95x are those of a scope.
pub fn has_scope_bits(target: &Target) -> bool {
    target.family == Family::Gfx9 && target.architected_flat_scratch
}

/// The two bits for caches, as a number. On gfx9: glc; on gfx94x: sc0 and sc1; on gfx10 and gfx11: glc and dlc; since gfx12: the scope.
pub fn cache_policy(inst: &Decoded, target: &Target) -> usize {
    let is_for = |row: &&Row| {
        row.families.contains(&target.family) && row.are_scope == has_scope_bits(target)
    };
    let Some(row) = ROWS.iter().find(is_for) else {
        return 0;
    };
    let places = match inst.format {
        Format::Mubuf => row.buffer,
        Format::Flat | Format::Global | Format::Scratch => row.flat,
        _ => return 0,
    };
    let set = |(word, bit): Bit| {
        let word = inst.words.get(word).filter(|_| (word, bit) != NONE);
        usize::from(word.is_some_and(|word| bits(*word, bit, bit) != 0))
    };
    set(places[0]) | set(places[1]) << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assembler, Decoder};

    /// LLVM's assembler puts each of them into its field.
    #[test]
    fn llvm_writes_the_same_policies() {
        let rows: &[(&str, &str, [&str; 4])] = &[
            ("gfx90a", "dword", ["", " glc", "", ""]),
            ("gfx942", "dword", ["", " sc0", " sc1", " sc0 sc1"]),
            ("gfx1030", "dword", ["", " glc", " dlc", " glc dlc"]),
            ("gfx1100", "b32", ["", " glc", " dlc", " glc dlc"]),
            (
                "gfx1200",
                "b32",
                [
                    "",
                    " scope:SCOPE_SE",
                    " scope:SCOPE_DEV",
                    " scope:SCOPE_SYS",
                ],
            ),
        ];
        for (name, width, policies) in rows {
            let target = gfx::TARGETS
                .iter()
                .find(|target| target.name == *name)
                .expect("a target");
            let (assembler, decoder) = (
                Assembler::new(target).expect("LLVM"),
                Decoder::new(target).expect("LLVM"),
            );
            let zero = if name.starts_with("gfx12") {
                "null"
            } else {
                "0"
            };
            for (number, policy) in policies
                .iter()
                .enumerate()
                .filter(|(number, policy)| *number == 0 || !policy.is_empty())
            {
                for text in [
                    format!("global_load_{width} v0, v1, s[0:1]{policy}"),
                    format!("flat_load_{width} v0, v[2:3]{policy}"),
                    format!("buffer_load_{width} v0, off, s[4:7], {zero}{policy}"),
                ] {
                    let code = assembler
                        .assemble(&text)
                        .unwrap_or_else(|error| panic!("{name}: {text}: {error:?}"));
                    let inst = decoder.decode(&code, 0).expect("an instruction");
                    assert_eq!(cache_policy(&inst, target), number, "{name}: {text}");
                }
            }
        }
    }
}
