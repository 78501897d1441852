//! Runs of lane-wise instructions as host code.
//!
//! A run is one micro-op. Its code computes 16 lanes at a time with the registers of the host, from the rows' own functions: see
//! [`native`]. It leaves lanes that are off as they are. Waves with another MODE take the instructions one by one. Groups of lanes with a
//! NaN do, too: the code has stored nothing of them.

mod part;

use std::{io, sync::Arc};

use native::{Entry, Executable};

use crate::{
    engine::Env,
    micro_op::{MicroOp, RunNumber, flow},
    program::Lowered,
    rows::VectorShape,
    shell::{self, Body},
    state::{Wave, sreg},
};
use part::Part;

pub use part::{code_of, report};

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

/// Instructions that follow each other, as one micro-op.
#[derive(Debug)]
pub(crate) struct Run {
    entry: Entry,
    /// The same one by one.
    pub ops: Vec<MicroOp>,
}

/// The runs of a segment and the memory of their code.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    list: Vec<Run>,
    /// It lives as long as the runs do.
    _code: Option<Executable>,
}

impl Runs {
    /// The instructions of run `number` one by one.
    pub fn ops(&self, number: usize) -> &[MicroOp] {
        &self.list[number].ops
    }
}

/// Instructions that may become a run, and the micro-ops that they have.
#[derive(Debug)]
struct Stretch {
    first: usize,
    end: usize,
    parts: Vec<Part>,
}

/// Finds runs while instructions are lowered one after the other.
#[derive(Debug)]
pub(crate) struct Builder {
    /// Fewest instructions of a run. `None`: there are no runs.
    least: Option<usize>,
    stretches: Vec<Stretch>,
}

/// The micro-op in the place of micro-ops `first..end` of a segment.
#[derive(Debug)]
pub(crate) struct Fold {
    pub first: usize,
    pub end: usize,
    pub op: MicroOp,
}

impl Builder {
    /// `least`: see [`crate::Config::native`].
    pub fn new(least: Option<usize>) -> Builder {
        let least = least.filter(|_| part::host_is_able());
        Builder {
            least: least.map(|least| least.max(1)),
            stretches: Vec::new(),
        }
    }

    /// Returns `true` if runs are looked for.
    pub fn looks(&self) -> bool {
        self.least.is_some()
    }

    /// Looks at the next instruction, whose micro-ops will be those from `first` on. `follows`: control comes from the instruction before only.
    /// `shape`: of its row, if it is a vector ALU instruction that can execute.
    pub fn add(
        &mut self,
        first: usize,
        follows: bool,
        lowered: &Lowered,
        shape: Option<&VectorShape>,
    ) {
        let (end, op) = (first + lowered.ops.len(), &lowered.bare);
        let part = self.least.and(shape).and_then(|shape| Part::new(shape, op));
        let Some(part) = part else {
            return;
        };
        if let Some(last) = self.stretches.last_mut()
            && follows
            && last.end == first
            && part::have_room(&last.parts, &part)
        {
            last.end = end;
            last.parts.push(part);
            return;
        }
        self.stretches.push(Stretch {
            first,
            end,
            parts: vec![part],
        });
    }

    /// Makes host code of what was found. `ops` are the micro-ops of the segment. The error is the host's, which does not let the
    /// process execute code that it has written.
    pub fn finish(self, ops: &[MicroOp]) -> io::Result<(Runs, Vec<Fold>)> {
        let least = self.least.unwrap_or(usize::MAX);
        let long_enough = self
            .stretches
            .into_iter()
            .filter(|stretch| stretch.parts.len() >= least);
        let (mut stretches, mut routines) = (Vec::new(), Vec::new());
        for stretch in long_enough {
            if let Some(routine) = part::assembled(&stretch.parts) {
                stretches.push(stretch);
                routines.push(routine);
            }
        }
        if routines.is_empty() {
            return Ok((Runs::default(), Vec::new()));
        }
        let code = Executable::new(&routines)?;
        let (mut list, mut folds) = (Vec::new(), Vec::new());
        for (number, stretch) in stretches.iter().enumerate() {
            list.push(Run {
                entry: code.entry(number),
                ops: ops[stretch.first..stretch.end].to_vec(),
            });
            folds.push(Fold {
                first: stretch.first,
                end: stretch.end,
                op: MicroOp::new(shell::scalar_handler::<Native>()).with(RunNumber::new(number)),
            });
        }
        let runs = Runs {
            list,
            _code: Some(code),
        };
        Ok((runs, folds))
    }
}

struct Native;

impl Body for Native {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let segment = Arc::as_ptr(&wave.segment);
        // SAFETY: the wave keeps its segment alive, and arithmetic does not take it to another one. A clone would make all threads
        // write one count.
        let segment = unsafe { &*segment };
        let run = &segment.runs.list[op.run().number as usize];
        let (total, mut done) = (wave.groups(), 0);
        if wave.mode.plain {
            let (rows, scalars) = (wave.rows.as_mut_ptr().cast(), wave.scalars.0.as_ptr());
            // SAFETY: the code is of the wave's segment, which lives. It uses rows and scalars that were checked when the segment was
            // decoded; `Wave::enter` sees to it that the wave has the rows. Runs are made only if the host has AVX-512.
            done = unsafe { (run.entry)(rows, scalars, total) };
            if done == total {
                return flow::NEXT;
            }
        }
        one_by_one(wave, run, env, done)
    }
}

/// Takes the instructions one by one, with all lanes off that are in the first `done` groups.
#[cold]
#[inline(never)]
fn one_by_one(wave: &mut Wave, run: &Run, env: &mut Env<'_>, done: usize) -> u32 {
    let exec = wave.exec();
    if done != 0 {
        wave.set_mask(sreg::EXEC, exec & u64::MAX << (16 * done));
        wave.sync_exec();
    }
    for op in &run.ops {
        // Arithmetic neither stops nor writes EXEC, and none of these reads it.
        // SAFETY: of the wave's own segment.
        unsafe { shell::call(op, wave, env) };
    }
    if done != 0 {
        wave.set_mask(sreg::EXEC, exec);
        wave.sync_exec();
    }
    flow::NEXT
}
