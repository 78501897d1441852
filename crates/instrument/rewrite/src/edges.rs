//! Code on edges: between two blocks, or on a way of its own that a branch takes.

use crate::instruction::Op;
use crate::ir::{Item, Label, SplicePoint};
use crate::select::Selection;
use crate::{Point, Refusal};
use lift::{BlockIndex, FunctionIndex, InstIndex};

/// An edge that goes through code of its own.
pub(crate) struct SplitEdge {
    pub label: Label,
    pub block: BlockIndex,
    pub to: BlockIndex,
}

impl Selection<'_, '_> {
    /// Returns `true` if anything is inserted on the edge from the block that `inst` ends.
    pub fn has_edge(&self, index: FunctionIndex, inst: InstIndex, to: BlockIndex) -> bool {
        if !self.agenda.edges {
            return false;
        }
        let mut list = self.agenda.insertions.at(index, inst).iter();
        list.any(|(_, number)| self.plan.insertions[*number].point == Point::Edge(to))
    }

    /// Where a branch to another block of the function goes: to the block, or through what is inserted on the way.
    pub fn edge_label(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        to: BlockIndex,
        detours: &mut Vec<SplitEdge>,
    ) -> Label {
        let last = self.module.functions[index].blocks[number].end - 1;
        if !self.has_edge(index, last, to) {
            return Label::Block(index, to);
        }
        let label = self.code.new_label();
        detours.push(SplitEdge {
            label,
            block: number,
            to,
        });
        label
    }

    /// Where a branch to the next block goes: through what is inserted behind the branch, if that is anything.
    pub fn label_behind(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        next: BlockIndex,
    ) -> Label {
        let last = self.module.functions[index].blocks[number].end - 1;
        if self.agenda.insertions.at(index, last).is_empty() {
            return Label::Block(index, next);
        }
        let label = self.code.new_label();
        self.behind = Some(label);
        label
    }

    pub fn insert_on_edge(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        to: BlockIndex,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let last = function.blocks[number].end - 1;
        if !self.has_edge(index, last, to) {
            return Ok(());
        }
        let spot = SplicePoint {
            inst: last,
            next: function.blocks[to].first,
            block: to,
            position: 0,
        };
        self.insert_at(index, Point::Edge(to), spot)
    }

    /// The ways of their own, behind all blocks of the function.
    pub fn detours(
        &mut self,
        index: FunctionIndex,
        detours: Vec<SplitEdge>,
    ) -> Result<(), Refusal> {
        for detour in detours {
            self.code.push(Item::Label(detour.label));
            self.insert_on_edge(index, detour.block, detour.to)?;
            let to = Label::Block(index, detour.to);
            self.code.branch(Op::SBranch, to);
        }
        Ok(())
    }
}
