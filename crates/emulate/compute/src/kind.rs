//! The properties of an instruction on which counters and exactness depend, and what follows from them.

use std::{cell::RefCell, collections::HashMap};

use gfx::Target;
use isa::{Effects, Op};
use wave::DecodedInst;

use crate::{counters, fidelity};

/// Instructions that count alike: whatever their operands are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    pub op: Op,
    pub effects: Effects,
}

impl Kind {
    pub fn of(inst: &DecodedInst) -> Kind {
        Kind {
            op: inst.instruction,
            effects: inst.effects,
        }
    }
}

/// The consequences of a kind on a target.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// See [`counters::of_kind`].
    pub counters: u64,
    /// See [`fidelity::reason`].
    pub reason: Option<&'static str>,
}

/// Looked up by mnemonic once per thread, because a dispatch may be short.
pub(crate) fn known(target: &'static Target, kind: Kind) -> Known {
    thread_local! {
        static ALL: RefCell<HashMap<(&'static str, Kind), Known>> = RefCell::default();
    }
    ALL.with_borrow_mut(|all| {
        let made = || Known {
            counters: counters::of_kind(&kind),
            reason: fidelity::reason(target, kind.op, kind.effects),
        };
        *all.entry((target.name, kind)).or_insert_with(made)
    })
}
