//! Loops of runs, scalar instructions and branches as host code.
//!
//! The first micro-op of such a loop asks the engine to leave it to host code, which goes from turn to turn. It counts the lanes that are on
//! where EXEC becomes others. A time slice is used up as by the interpreter.

use std::collections::HashMap;

use native::{Exit, Journey, MOST_BRANCHES, Operation, Relation, Surroundings, When, Word};

use super::{Code, Runs, one_by_one};
use crate::{
    access::lds,
    engine::Env,
    micro_op::{LoopNumber, MicroOp, SrcKind, flow},
    ports::has_form,
    program::Lowered,
    rows::{self, Row, ScalarShape, Shape},
    shell::{self, Body},
    state::{SCALARS, Wave, sreg},
};

/// Most steps of a loop.
const LONGEST: usize = 1024;

/// A micro-op as a step of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Nothing,
    Scalar(native::Scalar),
    Branch(When),
    Run(usize),
}

/// Steps by the micro-op that they are.
pub(crate) type Steps = HashMap<usize, Step>;

/// Micro-ops of which each is a step, with branches back.
#[derive(Debug)]
pub(super) struct Loop {
    first: usize,
    steps: Vec<Step>,
    /// The micro-ops of its branches and of what they lead to, in order.
    branches: Vec<(usize, usize)>,
}

/// The place that branches back lead to.
#[derive(Debug)]
pub(super) struct Head {
    /// The number of the loop that it is in.
    of: usize,
    /// The micro-op whose place it has.
    op: MicroOp,
}

/// Host code of a loop.
#[derive(Debug)]
pub(super) struct LoopCode {
    entry: native::LoopEntry,
    /// Number of its routine.
    number: usize,
    /// Offset of each step.
    starts: Vec<usize>,
}

impl Step {
    /// The step that an instruction of `row` is.
    pub fn new(row: &Row, lowered: &Lowered) -> Option<Step> {
        let [op] = &lowered.ops[..] else { return None };
        match &row.shape {
            Shape::Program => {
                let (_, when) = BRANCHES.iter().find(|branch| branch.0 == row.mnemonic)?;
                Some(Step::Branch(*when))
            }
            Shape::Scalar(shape) => scalar(row.mnemonic, shape, op).map(Step::Scalar),
            // Another one's handler orders stores, or looks at a clock.
            Shape::Nop if std::ptr::fn_addr_eq(op.handler, (row.handler)()) => Some(Step::Nothing),
            _ => None,
        }
    }

    /// The step that `op` is if it is a run.
    pub fn of_run(op: &MicroOp) -> Option<Step> {
        op.run_number().map(Step::Run)
    }

    /// The step that `op`, about which nothing is known, is if it is without effect.
    fn of_nop(op: &MicroOp) -> Option<Step> {
        std::ptr::fn_addr_eq(op.handler, rows::nop()).then_some(Step::Nothing)
    }
}

const BRANCHES: &[(&str, When)] = &[
    ("s_branch", When::Always),
    ("s_cbranch_scc0", When::Condition(false)),
    ("s_cbranch_scc1", When::Condition(true)),
    ("s_cbranch_vccz", When::Zero(sreg::VCC as u16, true)),
    ("s_cbranch_vccnz", When::Zero(sreg::VCC as u16, false)),
    ("s_cbranch_execz", When::Zero(sreg::EXEC as u16, true)),
    ("s_cbranch_execnz", When::Zero(sreg::EXEC as u16, false)),
];

/// The last sources of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// As encoded.
    Own,
    Signed,
    Unsigned,
    /// EXEC, which the result is stored to. The destination gets what it was.
    Exec,
    /// The same, with EXEC in front.
    FirstExec,
}

use self::{Last::*, Operation as Op, Relation as Is};

/// Instructions without the size of their numbers.
#[rustfmt::skip]
const OPERATIONS: &[(&str, Operation, Last)] = &[
    ("s_mov_b", Op::Move, Own), ("s_not_b", Op::Not, Own), ("s_and_b", Op::And, Own), ("s_or_b", Op::Or, Own), ("s_xor_b", Op::Xor, Own),
    ("s_andn2_b", Op::AndNot, Own), ("s_orn2_b", Op::OrNot, Own), ("s_nand_b", Op::Nand, Own), ("s_nor_b", Op::Nor, Own),
    ("s_xnor_b", Op::Xnor, Own), ("s_lshl_b", Op::ShiftLeft, Own), ("s_lshr_b", Op::ShiftRight, Own), ("s_ashr_i", Op::ShiftSigned, Own),
    ("s_add_u", Op::Add, Own), ("s_sub_u", Op::Subtract, Own), ("s_add_i", Op::AddSigned, Own), ("s_sub_i", Op::SubtractSigned, Own),
    ("s_addc_u", Op::AddCarry, Own), ("s_subb_u", Op::SubtractBorrow, Own), ("s_mul_i", Op::Multiply, Own), ("s_cselect_b", Op::Select, Own),
    ("s_min_i", Op::Choose(Is::Less), Own), ("s_min_u", Op::Choose(Is::Below), Own),
    ("s_max_i", Op::Choose(Is::Greater), Own), ("s_max_u", Op::Choose(Is::Above), Own),
    ("s_cmp_eq_i", Op::Compare(Is::Equal), Own), ("s_cmp_lg_i", Op::Compare(Is::Different), Own),
    ("s_cmp_gt_i", Op::Compare(Is::Greater), Own), ("s_cmp_ge_i", Op::Compare(Is::GreaterOrEqual), Own),
    ("s_cmp_lt_i", Op::Compare(Is::Less), Own), ("s_cmp_le_i", Op::Compare(Is::LessOrEqual), Own),
    ("s_cmp_eq_u", Op::Compare(Is::Equal), Own), ("s_cmp_lg_u", Op::Compare(Is::Different), Own),
    ("s_cmp_gt_u", Op::Compare(Is::Above), Own), ("s_cmp_ge_u", Op::Compare(Is::AboveOrEqual), Own),
    ("s_cmp_lt_u", Op::Compare(Is::Below), Own), ("s_cmp_le_u", Op::Compare(Is::BelowOrEqual), Own),
    ("s_bitcmp0_b", Op::Bit(false), Own), ("s_bitcmp1_b", Op::Bit(true), Own),
    ("s_movk_i", Op::Move, Signed), ("s_addk_i", Op::AddSigned, Signed), ("s_mulk_i", Op::Multiply, Signed),
    ("s_cmpk_eq_i", Op::Compare(Is::Equal), Signed), ("s_cmpk_lg_i", Op::Compare(Is::Different), Signed),
    ("s_cmpk_gt_i", Op::Compare(Is::Greater), Signed), ("s_cmpk_ge_i", Op::Compare(Is::GreaterOrEqual), Signed),
    ("s_cmpk_lt_i", Op::Compare(Is::Less), Signed), ("s_cmpk_le_i", Op::Compare(Is::LessOrEqual), Signed),
    ("s_cmpk_eq_u", Op::Compare(Is::Equal), Unsigned), ("s_cmpk_lg_u", Op::Compare(Is::Different), Unsigned),
    ("s_cmpk_gt_u", Op::Compare(Is::Above), Unsigned), ("s_cmpk_ge_u", Op::Compare(Is::AboveOrEqual), Unsigned),
    ("s_cmpk_lt_u", Op::Compare(Is::Below), Unsigned), ("s_cmpk_le_u", Op::Compare(Is::BelowOrEqual), Unsigned),
    ("s_and_saveexec_b", Op::And, Exec), ("s_or_saveexec_b", Op::Or, Exec), ("s_xor_saveexec_b", Op::Xor, Exec),
    ("s_andn2_saveexec_b", Op::AndNot, Exec), ("s_orn2_saveexec_b", Op::OrNot, Exec), ("s_nand_saveexec_b", Op::Nand, Exec),
    ("s_nor_saveexec_b", Op::Nor, Exec), ("s_xnor_saveexec_b", Op::Xnor, Exec),
    ("s_andn1_saveexec_b", Op::AndNot, FirstExec), ("s_orn1_saveexec_b", Op::OrNot, FirstExec),
];

/// Instruction `mnemonic` with `shape`, which is `op`.
fn scalar(mnemonic: &str, shape: &ScalarShape, op: &MicroOp) -> Option<native::Scalar> {
    const EXEC: u16 = sreg::EXEC as u16;
    let name = mnemonic
        .strip_suffix("32")
        .or_else(|| mnemonic.strip_suffix("64"))?;
    let (_, operation, last) = *OPERATIONS.iter().find(|one| one.0 == name)?;
    let is_long = mnemonic.ends_with("64");
    let words = shape.result.words();
    if usize::from(op.dst) + words > SCALARS {
        return None;
    }
    let own = |index: usize| source(op, index, shape.sources[index].words());
    let immediate = op.scalar().immediate as u32;
    let exec = Word::Slot(EXEC);
    let sources = match last {
        Own => [own(0)?, own(1)?],
        Signed if operation == Operation::Move => [Word::Constant(immediate.into()), own(1)?],
        Signed => [own(0)?, Word::Constant(immediate.into())],
        Unsigned => [own(0)?, Word::Constant((immediate & 0xffff).into())],
        Exec => [own(0)?, exec],
        FirstExec => [exec, own(0)?],
    };
    let saves_exec = matches!(last, Exec | FirstExec);
    let writes_exec = saves_exec || op.after == flow::EXEC_CHANGED as u8;
    Some(native::Scalar {
        operation,
        is_long,
        sources,
        target: match saves_exec {
            true => Some(EXEC),
            false => (words != 0).then_some(op.dst),
        },
        saves: saves_exec.then_some((op.dst, EXEC)),
        lanes: writes_exec.then_some(EXEC),
    })
}

/// A source of `words`, or nothing.
fn source(op: &MicroOp, index: usize, words: usize) -> Option<Word> {
    let source = op.src[index];
    match source.kind {
        _ if words == 0 => Some(Word::Constant(0)),
        SrcKind::Scalar if usize::from(source.index) + words <= SCALARS => {
            Some(Word::Slot(source.index))
        }
        SrcKind::Scalar => None,
        kind if has_form(kind) => Some(Word::Constant(source.constant_value(words))),
        _ => None,
    }
}

/// The loop from its first micro-op to behind its last one, with the places that branches back lead to.
struct Span {
    first: usize,
    end: usize,
    heads: Vec<usize>,
}

/// The loops among `ops` of which each micro-op is a step.
fn spans(steps: &Steps, ops: &[MicroOp]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let target = |at: usize| ops[at].branch_target().map(|to| to as usize);
    let mut branches: Vec<(usize, usize)> = steps
        .iter()
        .filter(|(_, step)| matches!(step, Step::Branch(_)))
        .filter_map(|(&at, _)| Some((target(at)?, at)))
        .filter(|(to, at)| to <= at && at - to < LONGEST)
        .filter(|(to, _)| !matches!(steps.get(to), Some(Step::Branch(_))))
        .filter(|&(to, at)| (to..=at).all(|at| steps.contains_key(&at)))
        .collect();
    branches.sort_unstable();
    for (to, at) in branches {
        match spans.last_mut() {
            Some(last) if to < last.end => {
                last.end = last.end.max(at + 1);
                last.heads.push(to);
            }
            _ => spans.push(Span {
                first: to,
                end: at + 1,
                heads: vec![to],
            }),
        }
    }
    for span in &mut spans {
        span.heads.dedup();
    }
    spans
}

impl Runs {
    /// Puts the heads of loops in the place of the first micro-ops, where all of a loop can be host code.
    pub fn find_loops(&mut self, ops: &mut [MicroOp]) {
        let mut steps = std::mem::take(&mut self.steps);
        if steps.is_empty() {
            return;
        }
        for (at, op) in ops.iter().enumerate() {
            if let Some(step) = Step::of_nop(op) {
                steps.insert(at, step);
            }
        }
        for span in spans(&steps, ops) {
            let range = span.first..span.end;
            let is_branch = |at: &usize| matches!(steps.get(at), Some(Step::Branch(_)));
            let target = |at: usize| Some((at, ops[at].branch_target()? as usize));
            let branches = range.clone().filter(is_branch).filter_map(target);
            let branches: Vec<_> = branches.collect();
            if branches.len() > MOST_BRANCHES {
                continue;
            }
            for head in span.heads {
                let number = self.heads.len();
                let place =
                    MicroOp::new(shell::scalar_handler::<Enter>()).with(LoopNumber::new(number));
                self.heads.push(Head {
                    of: self.loops.len(),
                    op: std::mem::replace(&mut ops[head], place),
                });
            }
            self.loops.push(Loop {
                first: span.first,
                steps: range.map(|at| steps[&at].clone()).collect(),
                branches,
            });
        }
    }

    /// How many loops have host code.
    pub fn loops_made(&self) -> usize {
        let made = self.made_code();
        made.map_or(0, |code| code.loops.iter().flatten().count())
    }

    /// The micro-op in whose place head `number` is.
    pub fn first(&self, number: usize) -> &MicroOp {
        &self.heads[number].op
    }

    /// The loop of head `number`, if it has host code by now.
    fn loop_of(&self, number: usize) -> Option<(&Loop, &LoopCode, &Code)> {
        let code = self.code()?;
        let of = self.heads[number].of;
        Some((&self.loops[of], code.loops.get(of)?.as_ref()?, code))
    }

    /// Makes the host code of all loops. `code` has that of runs.
    pub(super) fn make_loops(&self, code: &mut Code) {
        let mut routines = Vec::new();
        let mut loops = Vec::new();
        for one in &self.loops {
            let made = one
                .steps(code)
                .and_then(|steps| native::loop_routine(&steps, one.first, self.groups).ok());
            loops.push(made.map(|(routine, starts)| {
                routines.push(routine);
                (routines.len() - 1, starts)
            }));
        }
        if routines.is_empty() {
            return;
        }
        let Ok(memory) = native::Executable::new(&routines) else {
            return;
        };
        let code_of = |(number, starts)| LoopCode {
            entry: memory.loop_entry(number),
            number,
            starts,
        };
        code.loops = loops.into_iter().map(|one| one.map(code_of)).collect();
        code.loop_memory = Some(memory);
    }
}

impl Loop {
    /// Its steps. `None`: one of them has no host code.
    fn steps(&self, code: &Code) -> Option<Vec<native::Step>> {
        let mut branches = self.branches.iter();
        let step = |step: &Step| match step {
            Step::Nothing => Some(native::Step::Nothing),
            Step::Scalar(scalar) => Some(native::Step::Scalar(scalar.clone())),
            Step::Run(number) => Some(native::Step::Routine(code.entries[*number]?)),
            Step::Branch(when) => {
                let (when, &(_, to)) = (*when, branches.next()?);
                Some(native::Step::Branch { when, to })
            }
        };
        self.steps.iter().map(step).collect()
    }

    fn holds(&self, at: usize) -> bool {
        (self.first..self.first + self.steps.len()).contains(&at)
    }
}

/// The head of a loop.
struct Enter;

impl Body for Enter {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        // SAFETY: the steps of loops do not take a wave to another segment.
        let runs = unsafe { &wave.lent_segment().runs };
        let number = op.loop_head().number as usize;
        if wave.takes_loops && wave.mode.plain && runs.loop_of(number).is_some() {
            return flow::LOOP;
        }
        // SAFETY: of the wave's own segment.
        unsafe { shell::call(runs.first(number), wave, env) }
    }
}

/// The rest of a time slice behind a loop.
pub(crate) struct Left {
    pub budget: u32,
    /// The micro-op behind the branch that used it up.
    pub from: usize,
}

/// Executes the loop whose head is micro-op `head` of the wave's segment, up to `budget` branches back or to where the loop ends.
#[inline(never)]
pub(crate) fn run_loop(wave: &mut Wave, env: &mut Env<'_>, head: usize, budget: u32) -> Left {
    // SAFETY: the steps of loops do not take a wave to another segment.
    let segment = unsafe { wave.lent_segment() };
    let number = segment.ops[head].loop_head().number as usize;
    let (one, code, all) = segment.runs.loop_of(number).expect("host code of a loop");
    let memory = all.loop_memory.as_ref().expect("host code of loops");
    let (mut at, mut budget) = (head, budget);
    loop {
        let surroundings = Surroundings {
            groups: wave.groups(),
            local: env.lds.as_ptr(),
            local_bytes: lds::limit(wave, env),
        };
        let mut journey = Journey {
            rows: wave.rows.as_mut_ptr().cast(),
            scalars: wave.scalars.0.as_mut_ptr(),
            surroundings: &raw const surroundings,
            groups: surroundings.groups,
            lanes: wave.exec(),
            done: 0,
            condition: wave.scc.into(),
            budget,
            taken: [[0; 2]; MOST_BRANCHES],
            changes: env.counts.changes(one.first..one.first + one.steps.len()),
        };
        let start = memory.address(code.number, code.starts[at - one.first]);
        let before = wave.active_lanes;
        // SAFETY: as in `Native`. Scalars that steps use lie in the file, and there are counts for each step.
        let exit: Exit = unsafe { (code.entry)(&raw mut journey, start) };
        budget = journey.budget;
        wave.scc = journey.condition != 0;
        let next = exit.step() + usize::from(exit.is_left());
        let after = wave.exec().count_ones();
        env.counts.retire_changing(at, next, [before, after]);
        for (&(from, to), &taken) in one.branches.iter().zip(&journey.taken) {
            if taken[0] != 0 {
                env.counts.retire_branches(from + 1, to, taken);
            }
        }
        wave.sync_exec();
        if exit.is_left() {
            let op = &segment.ops[exit.step()];
            let op = op.loop_number().map_or(op, |head| segment.runs.first(head));
            one_by_one(wave, op, env, journey.done);
        }
        at = next;
        let last = exit.last_branch();
        if last.is_some() || !one.holds(at) {
            wave.next = at;
            return Left {
                budget,
                from: last.map_or(at, |branch| branch + 1),
            };
        }
    }
}
