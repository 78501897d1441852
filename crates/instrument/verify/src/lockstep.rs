//! The original kernel and an instrumented one, instruction by instruction.

use crate::{
    Subject,
    code::{Code, Places, instruction},
    live::{Part, RegisterRows, VCC_HIGH},
    record::{
        Held, Observation, Observed, Snapshot, StopCondition, Undefined, WaitingWave, Watch, WaveId,
    },
    stage::{Outcome, Stage},
};
use codeobj::{CodeObject, KernelDescriptor, SourceLines};
use lift::{
    Module,
    registers::{SCC, SGPR_COUNT, VCC},
};
use rewrite::{Rewritten, Symbol};
use std::{
    collections::HashMap,
    fmt,
    time::{Duration, Instant},
};
use template::Global;

/// Looks at waves that are kept, 12 bytes each.
const LIMIT: usize = 30_000_000;
/// Another run is at the same place after no more looks than these: waits may be looked at or not.
const LATEST: usize = LIMIT / 4 * 5;
/// Places tried for the rewritten code where numbers are mistaken for addresses of it. It is one number in millions, so the second will do.
const COPIES: usize = 4;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Emulate(#[from] emulate::Error),
    #[error(transparent)]
    CodeObject(#[from] codeobj::Error),
    #[error(transparent)]
    Lift(#[from] lift::Error),
    #[error("the code object has no kernel {0}")]
    NoKernel(String),
    #[error(transparent)]
    Refused(#[from] rewrite::Refusal),
    #[error("the instrumented code refers to {0}, which is no variable of its tools")]
    NoGlobal(String),
    #[error(
        "the instrumented kernel is not where the original was after {limit} instructions of the application: it may hang"
    )]
    TooLong { limit: usize },
    #[error("the good build is stopped, so that it says nothing of the other one: {0}")]
    GoodStopped(String),
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All that the application can see is equal.
    Same {
        /// Instructions at which all live registers were compared, summed over waves.
        compared: u64,
        waves: u64,
        /// Why both were stopped before their end, as the original was told.
        stopped: Option<String>,
    },
    /// All is equal as far as both were run, which is not to their end.
    Part {
        /// As above.
        compared: u64,
        waves: u64,
        why: StopReason,
    },
    /// The original does not do the same twice, so nothing can be said of a difference.
    Unrepeatable {
        /// The place where the first wave that shows the difference continues differently.
        place: Option<ProgramPoint>,
    },
    Diverged(Divergence),
}

/// Why a kernel was not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It waits for something that it does not do itself, such as an answer of the host, which never comes here.
    Waits(Wait),
    /// It has more instructions than can be kept, or takes longer than was allowed; where the wave is that ran last.
    Long(Option<ProgramPoint>),
}

/// The thing that the last wave that could still run waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The place where it branches back to look again.
    pub place: Option<ProgramPoint>,
    /// Its last read.
    pub reads: Option<MemoryRead>,
}

/// An instruction that reads memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRead {
    /// In the original object.
    pub pc: u64,
    pub instruction: String,
    /// In the first active lane.
    pub address: u64,
    /// Line of the source, if the code object has line tables.
    pub source: Option<String>,
}

/// The first difference of the first wave that has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    pub place: Option<ProgramPoint>,
    pub what: Difference,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPoint {
    pub workgroup: [u32; 3],
    pub wave: u32,
    /// Instructions of the wave before.
    pub step: usize,
    /// In the original object.
    pub pc: u64,
    pub instruction: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    Register {
        part: Part,
        original: u32,
        instrumented: u32,
    },
    /// The instrumented wave went elsewhere; `None`: it ended.
    Way {
        instrumented: Option<u64>,
    },
    Memory {
        /// Number of the argument.
        buffer: usize,
        offset: usize,
        original: u8,
        instrumented: u8,
    },
    /// An address in a recorded dispatch.
    Address {
        address: u64,
        original: u8,
        instrumented: u8,
    },
    Variable {
        name: String,
    },
    /// The original was stopped by a fault, the instrumented kernel was not.
    Survived,
    /// Nothing that can be named now: the difference did not come again.
    Unstable,
}

impl fmt::Display for ProgramPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.workgroup;
        write!(
            formatter,
            "workgroup {x},{y},{z} wave {} after {} instructions, before {:#x} {}",
            self.wave,
            self.step,
            self.pc,
            self.instruction.trim()
        )
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Waits(wait) => write!(
                formatter,
                "then it waits for something outside of the dispatch: {wait}"
            ),
            StopReason::Long(place) => {
                write!(formatter, "then it goes on for longer than is compared")?;
                if let Some(place) = place {
                    write!(formatter, ", {place}")?;
                }
                write!(formatter, "; use a smaller grid, or a greater --limit")
            }
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(formatter, "{place}")?,
            None => write!(formatter, "at an unknown place")?,
        }
        match &self.reads {
            Some(read) => {
                write!(
                    formatter,
                    ", looking at {:#x} by {:#x} {}",
                    read.address,
                    read.pc,
                    read.instruction.trim()
                )?;
                match &read.source {
                    Some(source) => write!(formatter, " from {source}"),
                    None => Ok(()),
                }
            }
            None => Ok(()),
        }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        }
        match &self.what {
            Difference::Register {
                part,
                original,
                instrumented,
            } => write!(
                formatter,
                "{part} is {instrumented:#x}, was {original:#x} in the original"
            ),
            Difference::Way {
                instrumented: Some(pc),
            } => write!(formatter, "the instrumented wave is at {pc:#x}"),
            Difference::Way { instrumented: None } => {
                write!(formatter, "the instrumented wave has ended")
            }
            Difference::Memory {
                buffer,
                offset,
                original,
                instrumented,
            } => write!(
                formatter,
                "argument {buffer} differs at byte {offset}: {instrumented:#04x}, {original:#04x} in the original"
            ),
            Difference::Address {
                address,
                original,
                instrumented,
            } => write!(
                formatter,
                "memory differs at {address:#x}: {instrumented:#04x}, {original:#04x} in the original"
            ),
            Difference::Variable { name } => write!(formatter, "variable {name} differs"),
            Difference::Survived => write!(
                formatter,
                "the original was stopped by a fault, the instrumented kernel was not"
            ),
            Difference::Unstable => write!(
                formatter,
                "the registers differed, but not when they were compared again: the kernel's result depends on time"
            ),
        }
    }
}

/// Runs `subject` with the original kernel and with the rewritten one and compares them: before every instruction of the
/// application all live registers, at the end all memory that it can see.
pub fn lockstep<'a>(
    object: &CodeObject<'a>,
    module: &Module,
    rewritten: &Rewritten,
    globals: &[Global],
    subject: impl Into<Subject<'a>>,
) -> Result<Verdict, Error> {
    lockstep_within(object, module, rewritten, globals, subject, None)
}

/// [`lockstep`] of as much of the kernel as the original comes to within `time`. The whole takes several times as long.
pub fn lockstep_within<'a>(
    object: &CodeObject<'a>,
    module: &Module,
    rewritten: &Rewritten,
    globals: &[Global],
    subject: impl Into<Subject<'a>>,
    time: Option<Duration>,
) -> Result<Verdict, Error> {
    let subject = subject.into();
    let compare =
        |copies| lockstep_of_copy(object, module, rewritten, globals, subject, time, copies);
    let mut verdict = compare(0)?;
    for copies in 1..COPIES {
        if !verdict.is_mistaken {
            break;
        }
        verdict = compare(copies)?;
    }
    Ok(verdict.verdict)
}

/// The result of one comparison.
struct Judgement {
    verdict: Verdict,
    /// Both executions hold the same number where they are said to differ: it was taken for an address of the rewritten code, in whose
    /// range it happens to lie.
    is_mistaken: bool,
}

impl From<Verdict> for Judgement {
    fn from(verdict: Verdict) -> Judgement {
        let is_mistaken = false;
        Judgement {
            verdict,
            is_mistaken,
        }
    }
}

/// [`lockstep_within`], with so many copies of the rewritten code loaded before the one that runs, which then lies elsewhere.
fn lockstep_of_copy(
    object: &CodeObject<'_>,
    module: &Module,
    rewritten: &Rewritten,
    globals: &[Global],
    subject: Subject<'_>,
    time: Option<Duration>,
    copies: usize,
) -> Result<Judgement, Error> {
    let name = subject.kernel();
    let kernel = object.kernel(name)?;
    let mut stage = Stage::new(object, module, subject)?;
    let (before, after) = (&kernel.descriptor, &rewritten.descriptor);
    let grown = (after.private_segment_size()).saturating_sub(before.private_segment_size());
    stage.device.grow_scratch(&mut stage.prepared, grown)?;
    let base = stage.device.base();
    let bytes = variant_bytes(&stage, object, rewritten, globals)?;
    let variant = CodeObject::parse(&bytes)?;
    for _ in 0..copies {
        stage.device.add(&variant)?;
    }
    let variant_base = stage.device.add(&variant)?;
    let text = variant_base + variant.kernel(name)?.entry - rewritten.entry;
    let code = stage.code();
    let pair = Pair {
        stage: &stage,
        code,
        places: code.own(base),
        original: before,
        variant: &variant,
        variant_base,
        variant_places: variant_places(code, module, rewritten, text, base),
        rewritten: after,
    };
    let describe = Describer {
        object,
        module,
        kernel: &kernel,
        code,
    };
    pair.compare(&describe, time)
}

/// The original and the rewritten code, both loaded on one device.
struct Pair<'a, 'v> {
    stage: &'v Stage<'a>,
    code: &'v Code,
    /// The place of the original.
    places: Places,
    original: &'v KernelDescriptor,
    variant: &'v CodeObject<'v>,
    variant_base: u64,
    variant_places: Places,
    rewritten: &'v KernelDescriptor,
}

/// The observations of one execution, and how it ended.
type Execution = (Observed, Outcome);

impl Pair<'_, '_> {
    /// How the original is watched.
    fn watch(&self, until: StopCondition, wanted: Option<(WaveId, usize)>) -> Watch {
        Watch {
            limit: match until {
                StopCondition::Enough => LIMIT,
                _ => LATEST,
            },
            ..watch(self.original, self.original, &self.places, until, wanted)
        }
    }

    fn run_variant(
        &self,
        until: StopCondition,
        wanted: Option<(WaveId, usize)>,
    ) -> Result<Execution, Error> {
        let places = &self.variant_places;
        let watch = watch(self.rewritten, self.original, places, until, wanted);
        self.stage.run(watch, |stage| {
            let (device, prepared) = (&stage.device, &stage.prepared);
            device.run_other(prepared, self.variant, self.variant_base)
        })
    }

    fn compare(
        &self,
        describe: &Describer<'_>,
        time: Option<Duration>,
    ) -> Result<Judgement, Error> {
        let stage = self.stage;
        let first = stage.original(Watch {
            deadline: time.map(|time| Instant::now() + time),
            ..self.watch(StopCondition::Enough, None)
        })?;
        let until = first.0.until();
        // A run that the time limit ended must end at the same place again.
        let enough = match first.0.late {
            true => until,
            false => StopCondition::Enough,
        };
        let (after, memory_after) = self.run_variant(until, None)?;
        let (before, memory_before) = &first;
        let repeats = |what| self.repeats(describe, &first, enough, what);
        let (mut compared, waves) = (0, before.waves.len() as u64);
        // A wave may have been stopped before it could go on.
        let to_the_end = memory_before.is_ok() && memory_after.is_ok();
        for (id, looks) in &before.waves {
            compared += looks.len() as u64;
            let Some(parting) = parting(looks, after.wave(id), to_the_end) else {
                continue;
            };
            let (what, is_mistaken) = difference(self.code, &parting, |index, other| {
                let again = stage.original(self.watch(enough, Some((*id, index))))?;
                let instrumented = self.run_variant(until, Some((*id, other)))?;
                Ok((again.0.snapshot, instrumented.0.snapshot))
            })?;
            let place = describe.place(*id, &parting);
            let verdict = repeats(Divergence { place, what })?;
            return Ok(Judgement {
                verdict,
                is_mistaken,
            });
        }
        compared = compared.saturating_sub(before.lost);
        let same = |stopped| Verdict::Same {
            compared,
            waves,
            stopped,
        };
        let verdict = match (memory_before, memory_after) {
            (Ok(a), Ok(b)) => match (
                stage.compare_memory(a, &b, &self.variant_places),
                describe.why(before),
            ) {
                (Some(what), _) => repeats(Divergence { place: None, what })?,
                (None, None) => same(None),
                (None, Some(why)) => Verdict::Part {
                    compared,
                    waves,
                    why,
                },
            },
            (Err(why), Err(_)) => same(Some(why.to_string())),
            (Ok(_), Err(why)) => return Err(why.into()),
            (Err(_), Ok(_)) => {
                let what = Difference::Survived;
                Verdict::Diverged(Divergence { place: None, what })
            }
        };
        Ok(verdict.into())
    }

    /// The verdict on a difference: whether two runs of the original differ, too.
    fn repeats(
        &self,
        describe: &Describer<'_>,
        (before, memory_before): &Execution,
        enough: StopCondition,
        what: Divergence,
    ) -> Result<Verdict, Error> {
        let (again, memory_again) = self.stage.original(self.watch(enough, None))?;
        for (id, looks) in &before.waves {
            if let Some(parting) = parting(looks, again.wave(id), true) {
                let place = describe.place(*id, &parting);
                return Ok(Verdict::Unrepeatable { place });
            }
        }
        let differs = |a, b| self.stage.compare_memory(a, b, &self.places).is_some();
        Ok(match (memory_before, &memory_again) {
            (Ok(a), Ok(b)) if differs(a, b) => Verdict::Unrepeatable { place: None },
            _ => Verdict::Diverged(what),
        })
    }
}

/// The rewritten code as it is loaded, with the addresses of the tools' variables in it, for which there is memory then.
fn variant_bytes(
    stage: &Stage<'_>,
    object: &CodeObject<'_>,
    rewritten: &Rewritten,
    globals: &[Global],
) -> Result<Vec<u8>, Error> {
    let (mut bytes, patches) = rewrite::live_object(rewritten, object)?;
    let mut addresses = HashMap::new();
    for global in globals {
        let contents = global.initial.clone().unwrap_or_default();
        addresses.insert(&global.name, stage.device.buffer(&contents, global.size)?);
    }
    for patch in &patches {
        let address = match &patch.symbol {
            Symbol::Original(address) => stage.device.base() + address,
            Symbol::Tool(name) => *addresses
                .get(name)
                .ok_or_else(|| Error::NoGlobal(name.clone()))?,
            Symbol::Text(_) => 0,
        };
        patch.apply(&mut bytes, address);
    }
    Ok(bytes)
}

/// Where the rewritten code at `text` stands for instructions of the original, which is at `base`.
fn variant_places(
    code: &Code,
    module: &Module,
    rewritten: &Rewritten,
    text: u64,
    base: u64,
) -> Places {
    let pairs = |inserted: bool| {
        let pairs = rewritten
            .pairs(module)
            .filter(move |pair| pair.inserted == inserted);
        pairs.map(|pair| (pair.new, pair.old))
    };
    code.places(text, base, pairs(false))
        .with_inserted(pairs(true))
}

/// How a kernel with the descriptor `own` is watched, of whose registers those count that are live in the original.
fn watch(
    own: &KernelDescriptor,
    original: &KernelDescriptor,
    places: &Places,
    until: StopCondition,
    wanted: Option<(WaveId, usize)>,
) -> Watch {
    Watch {
        rows: Some(RegisterRows::new(own, original)),
        places: places.clone(),
        until,
        undefined: undefined(original),
        wanted,
        limit: LATEST,
        ..Watch::default()
    }
}

/// Overwrites all dead registers before every instruction of the original; its results must not change.
pub fn poison<'a>(
    object: &CodeObject<'a>,
    module: &Module,
    subject: impl Into<Subject<'a>>,
    seed: u32,
) -> Result<Verdict, Error> {
    poison_within(object, module, subject, seed, None)
}

/// [`poison`] of as much of the kernel as it comes to within `time`.
pub fn poison_within<'a>(
    object: &CodeObject<'a>,
    module: &Module,
    subject: impl Into<Subject<'a>>,
    seed: u32,
    time: Option<Duration>,
) -> Result<Verdict, Error> {
    let subject = subject.into();
    let kernel = object.kernel(subject.kernel())?;
    let stage = Stage::new(object, module, subject)?;
    let code = stage.code();
    let watch = |until, poison| Watch {
        rows: Some(RegisterRows::new(&kernel.descriptor, &kernel.descriptor)),
        places: code.own(stage.device.base()),
        until,
        poison,
        limit: LATEST,
        ..Watch::default()
    };
    let (before, memory_before) = stage.original(Watch {
        deadline: time.map(|time| Instant::now() + time),
        ..watch(StopCondition::Enough, None)
    })?;
    let (after, memory_after) = stage.original(watch(before.until(), Some(seed)))?;
    let describe = Describer {
        object,
        module,
        kernel: &kernel,
        code,
    };
    let (mut compared, waves) = (0, before.waves.len() as u64);
    for (id, looks) in &before.waves {
        compared += looks.len() as u64;
        if let Some(parting) = parting(looks, after.wave(id), true) {
            let place = describe.place(*id, &parting);
            let what = Difference::Way {
                instrumented: parting.other.map(|(_, look)| code.pc(look.site)),
            };
            return Ok(Verdict::Diverged(Divergence { place, what }));
        }
    }
    let own = code.own(stage.device.base());
    let what = stage.compare_memory(&memory_before?, &memory_after?, &own);
    Ok(match (what, describe.why(&before)) {
        (Some(what), _) => Verdict::Diverged(Divergence { place: None, what }),
        (None, None) => Verdict::Same {
            compared,
            waves,
            stopped: None,
        },
        (None, Some(why)) => Verdict::Part {
            compared,
            waves,
            why,
        },
    })
}

/// Registers in which nothing arrives.
fn undefined(descriptor: &KernelDescriptor) -> Undefined {
    let mut undefined = Vec::new();
    let mut next = 0;
    for (name, count) in descriptor.initial_sgprs() {
        if name == "undefined" {
            undefined.extend(next..next + count as u16);
        }
        next += count as u16;
    }
    undefined.extend(next..SGPR_COUNT);
    // No ABI says what they hold, and code at the entry computes in them.
    undefined.extend([VCC, VCC_HIGH, SCC]);
    let ids = match descriptor.target().packed_work_item_ids {
        true => 0,
        false => descriptor.get("enable_vgpr_workitem_id").unwrap_or(0),
    };
    Undefined {
        scalars: undefined,
        vectors: Some(ids as u16 + 1),
    }
}

/// The place where two executions of a wave are no longer the same.
struct DivergencePoint<'a> {
    /// Instructions before.
    step: usize,
    /// The looks that differ, with their numbers; `None` if there is none left.
    look: Option<(usize, &'a Observation)>,
    other: Option<(usize, &'a Observation)>,
    /// The last instruction before.
    last: Option<u32>,
}

/// The place where `a` and `b` begin to differ. Unless they go `to_the_end`, one may be longer.
fn parting<'a>(
    a: &'a [Observation],
    b: &'a [Observation],
    to_the_end: bool,
) -> Option<DivergencePoint<'a>> {
    let (mut a, mut b) = (a.iter().enumerate(), b.iter().enumerate());
    let mut last = None;
    for step in 0.. {
        let (look, other) = (a.next(), b.next());
        match (look, other) {
            (None, None) => return None,
            (Some((_, x)), Some((_, y))) if x == y => last = Some(x.site),
            (None, _) | (_, None) if !to_the_end => return None,
            _ => {
                return Some(DivergencePoint {
                    step,
                    look,
                    other,
                    last,
                });
            }
        }
    }
    None
}

/// The difference there, and whether a number was mistaken for an address.
fn difference(
    code: &Code,
    parting: &DivergencePoint<'_>,
    snapshots: impl FnOnce(usize, usize) -> Result<(Option<Snapshot>, Option<Snapshot>), Error>,
) -> Result<(Difference, bool), Error> {
    let (Some((index, look)), Some((other_index, other))) = (parting.look, parting.other) else {
        let instrumented = parting.other.map(|(_, other)| code.pc(other.site));
        return Ok((Difference::Way { instrumented }, false));
    };
    if look.site != other.site {
        let instrumented = Some(code.pc(other.site));
        return Ok((Difference::Way { instrumented }, false));
    }
    Ok(match snapshots(index, other_index)? {
        (Some(original), Some(instrumented)) => difference_of(&original, &instrumented),
        _ => (Difference::Unstable, false),
    })
}

fn difference_of(original: &[Held], instrumented: &[Held]) -> (Difference, bool) {
    let meaning = |held: &Held| (held.part, held.meant);
    let mut pairs = original.iter().zip(instrumented);
    let Some((a, b)) = pairs.find(|(a, b)| meaning(a) != meaning(b)) else {
        return (Difference::Unstable, false);
    };
    let what = Difference::Register {
        part: a.part,
        original: a.meant,
        instrumented: b.meant,
    };
    (what, (a.part, a.value) == (b.part, b.value))
}

/// Names places.
struct Describer<'a> {
    object: &'a CodeObject<'a>,
    module: &'a Module,
    kernel: &'a codeobj::Kernel<'a>,
    code: &'a Code,
}

impl Describer<'_> {
    fn place(
        &self,
        (workgroup, wave): WaveId,
        parting: &DivergencePoint<'_>,
    ) -> Option<ProgramPoint> {
        let site = parting.look.map(|(_, look)| look.site).or(parting.last)?;
        let pc = self.code.pc(site);
        Some(ProgramPoint {
            workgroup,
            wave,
            step: parting.step,
            pc,
            instruction: self.instruction(pc)?,
        })
    }

    /// Why the run was stopped, if it was.
    fn why(&self, seen: &Observed) -> Option<StopReason> {
        seen.stopped.then(|| match &seen.stuck {
            Some(stuck) => StopReason::Waits(self.wait(stuck, seen.wave(&stuck.wave))),
            None => StopReason::Long(seen.last.and_then(|wave| self.last(wave, seen.wave(&wave)))),
        })
    }

    /// The place of the last observation of a wave.
    fn last(&self, (workgroup, wave): WaveId, looks: &[Observation]) -> Option<ProgramPoint> {
        let pc = self.code.pc(looks.last()?.site);
        Some(ProgramPoint {
            workgroup,
            wave,
            step: looks.len() - 1,
            pc,
            instruction: self.instruction(pc)?,
        })
    }

    fn wait(&self, stuck: &WaitingWave, looks: &[Observation]) -> Wait {
        let place = self.last(stuck.wave, looks);
        let reads = stuck.reads.and_then(|(site, address)| {
            let pc = self.code.pc(site);
            Some(MemoryRead {
                pc,
                instruction: self.instruction(pc)?,
                address,
                source: self.source(pc),
            })
        });
        Wait { place, reads }
    }

    fn source(&self, pc: u64) -> Option<String> {
        SourceLines::read(self.object).ok()??.describe(pc)
    }

    fn instruction(&self, pc: u64) -> Option<String> {
        instruction(self.module, self.kernel.descriptor.wave_size(), pc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(value: u32, meant: u32) -> [Held; 1] {
        let part = Part::Scalar(4);
        [Held { part, value, meant }]
    }

    /// A mask of lanes lay where the rewritten code's addresses are.
    #[test]
    fn the_same_number_in_both_is_no_address_of_one() {
        let mask = held(0x1008_0000, 0x1008_0000);
        for (instrumented, is_mistaken) in [
            (held(0x1008_0000, 0x1009_f634), true),
            (held(0x1008_0004, 0x1009_f634), false),
            (held(0x1008_0004, 0x1008_0004), false),
        ] {
            let (what, mistaken) = difference_of(&mask, &instrumented);
            assert!(matches!(what, Difference::Register { .. }), "{what:?}");
            assert_eq!(mistaken, is_mistaken, "{instrumented:x?}");
        }
        let (what, _) = difference_of(&mask, &held(0x1010_0000, 0x1008_0000));
        assert!(matches!(what, Difference::Unstable), "{what:?}");
    }
}
