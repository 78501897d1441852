//! Runs of lane-wise instructions as host code.
//!
//! A run is one micro-op. Its code computes 16 lanes at a time with the registers of the host, from the rows' own functions: see
//! [`native`]. It leaves lanes that are off as they are. Waves with another MODE take the instructions one by one. Groups of lanes with a
//! NaN do, too: the code has stored nothing of them.

mod anchors;
mod gain;
mod loops;
mod part;
mod steps;

use std::{
    io,
    ops::Range,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use native::{Entry, Executable, Surroundings};

use crate::{
    access::lds,
    engine::{self, Env},
    micro_op::{MicroOp, RunNumber, flow},
    program::Lowered,
    rows::{Chain, ChainBuilder, Row, VectorShape},
    shell::{self, Body},
    state::{Wave, sreg},
};
use loops::{Head, Loop, LoopCode};
use part::{Needs, Part, Riders};

pub(crate) use loops::{Step, run_loop};
pub(crate) use part::{MODIFIERS, is_lane_wise};
pub use part::{code_of, report};
pub(crate) use steps::Steps;

/// Why runs stay with the interpreter on this host.
#[derive(Debug, thiserror::Error)]
pub enum NoHostCode {
    #[error("the host has no AVX-512")]
    NoVectors,
    #[error("the host's kernel does not let the process execute code that it has written: {0}")]
    Refused(#[from] io::Error),
}

/// Tries whether the host lets runs become host code.
pub fn host_code_is_possible() -> Result<(), NoHostCode> {
    if !part::host_is_able() {
        return Err(NoHostCode::NoVectors);
    }
    part::attempt()?;
    Ok(())
}

/// The runs that become host code, and the time when they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostCode {
    /// Fewest instructions of a run.
    pub least: usize,
    /// How often waves execute runs of a segment one by one before its runs become host code.
    pub after: u32,
    /// Only runs that are quicker as host code, by what their instructions cost.
    pub gaining: bool,
}

impl HostCode {
    /// Runs that gain, in segments that are executed often.
    pub const OFTEN: HostCode = HostCode {
        least: 1,
        after: 200,
        gaining: true,
    };

    /// Runs of at least `least` instructions, from their first execution on.
    pub fn at_once(least: usize) -> HostCode {
        HostCode {
            least,
            after: 0,
            gaining: false,
        }
    }

    /// Returns `true` if `parts` become host code.
    fn takes(&self, parts: &[Part], groups: usize) -> bool {
        parts.len() >= self.least && (!self.gaining || gain::gain(parts, groups) > 0)
    }
}

/// Instructions that follow each other, as one micro-op.
#[derive(Debug)]
pub(crate) struct Run {
    parts: Vec<Part>,
    /// The masks that it writes.
    masks: Vec<u16>,
    /// The same one by one.
    pub ops: Vec<MicroOp>,
}

/// The runs of a segment.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    list: Vec<Run>,
    /// Groups of lanes that waves have.
    groups: usize,
    /// Micro-ops of the segment that may be in loops. They are gone when loops are found.
    pub steps: Steps,
    loops: Vec<Loop>,
    heads: Vec<Head>,
    /// The first micro-op behind those of the code and of heads.
    end: usize,
    /// See [`HostCode::gaining`].
    gaining: bool,
    /// See [`HostCode::after`].
    after: u32,
    /// How often runs and heads of loops were executed one by one, up to that.
    executed: AtomicU32,
    code: OnceLock<Code>,
}

/// Host code of a segment's runs, in one piece of memory.
#[derive(Debug, Default)]
struct Code {
    /// By number of the run. `None`: it has no code.
    entries: Vec<Option<Entry>>,
    /// It lives as long as the entries do.
    _memory: Option<Executable>,
    /// By number of the loop. `None`: it has no code.
    loops: Vec<Option<LoopCode>>,
    loop_memory: Option<Executable>,
}

impl Runs {
    /// The instructions of run `number` one by one.
    pub fn ops(&self, number: usize) -> &[MicroOp] {
        &self.list[number].ops
    }

    /// The host code of run `number`, if it has some by now.
    #[inline(always)]
    fn entry(&self, number: usize) -> Option<Entry> {
        self.code()?.entries[number]
    }

    /// The host code, if there is some by now.
    #[inline(always)]
    fn code(&self) -> Option<&Code> {
        match self.code.get() {
            Some(code) => Some(code),
            None => self.counted(),
        }
    }

    /// The host code that there is.
    fn made_code(&self) -> Option<&Code> {
        self.code.get()
    }

    /// Returns `true` if there is host code.
    pub fn are_made(&self) -> bool {
        let made = self.made_code();
        made.is_some_and(|code| code.entries.iter().any(Option::is_some))
    }

    /// The same where there was none before.
    #[cold]
    #[inline(never)]
    fn counted(&self) -> Option<&Code> {
        if self.after != 0 && self.executed.fetch_add(1, Ordering::Relaxed) < self.after {
            return None;
        }
        Some(self.code.get_or_init(|| self.made()))
    }

    /// Makes the host code. If the host's kernel refuses memory for it, there is none.
    fn made(&self) -> Code {
        let mut routines = Vec::new();
        let mut places = Vec::new();
        for run in &self.list {
            let routine = part::assembled(&run.parts, self.groups);
            places.push(routine.is_some().then_some(routines.len()));
            routines.extend(routine);
        }
        let memory = Executable::new(&routines).ok();
        let entry = |place: Option<usize>| Some(memory.as_ref()?.entry(place?));
        let mut code = Code {
            entries: places.into_iter().map(entry).collect(),
            _memory: memory,
            ..Code::default()
        };
        self.make_loops(&mut code);
        code
    }
}

/// Instructions that may become a run, and the micro-ops that they have.
struct Stretch {
    first: usize,
    end: usize,
    parts: Vec<Part>,
    needs: Needs,
    instructions: Vec<Instruction>,
    /// Scalar instructions between these and behind them, up to micro-op `reach`.
    riders: Riders,
    reach: usize,
}

/// An instruction of a stretch.
struct Instruction {
    first: usize,
    lowered: Lowered,
    shape: Option<&'static VectorShape>,
}

impl Instruction {
    fn end(&self) -> usize {
        self.first + self.lowered.ops.len()
    }
}

impl Stretch {
    /// The chains of the instructions, for a stretch that does not become a run. `chains` are those of the segment.
    fn chains(&self, chains: &mut Vec<Chain>) -> Vec<Fold> {
        let mut builder = ChainBuilder::default();
        let mut folds: Vec<Fold> = Vec::new();
        let mut start = self.first;
        for (index, one) in self.instructions.iter().enumerate() {
            let follows = index > 0 && self.instructions[index - 1].end() == one.first;
            let Some(chain) = builder.add(follows, one.shape, &one.lowered) else {
                start = one.first;
                continue;
            };
            if folds.pop_if(|fold| fold.first == start).is_some() {
                chains.pop();
            }
            folds.push(Fold {
                first: start,
                end: one.end(),
                op: chain.micro_op(chains.len()),
                riders: Vec::new(),
            });
            chains.push(chain);
        }
        folds
    }
}

/// Finds runs while instructions are lowered one after the other.
pub(crate) struct Builder {
    /// `None`: there are no runs.
    wanted: Option<HostCode>,
    /// Groups of lanes that waves have.
    groups: usize,
    stretches: Vec<Stretch>,
    steps: Steps,
    /// The micro-ops of instructions that have [`Step::is_called`].
    called: Vec<Range<usize>>,
    /// The first micro-op of the last instruction, if it is one of these.
    last_called: Option<usize>,
}

/// The micro-op in the place of micro-ops `first..end` of a segment.
#[derive(Debug)]
pub(crate) struct Fold {
    pub first: usize,
    pub end: usize,
    pub op: MicroOp,
    /// The micro-ops among these that stay, behind `op`.
    pub riders: Vec<usize>,
}

impl Builder {
    /// `wanted`: see [`crate::Config::native`].
    pub fn new(wanted: Option<HostCode>, wave_size: u32) -> Builder {
        Builder {
            wanted: wanted.filter(|_| part::host_is_able()),
            groups: wave_size as usize / 16,
            stretches: Vec::new(),
            steps: Steps::default(),
            called: Vec::new(),
            last_called: None,
        }
    }

    /// Returns `true` if runs are looked for.
    pub fn looks(&self) -> bool {
        self.wanted.is_some()
    }

    /// Looks at the next instruction, whose micro-ops will be those from `first` on. `follows`: control comes from the instruction before only.
    /// `row`: its row, if it can execute.
    pub fn add(
        &mut self,
        first: usize,
        follows: bool,
        lowered: &Lowered,
        row: Option<&'static Row>,
    ) {
        if self.wanted.is_none() {
            return;
        }
        let is_called = row.is_some_and(|row| Step::is_called(row, lowered));
        self.last_called = is_called.then_some(first);
        let step = row.and_then(|row| Step::new(row, lowered));
        self.steps.set(first, step);
        let parts = self.parts(lowered, row);
        let before = self.stretches.last_mut();
        let before = before.filter(|last| follows && last.reach == first);
        let Some(parts) = parts else {
            if let (Some(last), Some(row)) = (before, row)
                && last.riders.add(first, row, lowered).is_some()
            {
                last.reach += 1;
            }
            return;
        };
        let end = first + lowered.ops.len();
        let instruction = Instruction {
            first,
            lowered: lowered.clone(),
            shape: row.and_then(|row| row.vector_shape()),
        };
        if let Some(last) = before
            && last.riders.may_wait_for(&parts, self.groups)
            && let Some(needs) = last.needs.with(&parts, self.groups)
        {
            (last.end, last.reach) = (end, end);
            last.needs = needs;
            last.parts.extend(parts);
            last.instructions.push(instruction);
            return;
        }
        let Some(needs) = Needs::default().with(&parts, self.groups) else {
            return;
        };
        self.stretches.push(Stretch {
            first,
            end,
            parts,
            needs,
            instructions: vec![instruction],
            riders: Riders::default(),
            reach: end,
        });
    }

    /// The parts of a run that an instruction makes: one, or two if it is a dual one. `None`: it is not for runs.
    fn parts(&self, lowered: &Lowered, row: Option<&Row>) -> Option<Vec<Part>> {
        match (&lowered.halves, row) {
            (Some(halves), _) => {
                let half =
                    |(shape, op): &(&VectorShape, MicroOp)| Part::half(shape, op, self.groups);
                halves.iter().map(half).collect()
            }
            (None, Some(row)) => Some(vec![Part::new(row, lowered, self.groups)?]),
            (None, None) => None,
        }
    }

    /// The micro-ops of the last instruction end at `end`.
    pub fn end(&mut self, end: usize) {
        if let Some(first) = self.last_called.take() {
            self.called.push(first..end);
        }
    }

    /// The runs that were found, and what to fold: runs, and chains in stretches that are none; the steps of loops. `ops` and `chains` are
    /// the segment's.
    pub fn finish(mut self, ops: &[MicroOp], chains: &mut Vec<Chain>) -> (Runs, Vec<Fold>, Steps) {
        let Some(wanted) = self.wanted else {
            return (Runs::default(), Vec::new(), Steps::default());
        };
        for at in self.called.into_iter().flatten() {
            self.steps.set_if_none(at, Step::Called);
        }
        let (mut list, mut folds) = (Vec::new(), Vec::new());
        for stretch in self.stretches {
            if !wanted.takes(&stretch.parts, self.groups) {
                folds.extend(stretch.chains(chains));
                continue;
            }
            let mut riders = stretch.riders.ops;
            riders.retain(|rider| *rider < stretch.end);
            let of_run = (stretch.first..stretch.end).filter(|op| !riders.contains(op));
            let of_run = of_run.map(|op| ops[op]).collect();
            folds.push(Fold {
                first: stretch.first,
                end: stretch.end,
                riders,
                op: MicroOp::new(shell::scalar_handler::<Native>())
                    .with(RunNumber::new(list.len())),
            });
            list.push(Run {
                masks: part::masks(&stretch.parts),
                parts: stretch.parts,
                ops: of_run,
            });
        }
        let runs = Runs {
            list,
            groups: self.groups,
            after: wanted.after,
            gaining: wanted.gaining,
            ..Runs::default()
        };
        (runs, folds, self.steps)
    }
}

struct Native;

impl Body for Native {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        // SAFETY: arithmetic and loads from LDS do not take a wave to another segment.
        let segment = unsafe { wave.lent_segment() };
        let mut done = 0;
        if wave.mode.plain
            && let Some(entry) = segment.runs.entry(op.run().number as usize)
        {
            let (rows, scalars) = (wave.rows.as_mut_ptr().cast(), wave.scalars.0.as_mut_ptr());
            let surroundings = Surroundings {
                groups: wave.groups(),
                local: env.lds.as_ptr(),
                local_bytes: lds::limit(wave, env),
            };
            // SAFETY: the code is of the wave's segment, which lives. It uses rows and scalars that were checked when the segment was
            // decoded; `Wave::enter` sees to it that the wave has the rows. It reads the bytes of LDS alone, which this thread owns.
            // Runs are made only if the host has AVX-512.
            done = unsafe { entry(rows, scalars, &raw const surroundings) };
            if done == surroundings.groups {
                return flow::NEXT;
            }
        }
        one_by_one(wave, op, env, done)
    }
}

/// Takes the instructions one by one, with all lanes off that are in the first `done` groups.
#[cold]
#[inline(never)]
fn one_by_one(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, done: usize) -> u32 {
    // SAFETY: arithmetic and loads from LDS do not take a wave to another segment.
    let masks = unsafe { &wave.lent_segment().runs.list[op.run().number as usize].masks };
    let exec = wave.exec();
    let others = u64::MAX << (16 * done);
    let bits: Vec<u64> = masks
        .iter()
        .map(|&mask| wave.mask(mask.into()) & !others)
        .collect();
    if done != 0 {
        wave.set_mask(sreg::EXEC, exec & others);
        wave.sync_exec();
    }
    // None of them reads EXEC as a scalar.
    engine::one_by_one(wave, op, env);
    if done != 0 {
        wave.set_mask(sreg::EXEC, exec);
        wave.sync_exec();
        // Instructions have cleared the bits of lanes that were off.
        for (&mask, bits) in masks.iter().zip(bits) {
            let mask = usize::from(mask);
            wave.set_mask(mask, wave.mask(mask) | bits);
        }
    }
    flow::NEXT
}
