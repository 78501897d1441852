//! Waits and nops that cannot share the micro-op of the instruction before them: at the head of a loop, behind a barrier or a write of
//! EXEC. On RDNA these are one instruction in eight. They share the micro-op of the instruction behind them, if that does
//! nothing but compute. It then retires with them, and nothing that is told of it can tell where they are.

use gfx::Family;
use isa::{Effects, Inst, Traits};

use super::{Config, Segment};
use crate::{
    micro_op::MicroOp,
    rows::{Row, Shape},
};

/// Nops in a row that have no micro-op yet.
pub(super) struct Waiting {
    /// Instructions of this code share micro-ops with those in front of them.
    shares: bool,
    nops: Vec<Inst>,
}

impl Waiting {
    pub fn new(config: &Config, looks_at_clock: bool) -> Waiting {
        Waiting {
            // gfx9's modes for indices and for skipped code look at the first instruction of a micro-op. Code that looks at a clock counts
            // the instructions before it.
            shares: !config.observed && !looks_at_clock && config.target.family >= Family::Gfx10,
            nops: Vec::new(),
        }
    }

    /// Returns `true` if `inst`, a nop, waits for an instruction behind it. Control may arrive at a target, and only there.
    pub fn take(&mut self, segment: &mut Segment, inst: &Inst, is_target: bool) -> bool {
        if is_target {
            self.flush(segment);
        }
        if self.shares {
            self.nops.push(inst.clone());
        }
        self.shares
    }

    /// The address of the micro-op that `inst`, the next instruction, becomes: that of the nops in front, if they share it. `executes`:
    /// the instruction is not one that always stops.
    pub fn join(
        &mut self,
        segment: &mut Segment,
        inst: &Inst,
        row: Option<&Row>,
        (executes, is_target): (bool, bool),
    ) -> u64 {
        let joined = executes && !is_target && only_computes(inst, row);
        match self.nops.first() {
            Some(first) if joined => first.pc,
            _ => {
                self.flush(segment);
                inst.pc
            }
        }
    }

    /// Instructions that wait share the last micro-op.
    pub fn list(&mut self, segment: &mut Segment) {
        for nop in self.nops.drain(..) {
            segment.list(nop.pc, nop.size, nop.op, nop.effects);
        }
    }

    /// Instructions that wait get a micro-op of their own.
    pub fn flush(&mut self, segment: &mut Segment) {
        if let Some(first) = self.nops.first() {
            segment.push(first.pc, MicroOp::new(crate::rows::nop()));
            self.list(segment);
        }
    }
}

/// Returns `true` if nothing can come of `inst` but results in registers.
fn only_computes(inst: &Inst, row: Option<&Row>) -> bool {
    let leaves = Effects::BRANCH | Effects::CALL | Effects::END | Effects::RETURN;
    // An observer of barriers is told where they are.
    let told = Effects::BARRIER | Effects::SENDMSG | Effects::TRAP;
    let computes = match row.map(|row| &row.shape) {
        // Dual instructions.
        None => true,
        // Some products of matrices stop.
        Some(Shape::Vector(_)) => !inst.effects.contains(Effects::MATRIX),
        Some(Shape::Scalar(_)) => {
            let hardware = Traits::READS_HARDWARE | Traits::WRITES_HARDWARE;
            !inst.op.has(hardware)
        }
        Some(_) => false,
    };
    computes && !inst.effects.intersects(leaves | told) && !inst.op.has(Traits::ARRIVES)
}
