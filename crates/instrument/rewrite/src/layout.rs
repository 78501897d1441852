//! The pass that gives every item its offset: labels, runs of the original's code, functions, islands.

use crate::encode::Encodings;
use crate::instruction::Op;
use crate::ir::{Code, Item, Label, Seam};
use crate::islands::{IslandPool, OffsetMap, SPACING, pools};
use crate::rewriting::Rewriting;
use crate::{NewFunction, PcRun, Refusal};
use lift::{Function, FunctionIndex, Module};
use std::collections::BTreeMap;

/// Functions start at multiples of this, but for islands before them.
pub(crate) const ALIGNMENT: u64 = 256;
/// Wait states of the longest no-operation.
pub(crate) const LONGEST_NOP: u32 = 8;

/// A branch and what it goes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    pub at: u64,
    pub to: Label,
}

/// The offsets of all parts.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Bytes, without islands.
    size: u64,
    /// With islands.
    pub pcs: Vec<PcRun>,
    pub functions: Vec<NewFunction>,
    branches: Vec<Branch>,
    /// Offset of every block of every function, `u64::MAX` while unknown.
    blocks: BTreeMap<FunctionIndex, Vec<u64>>,
    own: Vec<u64>,
    /// Offsets where islands may be put, in order, about as far from each other as is needed.
    gaps: Vec<u64>,
    pub pools: Vec<IslandPool>,
    pub moves: OffsetMap,
}

pub(crate) fn run(rewriting: &mut Rewriting<'_, '_>) -> Result<(), Refusal> {
    let Rewriting {
        module,
        code,
        codes,
        ..
    } = rewriting;
    let mut layout = Layout {
        own: vec![u64::MAX; code.labels],
        ..Layout::default()
    };
    layout.walk(code, module, codes);
    layout.put_islands()?;
    rewriting.layout = layout;
    Ok(())
}

impl Layout {
    fn walk(&mut self, code: &Code<'_>, module: &Module, codes: &Encodings) {
        let mut function = None;
        let mut replaced = 0;
        for item in &code.items {
            match *item {
                Item::Function(index) => {
                    function = Some(&module.functions[index]);
                    self.start_function(index, &module.functions[index]);
                }
                Item::Label(label) => self.mark(label),
                Item::Gap => self.gap_at(self.size),
                Item::Inserted(old) => self.inserted(old),
                _ => {}
            }
            let Some(function) = function else { continue };
            match *item {
                Item::FunctionEnd => self.end_function(),
                Item::Original { from, to, clause } => {
                    let size = function.code(from..to).len() as u64;
                    self.original(function, from..to, clause, size);
                    self.size += size;
                    self.is_copy(self.pcs.len() - 1, size);
                }
                Item::Replaced(inst) => replaced = self.replace(function.insts.pc(inst)),
                Item::ReplacedEnd(inst) => {
                    let size = function.insts.at(inst).size;
                    self.is_copy(replaced, size.into());
                }
                Item::Moved(_, to) | Item::Branch { to, .. } => {
                    self.branches.push(Branch { at: self.size, to });
                    self.size += 4;
                }
                _ => self.size += size_of(item, code, function, codes),
            }
        }
    }

    fn start_function(&mut self, index: FunctionIndex, function: &Function) {
        self.size = self.size.next_multiple_of(ALIGNMENT);
        self.blocks
            .insert(index, vec![u64::MAX; function.blocks.len()]);
        // Growing in steps would copy everything again and again.
        self.pcs.reserve(3 * function.blocks.len());
        self.functions.push(NewFunction {
            name: function.name.clone(),
            old: function.entry,
            offset: self.size,
            size: 0,
        });
    }

    fn end_function(&mut self) {
        if let Some(function) = self.functions.last_mut() {
            function.size = self.size - function.offset;
        }
    }

    fn mark(&mut self, label: Label) {
        let place = match label {
            Label::Block(function, block) => {
                let blocks = self.blocks.get_mut(&function);
                blocks.and_then(|blocks| blocks.get_mut(block))
            }
            Label::Own(number) => self.own.get_mut(number),
        };
        if let Some(place) = place {
            *place = self.size;
        }
    }

    /// Here comes code that is inserted at an address of the original.
    fn inserted(&mut self, old: u64) {
        self.pcs.push(PcRun {
            new: self.size,
            old,
            length: 0,
            inserted: true,
        });
    }

    /// Here come instructions of the original, with nothing between them.
    fn original(
        &mut self,
        function: &Function,
        insts: std::ops::Range<usize>,
        clause: u32,
        size: u64,
    ) {
        let start = self.size;
        let base = function.insts.pc(insts.start);
        if self.wants_gap(start + size) {
            for (pc, before) in function.insts.pcs(insts).zip(0..) {
                if before >= clause {
                    self.gap_at(start + (pc - base));
                }
            }
        }
        self.replace(base);
    }

    /// Here comes what an instruction of the original is now; says which run that is.
    fn replace(&mut self, old: u64) -> usize {
        self.pcs.push(PcRun {
            new: self.size,
            old,
            length: 0,
            inserted: false,
        });
        self.pcs.len() - 1
    }

    /// A run may turn out to be as long as the original's code.
    fn is_copy(&mut self, run: usize, length: u64) {
        if run + 1 != self.pcs.len() || self.size - self.pcs[run].new != length {
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

    fn gap_at(&mut self, offset: u64) {
        if self.wants_gap(offset) {
            self.gaps.push(offset);
        }
    }

    /// True if islands may be needed at an offset or before it, where there are none yet.
    fn wants_gap(&self, offset: u64) -> bool {
        offset >= self.gaps.last().map_or(SPACING, |last| last + SPACING)
    }

    fn place_of(&self, label: Label) -> Option<u64> {
        let place = match label {
            Label::Block(function, block) => *self.blocks.get(&function)?.get(block)?,
            Label::Own(number) => *self.own.get(number)?,
        };
        (place != u64::MAX).then_some(place)
    }

    /// Where a label is, with islands.
    pub fn now(&self, label: Label) -> u64 {
        let place = self.place_of(label);
        place.map_or(0, |place| self.moves.now(place))
    }

    /// Finds islands and makes room for them.
    fn put_islands(&mut self) -> Result<(), Refusal> {
        let lost = (self.branches.iter()).find(|branch| self.place_of(branch.to).is_none());
        if let Some(branch) = lost {
            return Err(Refusal::BranchRange { offset: branch.at });
        }
        let place_of = |label| self.place_of(label);
        self.pools = pools(self.size, &self.gaps, &self.branches, &place_of);
        self.moves = OffsetMap::new(&self.pools);
        if self.pools.is_empty() {
            return Ok(());
        }
        let old = std::mem::take(&mut self.pcs);
        self.pcs.reserve(old.len() + self.pools.len());
        let mut pools = self.pools.iter().map(|pool| pool.at).peekable();
        for mut run in old {
            // Islands may lie within a run.
            while let Some(at) = pools.next_if(|at| *at < run.new + run.length) {
                let before = at.saturating_sub(run.new);
                if before > 0 {
                    self.pcs.push(PcRun {
                        new: self.moves.now(run.new),
                        length: before,
                        ..run
                    });
                    run.new += before;
                    run.old += before;
                    run.length -= before;
                }
            }
            run.new = self.moves.now(run.new);
            self.pcs.push(run);
        }
        for function in &mut self.functions {
            let end = self.moves.now(function.offset + function.size);
            function.offset = self.moves.now(function.offset);
            function.size = end - function.offset;
        }
        Ok(())
    }
}

/// Bytes of an item that is no branch and none of the original's code in a row.
fn size_of(item: &Item<'_>, code: &Code<'_>, function: &Function, codes: &Encodings) -> u64 {
    let size = match *item {
        Item::Copy(inst) => function.insts.at(inst).size.into(),
        Item::Given(bytes) => bytes.len(),
        Item::Ours(instruction) => codes.size(&instruction),
        Item::Template(index) => {
            let template = code.bound[index as usize].template;
            (template.code.len()).saturating_sub(template.droppable_tail as usize)
        }
        Item::Enter(index) => {
            let Seam { waits, padding, .. } = &code.seams[index as usize];
            let states = padding_size(codes, padding.entry, padding.entry_vector);
            4 * (waits.len() + padding.settles.len()) + states
        }
        Item::Leave(index) => {
            let padding = code.seams[index as usize].padding;
            4 * padding.settles.len() + padding_size(codes, padding.exit, padding.exit_vector)
        }
        _ => 0,
    };
    size as u64
}

/// Bytes of no-operations for so many wait states, and of a wait for vector results.
pub(crate) fn padding_size(codes: &Encodings, states: u32, vector: bool) -> usize {
    let vector = vector && codes.has(Op::WaitVector);
    4 * (states.div_ceil(LONGEST_NOP) as usize + usize::from(vector))
}
