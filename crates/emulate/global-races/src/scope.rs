//! The scopes that bits of instructions stand for, by target.

use gfx::{Family, Target};
use isa::fields::has_scope_bits;

/// How far a store goes, and how far away a load looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scope {
    /// The nearest cache.
    Near,
    Workgroup,
    Agent,
    System,
}

use Scope::{Agent, Near, System, Workgroup};

/// Scopes by [`isa::fields::cache_policy`].
type ByPolicy = [Scope; 4];

/// A target's caches.
pub(crate) struct Caches {
    /// A load passes over the caches that are nearer than this.
    pub loads: ByPolicy,
    /// A store arrives there by itself.
    pub stores: ByPolicy,
    /// The scope that the bits of a store name. Where stores have no such bits, one for data and one for other waves look alike.
    pub stores_say: ByPolicy,
    /// Atomics that read and write are executed there.
    pub atomics: ByPolicy,
}

/// The caches of the targets for which the function returns `true`.
type Row = (fn(&Target) -> bool, Caches);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (has_scope_bits, Caches {
        loads:      [Near, Workgroup, Agent, System],
        stores:     [Workgroup, Workgroup, Agent, System],
        stores_say: [Near, Workgroup, Agent, System],
        atomics:    [Agent, Agent, System, System],
    }),
    (|target| target.family == Family::Gfx9, Caches {
        loads:      [Near, Agent, Near, Agent],
        stores:     [Agent; 4],
        stores_say: [Agent; 4],
        atomics:    [Agent; 4],
    }),
    (|target| target.family < Family::Gfx11, Caches {
        loads:      [Near, Workgroup, Near, Agent],
        stores:     [Agent; 4],
        stores_say: [Agent; 4],
        atomics:    [Agent; 4],
    }),
    (|target| target.family < Family::Gfx12, Caches {
        loads:      [Near, Agent, Near, Agent],
        stores:     [Agent; 4],
        stores_say: [Agent; 4],
        atomics:    [Agent; 4],
    }),
    (|_| true, Caches {
        loads:      [Near, Workgroup, Agent, System],
        stores:     [Agent, Agent, Agent, System],
        stores_say: [Near, Workgroup, Agent, System],
        atomics:    [Near, Workgroup, Agent, System],
    }),
];

impl Caches {
    pub fn of(target: &Target) -> &'static Caches {
        let row = ROWS.iter().find(|row| row.0(target));
        // The last row is for all targets.
        row.map_or(&ROWS[ROWS.len() - 1].1, |row| &row.1)
    }
}

/// The caches that an instruction empties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Emptied {
    /// The one of the compute unit.
    pub near: bool,
    /// The one between it and the agent's.
    pub far: bool,
}

/// Names of instructions that invalidate caches, and which ones by their policy.
#[rustfmt::skip]
const INVALIDATIONS: &[(&str, [Emptied; 4])] = &[
    ("buffer_wbinvl1",     [BOTH; 4]),
    ("buffer_wbinvl1_vol", [BOTH; 4]),
    ("buffer_inv",         [NEAR, NEAR, BOTH, BOTH]),
    ("buffer_gl0_inv",     [NEAR; 4]),
    ("buffer_gl1_inv",     [FAR; 4]),
    ("global_inv",         [NEAR, NEAR, BOTH, BOTH]),
];

const NEAR: Emptied = Emptied {
    near: true,
    far: false,
};
const FAR: Emptied = Emptied {
    near: false,
    far: true,
};
const BOTH: Emptied = Emptied {
    near: true,
    far: true,
};

/// The caches that the instruction with this first name empties.
pub(crate) fn emptied(name: &str, policy: usize) -> Option<Emptied> {
    let row = INVALIDATIONS.iter().find(|row| row.0 == name);
    row.map(|row| row.1[policy])
}

/// Returns `true` if the instruction writes back what stores left in the agent's caches.
pub(crate) fn writes_back(name: &str, policy: usize) -> bool {
    matches!(name, "buffer_wbl2" | "global_wb") && policy >= 2
}
