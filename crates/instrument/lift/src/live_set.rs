//! The live set at one place, and how an instruction changes it.

use crate::access::{Access, ExecChange};
use crate::bits::Bits;
use crate::registers::{RegisterSet, ScalarSet, Span, VectorSet};
use isa::Reg;

/// Registers whose present value may be read later.
///
/// For a vector register that depends on the lane: in lanes that are active here (`active`), and in lanes that are not
/// (`inactive`), because EXEC changes before the value is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveSet {
    /// Scalar registers.
    pub scalars: ScalarSet,
    /// Vector registers, in lanes that are on.
    pub active: VectorSet,
    /// Vector registers, in lanes that are off.
    pub inactive: VectorSet,
}

impl LiveSet {
    /// Every register, in all lanes.
    pub const EVERYTHING: LiveSet = LiveSet {
        scalars: Bits::FULL,
        active: Bits::FULL,
        inactive: Bits::FULL,
    };

    /// Returns `true` if any dword of the register may be read later, in any lane.
    pub fn is_live(&self, reg: Reg) -> bool {
        !self.dead_in_all_lanes(reg)
    }

    /// Returns `true` if the active lanes of a vector register may be overwritten; for scalar registers, whether it is dead.
    pub fn dead_in_active_lanes(&self, reg: Reg) -> bool {
        match Span::from_register(reg) {
            Some(Span::Scalar(start, count)) => !self.scalars.intersects_range(start, count),
            Some(Span::Vector(start, count)) => !self.active.intersects_range(start, count),
            None => false,
        }
    }

    /// Returns `true` if the whole register may be overwritten, e.g. by `v_writelane_b32` or under another EXEC.
    pub fn dead_in_all_lanes(&self, reg: Reg) -> bool {
        match Span::from_register(reg) {
            Some(Span::Vector(start, count)) => {
                !self.active.intersects_range(start, count)
                    && !self.inactive.intersects_range(start, count)
            }
            _ => self.dead_in_active_lanes(reg),
        }
    }

    /// Adds `other`; says whether that changed anything.
    pub fn unite(&mut self, other: &LiveSet) -> bool {
        self.scalars.unite(&other.scalars)
            | self.active.unite(&other.active)
            | self.inactive.unite(&other.inactive)
    }

    /// Live in any lane.
    pub fn registers(&self) -> RegisterSet {
        RegisterSet {
            scalars: self.scalars,
            vectors: self.active.union(&self.inactive),
        }
    }

    /// From behind an instruction to before it. `exec_full`: all lanes are on before it.
    pub fn step_back(&mut self, access: &Access, exec_full: bool) {
        if let Some(change) = access.exec {
            self.before_exec_change(change);
        }
        if access.kills {
            for span in &access.writes {
                match *span {
                    Span::Scalar(start, count) => self.scalars.remove_range(start, count),
                    Span::Vector(start, count) => {
                        self.active.remove_range(start, count);
                        if access.writes_inactive {
                            self.inactive.remove_range(start, count);
                        }
                    }
                }
            }
        }
        for span in &access.reads {
            self.read(*span, access.reads_inactive);
        }
        for span in access.indexed.spans() {
            self.read(span, access.reads_inactive);
        }
        if exec_full {
            self.inactive = Bits::EMPTY;
        }
    }

    #[inline]
    fn read(&mut self, span: Span, in_inactive_lanes: bool) {
        match span {
            Span::Scalar(start, count) => self.scalars.insert_range(start, count),
            Span::Vector(start, count) => {
                self.active.insert_range(start, count);
                if in_inactive_lanes {
                    self.inactive.insert_range(start, count);
                }
            }
        }
    }

    fn before_exec_change(&mut self, change: ExecChange) {
        let pick = |to_active: bool, to_inactive: bool| {
            let mut set = Bits::EMPTY;
            if to_active {
                set.unite(&self.active);
            }
            if to_inactive {
                set.unite(&self.inactive);
            }
            set
        };
        let active = pick(change.active_to_active, change.active_to_inactive);
        let inactive = pick(change.inactive_to_active, change.inactive_to_inactive);
        self.active = active;
        self.inactive = inactive;
    }
}

/// The effect of a stretch of code on any live set behind it. Each register and lane kind by itself is live before it, or dead, or as
/// one behind it, so three probes say everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// Live before if nothing is live behind.
    nothing: LiveSet,
    /// ... if all scalar registers and all active lanes are.
    active: LiveSet,
    /// ... if all scalar registers and all inactive lanes are.
    inactive: LiveSet,
}

/// Sets behind the code that the three probes start with.
pub(crate) const PROBES: [LiveSet; 3] = [
    LiveSet {
        scalars: Bits::EMPTY,
        active: Bits::EMPTY,
        inactive: Bits::EMPTY,
    },
    LiveSet {
        scalars: Bits::FULL,
        active: Bits::FULL,
        inactive: Bits::EMPTY,
    },
    LiveSet {
        scalars: Bits::FULL,
        active: Bits::EMPTY,
        inactive: Bits::FULL,
    },
];

impl Transfer {
    pub fn from_probes([nothing, active, inactive]: [LiveSet; 3]) -> Transfer {
        Transfer {
            nothing,
            active,
            inactive,
        }
    }

    /// Nothing is live before, whatever is live behind: code that never gets there.
    pub const DEAD_END: Transfer = Transfer {
        nothing: PROBES[0],
        active: PROBES[0],
        inactive: PROBES[0],
    };

    pub fn apply(&self, behind: &LiveSet) -> LiveSet {
        let mut before = self.nothing;
        before
            .scalars
            .unite(&self.active.scalars.intersection(&behind.scalars));
        for (lanes, probe) in [
            (&behind.active, &self.active),
            (&behind.inactive, &self.inactive),
        ] {
            before.active.unite(&probe.active.intersection(lanes));
            before.inactive.unite(&probe.inactive.intersection(lanes));
        }
        before
    }
}
