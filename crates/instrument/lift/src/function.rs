//! A lifted function: instructions, blocks, edges.

use crate::graph::{Dominators, GraphAnalyses, Loop};
use crate::program::FunctionKind;
use crate::{Access, InstFlags, Insts};
use smallvec::SmallVec;

/// Index of a function in its module.
pub type FunctionIndex = usize;
/// Index of a block in its function; 0 is the entry.
pub type BlockIndex = usize;
/// Index of an instruction in its function, in address order.
pub type InstIndex = usize;

/// The target of a call, or of a jump out of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// The address is that of one function.
    Known(FunctionIndex),
    /// Any code at all.
    Unknown,
}

/// A way out of the function at the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leave {
    /// End of the program.
    End,
    /// To the caller.
    Return,
    /// Jump to the start of another function, which returns in our place.
    TailCall(FunctionIndex),
    /// Anywhere: unresolved target, undecodable bytes, over the end of the code.
    Anywhere,
}

/// Why control goes from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// The next instruction in memory.
    Fall,
    /// Direct branch, or an indirect one with a single known target.
    Branch,
    /// Back from a call.
    CallReturn,
    /// One of several targets of an indirect branch.
    Table,
}

/// A way from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The block to which the edge leads.
    pub to: BlockIndex,
    /// How control takes it.
    pub kind: EdgeKind,
    /// Taken only while no lane is on (`s_cbranch_execz`).
    pub without_lanes: bool,
}

/// A run of instructions entered only at its first, left only at its last. Calls end blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Index of the first instruction.
    pub first: InstIndex,
    /// Index behind the last instruction.
    pub end: InstIndex,
    /// The branch's targets before the next block.
    pub successors: SmallVec<[Edge; 2]>,
    /// The known blocks that lead here.
    pub predecessors: SmallVec<[BlockIndex; 2]>,
    /// Ways out of the function from its end.
    pub leaves: SmallVec<[Leave; 1]>,
    /// The call that ends the block.
    pub call: Option<Callee>,
    /// Reachable from the function's entry by known edges, or entered otherwise.
    pub reachable: bool,
    /// A jump through a register may come here from a place that no edge names, of any function.
    pub entered: bool,
    /// EXEC has all lanes on at the start, on every path; `false`: any mask is possible, an empty one too.
    pub exec_full_at_start: bool,
}

impl Block {
    /// Its instructions.
    pub fn range(&self) -> std::ops::Range<InstIndex> {
        self.first..self.end
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.end - self.first
    }

    /// Never, unless the function is.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }
}

/// Something that could not be found out; results around it take the worst case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unresolved {
    /// Address of the instruction.
    pub pc: u64,
    /// The missing fact.
    pub reason: Reason,
}

/// Why something could not be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Reason {
    /// A branch to an address that is computed at run time.
    #[error("branch to an address that is computed at run time")]
    IndirectBranch,
    /// A call of an address that is computed at run time.
    #[error("call of an address that is computed at run time")]
    IndirectCall,
    /// A branch or call to an address where no instruction of the program starts.
    #[error("branch or call to an address where no instruction of the program starts")]
    TargetNotAnInstruction,
    /// A branch into the middle of another function.
    #[error("branch into the middle of another function")]
    IntoOtherFunction,
    /// The bytes are no instruction of the target.
    #[error("the bytes are no instruction of the target")]
    Undecodable,
    /// The code goes on behind the end of the function.
    #[error("control runs over the end of the function")]
    RunsOff,
    /// A return from a kernel, which has no caller.
    #[error("return from a kernel")]
    KernelReturn,
    /// A fork, a join, a return from a trap, or a jump by a number in a register.
    #[error(
        "jumps of this kind (fork, join, return from a trap, by a number in a register) are not followed"
    )]
    Unsupported,
}

/// One kernel or device function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name of its symbol, or a name made from its address.
    pub name: String,
    /// The kind of its callers.
    pub kind: FunctionKind,
    /// Address of its first instruction.
    pub entry: u64,
    /// In bytes.
    pub size: u64,
    /// 32 or 64.
    pub wave_size: u8,
    /// In address order.
    pub insts: Insts,
    /// In address order. The entry is the first, as code in front of it belongs to others.
    pub blocks: Vec<Block>,
    pub(crate) shape: GraphAnalyses,
    /// The facts about it that could not be found out.
    pub unresolved: Vec<Unresolved>,
    /// Its address is in data or in registers, so that anyone may call it.
    pub address_taken: bool,
    /// True if a jump that is no call enters it, with a return address in any registers. Jumps that pass on the return address of their
    /// own function do not count.
    pub entered_by_jump: bool,
    /// The accesses of instructions that index mode changes.
    pub(crate) indexed: Vec<(InstIndex, Access)>,
    /// From the entry on, `size` bytes.
    pub(crate) code: Vec<u8>,
    /// Per instruction: EXEC has all lanes on before it. Empty if that never holds.
    pub(crate) exec_full: Vec<bool>,
    /// Per instruction: general-purpose index mode may be on. Empty if that never holds.
    pub(crate) indexing: Vec<bool>,
    /// First dword of each run of undecodable ones.
    pub undecodable: Vec<u64>,
}

impl Function {
    /// The instruction at `pc`.
    pub fn inst_at(&self, pc: u64) -> Option<InstIndex> {
        self.insts.code().find(pc)
    }

    /// The block of an instruction.
    pub fn block_of(&self, inst: InstIndex) -> BlockIndex {
        self.blocks.partition_point(|block| block.end <= inst)
    }

    /// Blocks that all ways from the entry to a block pass.
    pub fn dominators(&self) -> &Dominators {
        self.shape.dominators(&self.blocks)
    }

    /// Blocks that all ways from a block to an exit pass.
    pub fn post_dominators(&self) -> &Dominators {
        self.shape.post_dominators(&self.blocks)
    }

    /// Outer loops first.
    pub fn loops(&self) -> &[Loop] {
        &self.shape.loops(&self.blocks).0
    }

    /// Returns `true` if every cycle is entered at one block only.
    pub fn is_reducible(&self) -> bool {
        self.shape.loops(&self.blocks).1
    }

    /// Returns `true` if control may continue at a place that is not known, perhaps in this function again.
    pub fn jumps_anywhere(&self) -> bool {
        jumps_anywhere(&self.blocks)
    }

    /// Returns `true` if control may go on at an unknown place that may be one of this function's blocks. Control that runs over the
    /// end does not come back: padding or another function lies behind a function.
    pub fn jumps_to_unknown_places(&self) -> bool {
        let mut reasons = self.unresolved.iter().map(|one| one.reason);
        self.jumps_anywhere()
            && reasons.any(|reason| !matches!(reason, Reason::IndirectCall | Reason::RunsOff))
    }

    /// Returns `true` if control runs over the end of the function.
    pub fn runs_off(&self) -> bool {
        self.unresolved
            .iter()
            .any(|one| one.reason == Reason::RunsOff)
    }

    /// Returns `true` if nothing enters the function but calls of it, and jumps of functions that return in its place.
    pub fn callers_are_known(&self) -> bool {
        let entered = self.blocks.iter().any(|block| block.entered);
        !self.address_taken && !self.entered_by_jump && !entered
    }

    /// Returns `true` if EXEC surely has all lanes on before the instruction.
    pub fn exec_is_full_before(&self, inst: InstIndex) -> bool {
        self.exec_full.get(inst).copied().unwrap_or(false)
    }

    /// Returns `true` if general-purpose index mode may be on before the instruction (gfx9), so that nothing may be inserted there.
    pub fn indexing_before(&self, inst: InstIndex) -> bool {
        self.indexing.get(inst).copied().unwrap_or(false)
    }

    /// The traits of an instruction.
    #[inline]
    pub fn traits(&self, inst: InstIndex) -> InstFlags {
        self.traits_of()[inst]
    }

    /// Returns `true` if any of the traits holds for any instruction.
    pub fn has(&self, wanted: InstFlags) -> bool {
        self.traits_of().iter().any(|traits| traits.any(wanted))
    }

    /// The first instruction of a range of which any of the traits holds; else its end.
    pub fn next_with(&self, insts: std::ops::Range<InstIndex>, wanted: InstFlags) -> InstIndex {
        let mut traits = self.traits_of()[insts.clone()].iter();
        let found = traits.position(|traits| traits.any(wanted));
        found.map_or(insts.end, |at| insts.start + at)
    }

    /// The bytes of a run of instructions of one block.
    pub fn code(&self, insts: std::ops::Range<InstIndex>) -> &[u8] {
        let at = |pc: u64| (pc - self.entry) as usize;
        match insts.clone().next_back() {
            Some(last) => &self.code[at(self.insts.pc(insts.start))..at(self.insts.end(last))],
            None => &[],
        }
    }

    /// The registers that the instruction reads and writes.
    pub fn access(&self, inst: InstIndex) -> &Access {
        let own = match self.indexed.is_empty() {
            true => None,
            false => self.indexed.binary_search_by_key(&inst, |(at, _)| *at).ok(),
        };
        match own {
            Some(own) => &self.indexed[own].1,
            None => self.insts.access(inst),
        }
    }

    /// Visits what instructions access; not more than once for those that are alike.
    pub(crate) fn each_access(&self, mut visit: impl FnMut(&Access)) {
        self.insts.each_different(&mut visit);
        self.indexed.iter().for_each(|(_, access)| visit(access));
    }

    /// The traits of each instruction.
    pub(crate) fn traits_of(&self) -> &[InstFlags] {
        self.insts.code().traits()
    }
}

pub(crate) fn jumps_anywhere(blocks: &[Block]) -> bool {
    blocks
        .iter()
        .any(|block| block.reachable && block.leaves.contains(&Leave::Anywhere))
}
