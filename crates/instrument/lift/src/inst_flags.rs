//! Traits of every instruction, as bits. Analyses of whole programs read these, because they lie side by side, and
//! leave alone the instructions themselves, which lie anywhere in a table.

use crate::access::{Access, ExecChange};
use crate::registers::{SCC, Span};
use isa::{Decoded, Effects, Format, Known, Operand, Traits};

/// A set of facts about one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstFlags(u16);

impl InstFlags {
    /// Reads SCC.
    pub const READS_SCC: InstFlags = InstFlags(1 << 0);
    /// Overwrites SCC without reading it.
    pub const KILLS_SCC: InstFlags = InstFlags(1 << 1);
    /// Control may go elsewhere behind it, or ends.
    pub const ENDS_BLOCK: InstFlags = InstFlags(1 << 2);
    /// Calls a function.
    pub const CALL: InstFlags = InstFlags(1 << 3);
    /// Means something else at another address, or goes to an address in a register.
    pub const PLACED: InstFlags = InstFlags(1 << 4);
    /// `s_clause`.
    pub const CLAUSE: InstFlags = InstFlags(1 << 5);
    /// `s_sendmsg`.
    pub const MESSAGE: InstFlags = InstFlags(1 << 6);
    /// Raises a counter of memory operations, or waits for one.
    pub const COUNTS: InstFlags = InstFlags(1 << 7);
    /// May change EXEC.
    pub const EXEC: InstFlags = InstFlags(1 << 8);
    /// Leaves EXEC with all lanes on.
    pub const EXEC_ALL: InstFlags = InstFlags(1 << 9);
    /// `s_set_gpr_idx_on`.
    pub const INDEXING: InstFlags = InstFlags(1 << 10);
    /// The target of a jump or call is in a register, or an address relative to the code is read.
    pub const ADDRESS: InstFlags = InstFlags(1 << 11);

    /// May change MODE.
    pub const WRITES_MODE: InstFlags = InstFlags(1 << 12);

    pub(crate) fn new(inst: &Decoded, access: &Access) -> InstFlags {
        let effects = inst.effects;
        let of_scc = |spans: &[Span]| {
            spans.iter().any(
                |span| matches!(*span, Span::Scalar(start, count) if (start..start + count).contains(&SCC)),
            )
        };
        let indexed: Vec<Span> = access.indexed.spans().collect();
        let reads_scc = of_scc(&access.reads) || of_scc(&indexed);
        let ends = Effects::BRANCH | Effects::RETURN | Effects::END | Effects::CALL;
        let counters = Effects::WAIT
            | Effects::COUNTS_VM
            | Effects::COUNTS_VS
            | Effects::COUNTS_LGKM
            | Effects::COUNTS_EXP;
        let relative = |operand: &Operand| matches!(operand, Operand::PcRel(_));
        let address = effects.contains(Effects::INDIRECT) || inst.op.has(Traits::READS_PC);
        let table = [
            (InstFlags::READS_SCC, reads_scc),
            (
                InstFlags::KILLS_SCC,
                !reads_scc && access.kills && of_scc(&access.writes),
            ),
            (InstFlags::ENDS_BLOCK, effects.intersects(ends)),
            (InstFlags::CALL, effects.contains(Effects::CALL)),
            (
                InstFlags::PLACED,
                address || effects.intersects(ends) || inst.operands.iter().any(relative),
            ),
            (InstFlags::CLAUSE, inst.op.is(Known::SClause)),
            (InstFlags::MESSAGE, inst.op.is(Known::SSendmsg)),
            (
                InstFlags::COUNTS,
                effects.intersects(counters) || inst.format == Format::Vinterp,
            ),
            (InstFlags::EXEC, access.exec.is_some()),
            (InstFlags::EXEC_ALL, access.exec == Some(ExecChange::ALL)),
            (InstFlags::INDEXING, inst.op.is(Known::SSetGprIdxOn)),
            (InstFlags::ADDRESS, address),
            (InstFlags::WRITES_MODE, inst.op.has(Traits::WRITES_MODE)),
        ];
        let holding = table.iter().filter(|(_, holds)| *holds);
        InstFlags(holding.fold(0, |bits, (one, _)| bits | one.0))
    }

    /// All facts of both.
    pub const fn or(self, other: InstFlags) -> InstFlags {
        InstFlags(self.0 | other.0)
    }

    /// Returns `true` if any of these facts holds.
    #[inline]
    pub const fn any(self, of: InstFlags) -> bool {
        self.0 & of.0 != 0
    }
}
