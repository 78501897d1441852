//! Loops of runs, scalar instructions, branches and calls of handlers as host code.
//!
//! The first micro-op of such a loop asks the engine to leave it to host code, which goes from turn to turn. It counts the lanes that are on
//! where EXEC becomes others. A time slice is used up as by the interpreter.

use std::{
    ffi::c_void,
    sync::atomic::{AtomicU32, Ordering},
};

use native::{
    Call, Exit, Journey, MOST_BRANCHES, MOST_CHANGES, Operation, Relation, Surroundings, When, Word,
};

use super::{Code, Runs, Steps, one_by_one};
use crate::{
    access::lds,
    engine::{self, Env, Host, Stop},
    micro_op::{LoopNumber, MicroOp, SrcKind, flow},
    ports::has_form,
    program::Lowered,
    rows::{self, Row, ScalarShape, Shape},
    shell::{self, Body},
    spin,
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
    /// Its handler is called.
    Called,
}

/// Micro-ops of which each is a step, with branches back.
#[derive(Debug)]
pub(super) struct Loop {
    first: usize,
    steps: Vec<Step>,
    /// The micro-ops of its branches and of what they lead to, in order.
    branches: Vec<(usize, usize)>,
    /// The micro-ops that may write the lanes that are on, in order.
    changes: Vec<usize>,
    /// `None`: host code is quicker, however often the loop turns.
    trial: Option<Trial>,
}

/// The first stays in the host code of a loop with calls: the way in and out costs about as much as calls save in eight turns.
#[derive(Debug, Default)]
struct Trial {
    stays: AtomicU32,
    turns: AtomicU32,
}

impl Trial {
    const STAYS: u32 = 64;
    const LEAST_TURNS: u32 = 8;

    fn note(&self, turns: u32) {
        if self.stays.load(Ordering::Relaxed) < Trial::STAYS {
            let turns = turns.min(100 * Trial::LEAST_TURNS);
            self.turns.fetch_add(turns, Ordering::Relaxed);
            self.stays.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns `false` if the loop has turned too seldom.
    fn is_passed(&self) -> bool {
        self.stays.load(Ordering::Relaxed) < Trial::STAYS
            || self.turns.load(Ordering::Relaxed) >= Trial::STAYS * Trial::LEAST_TURNS
    }
}

/// The place that branches back lead to.
#[derive(Debug)]
pub(super) struct Head {
    /// The number of the loop that it is in.
    of: usize,
    at: usize,
    /// The place behind the code where the micro-op is whose place it has.
    first: usize,
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

    /// Returns `true` if each micro-op of an instruction of `row` is a step that calls its handler, unless it is another one. Handlers of these shapes
    /// go on with the next micro-op, or stop the wave.
    pub fn is_called(row: &Row, lowered: &Lowered) -> bool {
        let has_shape = matches!(
            row.shape,
            Shape::Nop
                | Shape::Vector(_)
                | Shape::ScalarMemory { .. }
                | Shape::Flat { .. }
                | Shape::Lds { .. }
                | Shape::Buffer { .. }
                | Shape::Image { .. }
                | Shape::WaveMatrix { .. }
                | Shape::LdsDirect
        );
        let keeps_exec = |op: &MicroOp| op.after == flow::NEXT as u8;
        has_shape && lowered.ops.iter().all(keeps_exec)
    }

    fn may_change_lanes(&self) -> bool {
        matches!(self, Step::Scalar(scalar) if scalar.may_write_lanes)
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
        saves: saves_exec.then_some(op.dst),
        may_write_lanes: writes_exec,
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
        .filter_map(|(at, _)| Some((target(at)?, at)))
        .filter(|(to, at)| to <= at && at - to < LONGEST)
        .filter(|(to, _)| !matches!(steps.get(*to), Some(Step::Branch(_))))
        .filter(|&(to, at)| (to..=at).all(|at| steps.get(at).is_some()))
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
    pub fn find_loops(&mut self, ops: &mut Vec<MicroOp>, pcs: &mut Vec<u64>) {
        let mut steps = std::mem::take(&mut self.steps);
        if steps.is_empty() {
            return;
        }
        for (at, op) in ops.iter().enumerate() {
            if let Some(step) = Step::of_nop(op) {
                steps.set(at, Some(step));
            }
        }
        for span in spans(&steps, ops) {
            let range = span.first..span.end;
            let is_branch = |at: &usize| matches!(steps.get(*at), Some(Step::Branch(_)));
            let target = |at: usize| Some((at, ops[at].branch_target()? as usize));
            let branches = range.clone().filter(is_branch).filter_map(target);
            let branches: Vec<_> = branches.collect();
            let may_change = |at: &usize| steps.get(*at).is_some_and(Step::may_change_lanes);
            let changes: Vec<_> = range.clone().filter(may_change).collect();
            if branches.len() > MOST_BRANCHES || changes.len() > MOST_CHANGES {
                continue;
            }
            let steps: Vec<Step> = range.filter_map(|at| steps.get(at).cloned()).collect();
            let calls = steps.iter().any(|step| matches!(step, Step::Called));
            // Calls alone are as quick in the interpreter.
            if calls && !steps.iter().any(|step| matches!(step, Step::Run(_))) {
                continue;
            }
            for head in span.heads {
                let number = self.heads.len();
                let place =
                    MicroOp::new(shell::scalar_handler::<Enter>()).with(LoopNumber::new(number));
                self.heads.push(Head {
                    of: self.loops.len(),
                    at: head,
                    first: ops.len(),
                });
                let first = std::mem::replace(&mut ops[head], place);
                ops.push(first);
                pcs.push(pcs[head]);
            }
            self.loops.push(Loop {
                first: span.first,
                steps,
                branches,
                changes,
                trial: (calls && self.gaining).then(Trial::default),
            });
        }
        self.end = ops.len();
    }

    /// How many loops have host code.
    pub fn loops_made(&self) -> usize {
        let made = self.made_code();
        made.map_or(0, |code| code.loops.iter().flatten().count())
    }

    /// The place of the micro-op in whose place head `number` is.
    pub fn first(&self, number: usize) -> usize {
        self.heads[number].first
    }

    /// The place of the micro-op that is at `at`, or in whose place a head is there.
    pub fn original(&self, at: usize) -> usize {
        let head = self.heads.iter().find(|head| head.at == at);
        head.map_or(at, |head| head.first)
    }

    /// The place in the code of micro-op `place`: that of its head if it is one behind the code.
    pub fn place_in_code(&self, place: usize) -> usize {
        let head = self.heads.iter().find(|head| head.first == place);
        head.map_or(place, |head| head.at)
    }

    /// Bytes from [`Runs::end`] to the micro-op that is at `at`, or in whose place a head is there.
    fn offset(&self, at: usize) -> Option<i32> {
        let bytes = size_of::<MicroOp>() * (self.end - self.original(at));
        Some(-i32::try_from(bytes).ok()?)
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
            let made = one.steps(code, |at| self.offset(at)).and_then(|steps| {
                native::loop_routine(&steps, one.first, self.groups, sreg::EXEC as u16).ok()
            });
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
    /// Its steps. `None`: one of them has no host code. `offset` gives the bytes to a micro-op from where calls have them from.
    fn steps(
        &self,
        code: &Code,
        offset: impl Fn(usize) -> Option<i32>,
    ) -> Option<Vec<native::Step>> {
        let mut branches = self.branches.iter();
        let step = |(at, step): (usize, &Step)| match step {
            Step::Nothing => Some(native::Step::Nothing),
            Step::Called => Some(native::Step::Call(Call {
                function: call_handler,
                offset: offset(at)?,
            })),
            Step::Scalar(scalar) => Some(native::Step::Scalar(scalar.clone())),
            Step::Run(number) => Some(native::Step::Routine(code.entries[*number]?)),
            Step::Branch(when) => {
                let (when, &(_, to)) = (*when, branches.next()?);
                Some(native::Step::Branch { when, to })
            }
        };
        (self.first..).zip(&self.steps).map(step).collect()
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
        if wave.takes_loops
            && wave.mode.plain
            && let Some((one, ..)) = runs.loop_of(number)
            && one.trial.as_ref().is_none_or(Trial::is_passed)
        {
            return flow::LOOP;
        }
        let first = runs.first(number);
        // SAFETY: as above.
        let segment = unsafe { wave.lent_segment() };
        // SAFETY: of the wave's own segment.
        unsafe { shell::call(&segment.ops[first], wave, env) }
    }
}

/// The first argument of calls of handlers.
struct Scene<'a> {
    wave: *mut Wave,
    env: *mut Env<'a>,
    /// The micro-op that is executed, where the search for the cause of a host's fault finds it: see `blame`.
    op: *const MicroOp,
}

/// Executes a micro-op for host code. The result is the handler's. A handler that panics ends the process here: no panic can pass through host
/// code.
///
/// # Safety
/// `scene` is a [`Scene`] whose wave and surroundings nothing else uses meanwhile. `op` is of the wave's segment.
unsafe extern "C" fn call_handler(scene: *mut c_void, op: *const u8) -> u32 {
    // SAFETY: the caller's promise.
    let (scene, op) = unsafe { (&mut *scene.cast::<Scene<'_>>(), &*op.cast::<MicroOp>()) };
    // SAFETY: a field of a reference. The optimiser would leave the store out, as no code reads it.
    unsafe { (&raw mut scene.op).write_volatile(op) };
    // SAFETY: the caller's promise.
    let (wave, env) = unsafe { (&mut *scene.wave, &mut *scene.env) };
    // Host code has written EXEC as scalars.
    wave.sync_exec();
    // SAFETY: of the wave's own segment.
    unsafe { shell::call(op, wave, env) }
}

/// The rest of a time slice behind a loop.
pub(crate) struct Left {
    pub budget: u32,
    /// The micro-op behind the branch that used it up, or behind the one that stopped the wave.
    pub from: usize,
    /// A handler stopped the wave.
    pub is_stopped: bool,
}

impl Left {
    /// Why the wave stops behind the loop, if it does. `left` is what is left of the slice.
    #[inline(always)]
    pub fn stop(
        &self,
        wave: &mut Wave,
        host: &dyn Host,
        watch: &mut spin::Watch,
        left: u32,
    ) -> Option<Stop> {
        if self.is_stopped {
            return Some(wave.stopped(self.from));
        }
        match self.budget {
            0 => watch.event(wave, host, self.from, left),
            _ => None,
        }
    }
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
        let before = wave.active_lanes;
        let mut scene = Scene {
            wave,
            env,
            op: std::ptr::null(),
        };
        let mut journey = Journey {
            rows: wave.rows.as_mut_ptr().cast(),
            scalars: wave.scalars.0.as_mut_ptr(),
            surroundings: &raw const surroundings,
            groups: surroundings.groups,
            lanes: wave.exec(),
            done: 0,
            scene: (&raw mut scene).cast(),
            // (Not the first one: it would pass for one that is executed.)
            things: segment.ops.as_ptr().wrapping_add(segment.runs.end).cast(),
            shown: &raw mut wave.scc,
            condition: wave.scc.into(),
            budget,
            tallies: env.counts.lend_tallies(),
        };
        let start = memory.address(code.number, code.starts[at - one.first]);
        // SAFETY: as in `Native`. Scalars that steps use lie in the file. Calls get this scene and micro-ops of the segment, and this
        // function does not use the wave and its surroundings meanwhile.
        let exit: Exit = unsafe { (code.entry)(&raw mut journey, start) };
        if let Some(trial) = &one.trial {
            trial.note(budget - journey.budget);
        }
        budget = journey.budget;
        wave.scc = journey.condition != 0;
        let is_retried = exit.is_stopped() && engine::is_retried(wave, flow::STOP);
        let is_done = exit.is_left() || exit.is_stopped() && !is_retried;
        let next = exit.step() + usize::from(is_done);
        let after = wave.exec().count_ones();
        env.counts.retire_changing(at, next, [before, after]);
        env.counts.take_tallies(&one.branches, &one.changes);
        wave.sync_exec();
        if exit.is_stopped() {
            assert_eq!(journey.done as u32, flow::STOP, "a handler's answer");
            return Left {
                budget,
                from: exit.step() + 1,
                is_stopped: true,
            };
        }
        if exit.is_left() {
            let op = &segment.ops[segment.runs.original(exit.step())];
            one_by_one(wave, op, env, journey.done);
        }
        at = next;
        let last = exit.last_branch();
        if last.is_some() || !one.holds(at) {
            wave.next = at;
            return Left {
                budget,
                from: last.map_or(at, |branch| branch + 1),
                is_stopped: false,
            };
        }
    }
}
