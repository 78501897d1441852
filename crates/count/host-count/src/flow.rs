//! The graph on which increments are placed.
//!
//! Vertices are the entry and the exit of every block and one [`ROOT`]. The root stands for every place where the counter must be exact:
//! function entry, return, calls that may not come back, budget checks. An [`Arc`] is a stretch of execution with a cost: a piece of a
//! block between two such places, or a jump.

/// The vertex that stands for all observation points.
pub const ROOT: usize = 0;

/// A place for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// In `block`, right before its `call`-th call.
    Call {
        /// Index of the block.
        block: usize,
        /// Index among the calls of the block.
        call: usize,
    },
    /// In `block`, right before its terminator.
    End {
        /// Index of the block.
        block: usize,
    },
    /// On the jump from `block` to its `successor`-th successor.
    Edge {
        /// Index of the block jumped from.
        block: usize,
        /// Index among the successors.
        successor: usize,
    },
    /// First thing in `block`; used by budget checks only.
    Start {
        /// Index of the block.
        block: usize,
    },
}

/// A stretch of execution.
#[derive(Debug, Clone, Copy)]
pub struct Arc {
    /// Vertex where it begins.
    pub from: usize,
    /// Vertex where it ends.
    pub to: usize,
    /// The cost of executing it. Negative on the way into a function whose callers have paid part of its cost.
    pub cost: i64,
    /// The place for its code; `None` if it can hold none.
    pub site: Option<Site>,
    /// Estimated executions, any unit; the most frequent arcs get no code.
    pub frequency: f64,
    /// A check stands here: an addition at the same place is free, for the check looks at its result.
    pub checked: bool,
    /// Putting code here needs a new block (a jump between a fork and a join).
    pub needs_split: bool,
}

/// The vertices and arcs of one function.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    /// Number of vertices, [`ROOT`] included.
    pub vertices: usize,
    /// The arcs.
    pub arcs: Vec<Arc>,
    /// Places that must check the budget.
    pub checks: Vec<CheckSite>,
}

/// A place that must check the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSite {
    /// Its place, after the increment at the same site.
    pub site: Site,
    /// The vertex that control has come to there: its debt is what the counter lacks.
    pub vertex: usize,
    /// The amount that has been paid there for a callee that has not begun.
    pub ahead: u64,
}

/// The entry vertex of a block.
pub fn entry(block: usize) -> usize {
    1 + 2 * block
}

/// The exit vertex of a block whose end is not observed.
pub fn exit(block: usize) -> usize {
    2 + 2 * block
}
