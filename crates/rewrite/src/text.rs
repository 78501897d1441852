//! Text being laid out: bytes, labels, branches to fix, and islands where a branch does not reach.

use crate::encode::{Codes, Op};
use crate::{Half, NewFunction, PcRun, Refusal, Relocation, Symbol};
use lift::{BlockIndex, Function, FunctionIndex};
use std::collections::BTreeMap;

/// A place that branches go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// A block of the original, with all that is inserted before its first instruction.
    Block(FunctionIndex, BlockIndex),
    /// Code of our own.
    Own(usize),
}

/// A branch whose displacement is not known yet.
#[derive(Clone, Copy, Debug)]
struct Fixup {
    at: u64,
    to: Label,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Text {
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation>,
    pub pcs: Vec<PcRun>,
    pub functions: Vec<NewFunction>,
    fixups: Vec<Fixup>,
    /// Offset of every block of every function, `u64::MAX` while unknown.
    blocks: BTreeMap<FunctionIndex, Vec<u64>>,
    own: Vec<u64>,
    /// Offsets where islands may be put, in order, about as far from each other as is needed.
    gaps: Vec<u64>,
}

/// How far a branch reaches, in bytes, with some room for islands.
const REACH: u64 = 0x1fff0;
/// Distance between groups of islands.
const SPACING: u64 = 0x18000;

/// A group of islands: `s_branch` over it, then one `s_branch` per target.
struct Pool {
    /// Offset in the text without islands.
    at: u64,
    /// With the number of its island.
    targets: BTreeMap<Label, u64>,
}

impl Pool {
    fn size(&self) -> u64 {
        if self.targets.is_empty() {
            0
        } else {
            4 + 4 * self.targets.len() as u64
        }
    }
}

impl Text {
    pub fn offset(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn start_function(&mut self, index: FunctionIndex, function: &Function) {
        self.blocks
            .insert(index, vec![u64::MAX; function.blocks.len()]);
        // Growing in steps would copy everything again and again.
        self.pcs.reserve(3 * function.blocks.len());
        self.bytes.reserve(2 * function.size as usize);
    }

    pub fn mark(&mut self, function: FunctionIndex, block: BlockIndex) {
        let here = self.offset();
        let blocks = self.blocks.get_mut(&function);
        if let Some(place) = blocks.and_then(|blocks| blocks.get_mut(block)) {
            *place = here;
        }
    }

    /// Here comes code that is inserted at an address of the original.
    pub fn inserted(&mut self, old: u64) {
        self.pcs.push(PcRun {
            new: self.offset(),
            old,
            length: 0,
            inserted: true,
        });
    }

    /// Here comes code of the original.
    pub fn copy(&mut self, old: u64, code: &[u8]) {
        self.replace(old);
        self.bytes.extend_from_slice(code);
        self.is_copy(self.pcs.len() - 1, code.len() as u64);
    }

    /// Here comes what an instruction of the original is now; says which run that is.
    pub fn replace(&mut self, old: u64) -> usize {
        self.pcs.push(PcRun {
            new: self.offset(),
            old,
            length: 0,
            inserted: false,
        });
        self.pcs.len() - 1
    }

    /// A run turned out to be as long as the original's code.
    pub fn is_copy(&mut self, run: usize, length: u64) {
        if run + 1 != self.pcs.len() || self.offset() - self.pcs[run].new != length {
            return;
        }
        self.pcs[run].length = length;
        if let [.., before, last] = &mut self.pcs[..]
            && before.length > 0
            && (before.new + before.length, before.old + before.length) == (last.new, last.old)
        {
            before.length += length;
            self.pcs.pop();
        }
    }

    /// Islands may go here.
    pub fn gap(&mut self) {
        self.gap_at(self.offset());
    }

    /// Likewise at an offset behind all so far.
    pub fn gap_at(&mut self, offset: u64) {
        if self.wants_gap(offset) {
            self.gaps.push(offset);
        }
    }

    /// Whether islands may be wanted at an offset or before it, where there are none yet.
    pub fn wants_gap(&self, offset: u64) -> bool {
        offset >= self.gaps.last().map_or(SPACING, |last| last + SPACING)
    }

    pub fn new_label(&mut self) -> Label {
        self.own.push(u64::MAX);
        Label::Own(self.own.len() - 1)
    }

    pub fn mark_own(&mut self, label: Label) {
        if let Label::Own(number) = label {
            self.own[number] = self.offset();
        }
    }

    pub fn branch(&mut self, codes: &Codes, op: Op, to: Label) {
        let word = codes.branch(op, 0, 0);
        self.branch_word(word, to);
    }

    /// A branch whose low 16 bits are to be filled in.
    pub fn branch_word(&mut self, word: [u8; 4], to: Label) {
        let at = self.offset();
        self.fixups.push(Fixup { at, to });
        self.bytes.extend(word);
    }

    pub fn relocate(&mut self, offset: u64, half: Half, symbol: Symbol, addend: i64) {
        self.relocations.push(Relocation {
            offset,
            half,
            symbol,
            addend,
        });
    }

    fn place_of(&self, label: Label) -> Option<u64> {
        let place = match label {
            Label::Block(function, block) => *self.blocks.get(&function)?.get(block)?,
            Label::Own(number) => *self.own.get(number)?,
        };
        (place != u64::MAX).then_some(place)
    }

    /// Puts in islands and fills in all displacements.
    pub fn finish(&mut self, codes: &Codes) -> Result<(), Refusal> {
        for fixup in &self.fixups {
            if self.place_of(fixup.to).is_none() {
                return Err(Refusal::BranchRange { offset: fixup.at });
            }
        }
        let pools = self.pools();
        if !pools.is_empty() {
            self.insert(codes, &pools);
        }
        let moved = Moves::of(&pools);
        for fixup in std::mem::take(&mut self.fixups) {
            let at = moved.now(fixup.at);
            let target = self.place_of(fixup.to).map_or(0, |place| moved.now(place));
            let goal = hop(&pools, &moved, at, target, fixup.to);
            self.displace(at, goal)?;
        }
        for (number, pool) in pools.iter().enumerate() {
            let start = moved.pool(number);
            self.displace(start, start + pool.size())?;
            for (label, index) in &pool.targets {
                let at = start + 4 + 4 * index;
                let target = self.place_of(*label).map_or(0, |place| moved.now(place));
                let goal = hop(&pools, &moved, at, target, *label);
                self.displace(at, goal)?;
            }
        }
        self.relocations.sort_by_key(|relocation| relocation.offset);
        Ok(())
    }

    fn displace(&mut self, at: u64, goal: u64) -> Result<(), Refusal> {
        let dwords = (goal as i64 - at as i64 - 4) / 4;
        let field = i16::try_from(dwords).map_err(|_| Refusal::BranchRange { offset: at })?;
        let at = at as usize;
        self.bytes[at..at + 2].copy_from_slice(&field.to_le_bytes());
        Ok(())
    }

    /// Groups of islands with the targets that far branches pass them for. Empty if all branches reach.
    fn pools(&self) -> Vec<Pool> {
        if self.bytes.len() as u64 <= REACH {
            return Vec::new();
        }
        let gaps = self.gaps.iter();
        let mut pools: Vec<Pool> = gaps
            .map(|&gap| Pool {
                at: gap,
                targets: BTreeMap::new(),
            })
            .collect();
        // Whatever is farther than the spacing hops over every group between.
        for fixup in &self.fixups {
            let target = self.place_of(fixup.to).unwrap_or(fixup.at);
            if target.abs_diff(fixup.at) <= SPACING {
                continue;
            }
            let (low, high) = (target.min(fixup.at), target.max(fixup.at));
            let from = pools.partition_point(|pool| pool.at <= low);
            let to = pools.partition_point(|pool| pool.at <= high);
            for pool in &mut pools[from..to] {
                let next = pool.targets.len() as u64;
                pool.targets.entry(fixup.to).or_insert(next);
            }
        }
        pools.retain(|pool| !pool.targets.is_empty());
        pools
    }

    fn insert(&mut self, codes: &Codes, pools: &[Pool]) {
        let moved = Moves::of(pools);
        let old = std::mem::take(&mut self.bytes);
        let mut copied = 0;
        for pool in pools {
            self.bytes.extend_from_slice(&old[copied..pool.at as usize]);
            copied = pool.at as usize;
            for _ in 0..pool.size() / 4 {
                self.bytes.extend(codes.branch(Op::SBranch, 0, 0));
            }
        }
        self.bytes.extend_from_slice(&old[copied..]);
        for relocation in &mut self.relocations {
            relocation.offset = moved.now(relocation.offset);
        }
        let old = std::mem::take(&mut self.pcs);
        self.pcs.reserve(old.len() + pools.len());
        let mut pools = pools.iter().map(|pool| pool.at).peekable();
        for mut run in old {
            // Islands may lie within a run.
            while let Some(at) = pools.next_if(|at| *at < run.new + run.length) {
                let before = at.saturating_sub(run.new);
                if before > 0 {
                    self.pcs.push(PcRun {
                        new: moved.now(run.new),
                        length: before,
                        ..run
                    });
                    run.new += before;
                    run.old += before;
                    run.length -= before;
                }
            }
            run.new = moved.now(run.new);
            self.pcs.push(run);
        }
        for function in &mut self.functions {
            let end = moved.now(function.offset + function.size);
            function.offset = moved.now(function.offset);
            function.size = end - function.offset;
        }
    }
}

/// Where a branch goes: to its target, or to the last group of islands on the way that it reaches.
fn hop(pools: &[Pool], moved: &Moves, at: u64, target: u64, label: Label) -> u64 {
    let reaches = |goal: u64| goal.abs_diff(at + 4) < REACH;
    if reaches(target) {
        return target;
    }
    let island = |number: usize| {
        let index = pools[number].targets.get(&label)?;
        let goal = moved.pool(number) + 4 + 4 * index;
        (goal != at && reaches(goal)).then_some(goal)
    };
    // Groups lie in order of their offsets: those on the way, from the one nearest to the target.
    let behind = |offset: u64| moved.pools_before(offset);
    let found = if target > at {
        (behind(at)..behind(target)).rev().find_map(island)
    } else {
        (behind(target)..behind(at)).find_map(island)
    };
    found.unwrap_or(target)
}

/// Offsets without islands to offsets with them.
struct Moves {
    /// Offset, bytes put in there and before.
    places: Vec<(u64, u64)>,
}

impl Moves {
    fn of(pools: &[Pool]) -> Moves {
        let mut total = 0;
        let places = pools.iter().map(|pool| {
            total += pool.size();
            (pool.at, total)
        });
        Moves {
            places: places.collect(),
        }
    }

    /// What was at a gap comes behind the islands there.
    fn now(&self, offset: u64) -> u64 {
        let passed = self.places.partition_point(|(at, _)| *at <= offset);
        match passed.checked_sub(1) {
            Some(last) => offset + self.places[last].1,
            None => offset,
        }
    }

    /// How many groups of islands start before an offset of the text with islands.
    fn pools_before(&self, offset: u64) -> usize {
        let (mut low, mut high) = (0, self.places.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.pool(middle) < offset {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Where a group of islands starts.
    fn pool(&self, number: usize) -> u64 {
        let before = match number.checked_sub(1) {
            Some(last) => self.places[last].1,
            None => 0,
        };
        self.places[number].0 + before
    }
}
