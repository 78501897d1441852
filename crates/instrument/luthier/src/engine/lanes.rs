//! Places at which a wave has at least one lane on for sure. At every other place EXEC may be 0: the compiler omits the branch around a few
//! instructions that no lane executes.
//!
//! The pass follows EXEC and the scalar registers that hold masks which are not 0: copies of EXEC, and the lanes that left EXEC when no
//! lane remained.

use isa::{Decoded, Operand, Reg, RegKind};
use lift::{EdgeKind, ExecChange, Function, InstIndex, Span, registers::SGPR_COUNT};
use rewrite::Point;

/// The facts that hold before an instruction. Sets of first registers of a mask are bits.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known {
    on: bool,
    masks: u128,
    /// EXEC was not 0, and then this mask was taken out of it.
    taken_out: Option<u16>,
}

impl Known {
    fn meet(self, other: Known) -> Known {
        Known {
            on: self.on && other.on,
            masks: self.masks & other.masks,
            taken_out: self.taken_out.filter(|_| self.taken_out == other.taken_out),
        }
    }

    fn holds(self, operand: Option<&Operand>) -> bool {
        match operand {
            Some(Operand::Use(reg)) if reg.kind == RegKind::Exec => self.on,
            Some(Operand::Use(reg)) => {
                number(reg).is_some_and(|number| self.masks >> number & 1 == 1)
            }
            Some(Operand::Imm(value)) => *value != 0,
            _ => false,
        }
    }
}

fn number(reg: &Reg) -> Option<u16> {
    (reg.kind == RegKind::Sgpr && reg.index < SGPR_COUNT).then_some(reg.index)
}

/// See the module.
pub(super) struct SomeLane {
    /// Before each instruction.
    before: Vec<bool>,
    /// Behind each.
    behind: Vec<bool>,
}

impl SomeLane {
    pub fn find(function: &Function) -> SomeLane {
        // LLVM calls nothing, and starts no kernel, without a lane.
        let entry = Known {
            on: true,
            masks: 0,
            taken_out: None,
        };
        let nothing = Known { on: false, ..entry };
        let blocks = &function.blocks;
        let mut starts: Vec<Option<Known>> = vec![None; blocks.len()];
        let mut pending = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let start = match index {
                0 => entry,
                _ if block.predecessors.is_empty() || block.entered => nothing,
                _ => continue,
            };
            starts[index] = Some(start);
            pending.push(index);
        }
        while let Some(index) = pending.pop() {
            let Some(start) = starts[index] else { continue };
            let end = blocks[index]
                .range()
                .fold(start, |known, inst| step(function, known, inst));
            let last = blocks[index]
                .range()
                .last()
                .map(|inst| function.insts.at(inst).mnemonic());
            for edge in &blocks[index].successors {
                let arrives = on_edge(end, last, edge.without_lanes, edge.kind);
                let met = starts[edge.to].map_or(arrives, |known| known.meet(arrives));
                if starts[edge.to] != Some(met) {
                    starts[edge.to] = Some(met);
                    pending.push(edge.to);
                }
            }
        }
        let mut facts = SomeLane {
            before: vec![false; function.insts.len()],
            behind: vec![false; function.insts.len()],
        };
        for (block, start) in blocks.iter().zip(starts) {
            let mut known = start.unwrap_or(nothing);
            for inst in block.range() {
                facts.before[inst] = known.on;
                known = step(function, known, inst);
                facts.behind[inst] = known.on;
            }
        }
        facts
    }

    pub fn is_on(&self, function: &Function, inst: InstIndex, point: Point) -> bool {
        match point {
            Point::Before => self.before[inst],
            Point::After => self.behind[inst],
            Point::Edge(to) => self.before[function.blocks[to].first],
        }
    }
}

fn on_edge(end: Known, last: Option<&'static str>, without_lanes: bool, kind: EdgeKind) -> Known {
    let empty = match last {
        Some("s_cbranch_execz") => without_lanes,
        Some("s_cbranch_execnz") => kind == EdgeKind::Fall,
        // A function that was called keeps EXEC, and uses registers.
        _ if kind == EdgeKind::CallReturn => {
            return Known {
                masks: 0,
                taken_out: None,
                ..end
            };
        }
        _ => return end,
    };
    let mut known = Known { on: !empty, ..end };
    if let Some(mask) = end.taken_out.filter(|_| empty) {
        known.masks |= 1 << mask;
    }
    known
}

fn step(function: &Function, known: Known, inst: InstIndex) -> Known {
    let access = function.access(inst);
    let decoded = function.insts.at(inst);
    let mut next = known;
    for span in &access.writes {
        if let Span::Scalar(first, count) = *span {
            for register in (first..first + count).filter(|register| *register < SGPR_COUNT) {
                next.masks &= !(1 << register);
                // A mask of two registers may begin one earlier.
                if function.wave_size == 64 {
                    next.masks &= !(1_u128 << register >> 1);
                }
                let taken = next.taken_out;
                next.taken_out = taken.filter(|mask| *mask != register && *mask + 1 != register);
            }
        }
    }
    let name = decoded.mnemonic();
    let uses: Vec<&Operand> = (decoded.operands.iter())
        .filter(|operand| !matches!(operand, Operand::Def(_)))
        .collect();
    let [one, other] = [0, 1].map(|index| known.holds(uses.get(index).copied()));
    let is = |what: &str| name.starts_with(what);
    if let Some(change) = access.exec {
        next.taken_out = None;
        next.on = match change {
            ExecChange::ALL => true,
            ExecChange::WIDEN => known.on || one || other,
            _ => is("s_mov_b") && one || is("s_or_b") && (one || other),
        };
        if is("s_or_saveexec") {
            next.on = known.on || one;
        }
        if is("s_andn2_b") || is("s_and_not1_b") {
            next.taken_out = taken_out(&decoded, &uses).filter(|_| known.on);
        }
    }
    let defined = decoded.operands.iter().find_map(|operand| match operand {
        Operand::Def(reg) => number(reg),
        _ => None,
    });
    let holds = match name {
        _ if name.contains("_saveexec_b") => known.on,
        _ if is("s_mov_b") => one,
        _ if is("s_or_b") => one || other,
        _ => false,
    };
    if let Some(register) = defined.filter(|_| holds) {
        next.masks |= 1 << register;
    }
    next
}

/// The mask that is taken out of EXEC.
fn taken_out(decoded: &Decoded, uses: &[&Operand]) -> Option<u16> {
    let is_exec = |reg: &Reg| reg.kind == RegKind::Exec;
    let to_exec = decoded
        .operands
        .iter()
        .any(|operand| matches!(operand, Operand::Def(reg) if is_exec(reg)));
    match (to_exec, uses) {
        (true, [Operand::Use(from), Operand::Use(mask), ..]) if is_exec(from) => number(mask),
        _ => None,
    }
}
