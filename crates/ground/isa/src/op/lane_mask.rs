//! Scalar instructions that compilers make masks of lanes with.

/// The function that combines each bit of the sources `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// `a`
    Move,
    /// `!a`
    Not,
    /// `a`, and all four lanes of a quad if it has one of them.
    WholeQuads,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a & !b`
    AndNotB,
    /// `!a & b`
    AndNotA,
    /// `a | !b`
    OrNotB,
    /// `!a | b`
    OrNotA,
    /// `!(a & b)`
    Nand,
    /// `!(a | b)`
    Nor,
    /// `!(a ^ b)`
    Xnor,
}

/// How a mask is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaneMask {
    /// The function of the sources' bits.
    pub logic: Logic,
    /// EXEC is `b`, the mask becomes EXEC, and the destination gets the old EXEC.
    pub saves_exec: bool,
    /// EXEC is `b`, and the mask becomes both EXEC and the destination.
    pub writes_exec: bool,
    /// Dwords of the mask.
    pub dwords: u8,
}

/// By first names, without `s_` and without what says how long they are.
#[rustfmt::skip]
const LOGIC: &[(&str, Logic)] = &[
    ("mov",   Logic::Move),
    ("not",   Logic::Not),
    ("wqm",   Logic::WholeQuads),
    ("and",   Logic::And),
    ("or",    Logic::Or),
    ("xor",   Logic::Xor),
    ("andn1", Logic::AndNotA),
    ("andn2", Logic::AndNotB),
    ("orn1",  Logic::OrNotA),
    ("orn2",  Logic::OrNotB),
    ("nand",  Logic::Nand),
    ("nor",   Logic::Nor),
    ("xnor",  Logic::Xnor),
];

impl LaneMask {
    pub(super) fn of(first_name: &str) -> Option<LaneMask> {
        let (name, dwords) = match first_name.rsplit_once('_')? {
            (name, "b32") => (name, 1),
            (name, "b64") => (name, 2),
            _ => return None,
        };
        let name = name.strip_prefix("s_")?;
        let (saved, written) = (name.strip_suffix("_saveexec"), name.strip_suffix("_wrexec"));
        let bare = saved.or(written).unwrap_or(name);
        let row = LOGIC.iter().find(|row| row.0 == bare)?;
        Some(LaneMask {
            logic: row.1,
            saves_exec: saved.is_some(),
            writes_exec: written.is_some(),
            dwords,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Logic, Op};

    #[test]
    fn masks_by_every_name() {
        for (name, logic, saves, writes, dwords) in [
            ("s_mov_b64", Logic::Move, false, false, 2),
            ("s_and_saveexec_b64", Logic::And, true, false, 2),
            ("s_and_not1_b32", Logic::AndNotB, false, false, 1),
            ("s_andn1_wrexec_b64", Logic::AndNotA, false, true, 2),
            ("s_or_not1_saveexec_b32", Logic::OrNotB, true, false, 1),
        ] {
            let mask = Op::of(name).lane_mask().expect(name);
            let found = (mask.logic, mask.saves_exec, mask.writes_exec, mask.dwords);
            assert_eq!(found, (logic, saves, writes, dwords), "{name}");
        }
        for name in ["s_cmov_b64", "s_movk_i32", "v_mov_b32", "s_bfm_b64"] {
            assert_eq!(Op::of(name).lane_mask(), None, "{name}");
        }
    }
}
