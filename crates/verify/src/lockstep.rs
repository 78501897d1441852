//! The original kernel and an instrumented one, instruction by instruction.

use crate::{
    Subject,
    live::{Part, Rows},
    record::{Look, Places, Snapshot, Watch, WaveId},
    stage::Stage,
};
use codeobj::CodeObject;
use isa::Decoder;
use lift::Module;
use rewrite::{Rewritten, Symbol};
use std::{
    collections::{HashMap, HashSet},
    fmt,
};
use template::Global;

/// Looks at waves that are kept, 16 bytes each.
const LIMIT: usize = 30_000_000;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Emulate(#[from] emulate::Error),
    #[error(transparent)]
    CodeObject(#[from] codeobj::Error),
    #[error("the code object has no kernel {0}")]
    NoKernel(String),
    #[error(transparent)]
    Refused(#[from] rewrite::Refusal),
    #[error("the instrumented code refers to {0}, which is no variable of its tools")]
    NoGlobal(String),
    #[error(
        "not at its end after {limit} instructions: the launch is too long to compare, or waits for something outside of the kernel; use a smaller grid"
    )]
    TooLong { limit: usize },
}

/// What was found.
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
    /// The original does not do the same twice, so nothing can be said of a difference: it asks for the time, say.
    Unrepeatable {
        /// Where the first wave that shows it does something else.
        place: Option<Place>,
    },
    Diverged(Divergence),
}

/// The first difference of the first wave that has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    pub place: Option<Place>,
    pub what: Difference,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
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
    /// Of a recorded dispatch.
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

impl fmt::Display for Place {
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
                "the registers differ, but not again when looked at: the kernel's result depends on time"
            ),
        }
    }
}

/// The original's own addresses.
fn own_places(module: &Module, base: u64) -> Places {
    let pcs = module
        .functions
        .iter()
        .flat_map(|function| function.insts.iter().map(|inst| inst.pc));
    Places {
        start: base,
        base,
        instructions: pcs.map(|pc| (pc, pc)).collect(),
        inserted: HashMap::new(),
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
    let subject = subject.into();
    let name = subject.kernel();
    let kernel = object.kernel(name)?;
    let mut stage = Stage::new(object, module, subject)?;
    let private = rewritten.descriptor.private_segment_size();
    stage.device.widen_scratch(&mut stage.prepared, private)?;
    let base = stage.device.base();
    let (mut bytes, patches) = rewrite::live_object(rewritten, object)?;
    let mut addresses = HashMap::new();
    for global in globals {
        let contents = global.initial.clone().unwrap_or_default();
        addresses.insert(&global.name, stage.device.buffer(&contents, global.size)?);
    }
    for patch in &patches {
        let address = match &patch.symbol {
            Symbol::Original(address) => base + address,
            Symbol::Tool(name) => *addresses
                .get(name)
                .ok_or_else(|| Error::NoGlobal(name.clone()))?,
            Symbol::Text(_) => 0,
        };
        patch.apply(&mut bytes, address);
    }
    let variant = CodeObject::parse(&bytes)?;
    let variant_base = stage.device.add(&variant)?;
    let entry = variant.kernel(name)?.entry;
    let text = variant_base + entry - rewritten.entry;
    let pairs = |inserted: bool| {
        let pairs = rewritten
            .pcs
            .iter()
            .filter(|pair| pair.inserted == inserted);
        pairs.map(|pair| (pair.new, pair.old)).collect()
    };
    let variant_places = Places {
        start: text,
        base,
        instructions: pairs(false),
        inserted: pairs(true),
    };
    let first = |wanted| Watch {
        rows: Some(Rows::of(&kernel.descriptor, &kernel.descriptor)),
        places: own_places(module, base),
        wanted,
        limit: LIMIT,
        ..Watch::default()
    };
    let second = |wanted| Watch {
        rows: Some(Rows::of(&rewritten.descriptor, &kernel.descriptor)),
        places: variant_places.clone(),
        wanted,
        limit: LIMIT,
        ..Watch::default()
    };
    let run_second = |watch| {
        stage.run(watch, |stage| {
            stage
                .device
                .run_other(&stage.prepared, &variant, variant_base)
        })
    };
    let (mut before, memory_before) = stage.original(first(None))?;
    let (mut after, memory_after) = run_second(second(None))?;
    let common = keep_common(&mut before, &mut after);
    // Of a difference, whether the original differs from itself.
    let repeats = |what: Divergence| {
        let (mut again, memory_again) = stage.original(first(None))?;
        keep(&mut again, &common);
        let differs = |(id, looks): (&WaveId, &Vec<Look>)| {
            let others = again.looks.get(id).map_or(&[][..], Vec::as_slice);
            first_difference(looks, others).map(|step| (*id, step))
        };
        if let Some((id, step)) = before.looks.iter().find_map(differs) {
            let place = place(object, module, &kernel, id, &before.looks[&id], step);
            return Ok(Verdict::Unrepeatable { place });
        }
        Ok(match (&memory_before, &memory_again) {
            (Ok(a), Ok(b)) if stage.compare_memory(a, b).is_some() => {
                Verdict::Unrepeatable { place: None }
            }
            _ => Verdict::Diverged(what),
        })
    };
    let (mut compared, waves) = (0, before.looks.len() as u64);
    for (id, looks) in &before.looks {
        let others = after.looks.get(id).map_or(&[][..], Vec::as_slice);
        compared += looks.len() as u64;
        let found = match (&memory_before, &memory_after) {
            (Ok(_), Ok(_)) => first_difference(looks, others),
            // The wave may have been stopped before it could go on.
            _ => looks.iter().zip(others).position(|(a, b)| a != b),
        };
        let Some(step) = found else {
            continue;
        };
        let what = difference(looks, others, step, |look, other| {
            let wanted = |look: &Look| Some((*id, look.index as usize));
            let a = stage.original(first(wanted(look)))?.0.snapshot;
            let b = run_second(second(wanted(other)))?.0.snapshot;
            Ok((a, b))
        })?;
        let place = place(object, module, &kernel, *id, looks, step);
        return repeats(Divergence { place, what });
    }
    let same = |stopped| Verdict::Same {
        compared,
        waves,
        stopped,
    };
    match (&memory_before, memory_after) {
        (Ok(a), Ok(b)) => match stage.compare_memory(a, &b) {
            Some(what) => repeats(Divergence { place: None, what }),
            None => Ok(same(None)),
        },
        (Err(why), Err(_)) => Ok(same(Some(why.to_string()))),
        (Ok(_), Err(why)) => Err(why.into()),
        (Err(_), Ok(_)) => {
            let what = Difference::Survived;
            Ok(Verdict::Diverged(Divergence { place: None, what }))
        }
    }
}

/// Overwrites all dead registers before every instruction of the original; its results must not change.
pub fn poison<'a>(
    object: &CodeObject<'a>,
    module: &Module,
    subject: impl Into<Subject<'a>>,
    seed: u32,
) -> Result<Verdict, Error> {
    let subject = subject.into();
    let kernel = object.kernel(subject.kernel())?;
    let stage = Stage::new(object, module, subject)?;
    let watch = |poison| Watch {
        rows: Some(Rows::of(&kernel.descriptor, &kernel.descriptor)),
        places: own_places(module, stage.device.base()),
        poison,
        limit: LIMIT,
        ..Watch::default()
    };
    let (before, memory_before) = stage.original(watch(None))?;
    let (after, memory_after) = stage.original(watch(Some(seed)))?;
    let (mut compared, waves) = (0, before.looks.len() as u64);
    for (id, looks) in &before.looks {
        let others = after.looks.get(id).map_or(&[][..], Vec::as_slice);
        compared += looks.len() as u64;
        if let Some(step) = first_difference(looks, others) {
            let place = place(object, module, &kernel, *id, looks, step);
            let what = Difference::Way {
                instrumented: others.get(step).map(|look| look.pc),
            };
            return Ok(Verdict::Diverged(Divergence { place, what }));
        }
    }
    let what = stage.compare_memory(&memory_before?, &memory_after?);
    Ok(match what {
        Some(what) => Verdict::Diverged(Divergence { place: None, what }),
        None => Verdict::Same {
            compared,
            waves,
            stopped: None,
        },
    })
}

/// Waits may share a micro-op with the instruction before them, differently in the two codes; only addresses that both
/// executions stopped at can be compared. They are the result.
fn keep_common(a: &mut Watch, b: &mut Watch) -> HashSet<u64> {
    let pcs = |watch: &Watch| -> HashSet<u64> {
        let looks = watch.looks.values().flatten();
        looks.map(|look| look.pc).collect()
    };
    let common: HashSet<u64> = pcs(a).intersection(&pcs(b)).copied().collect();
    keep(a, &common);
    keep(b, &common);
    common
}

fn keep(watch: &mut Watch, pcs: &HashSet<u64>) {
    for looks in watch.looks.values_mut() {
        looks.retain(|look| pcs.contains(&look.pc));
    }
}

fn first_difference(a: &[Look], b: &[Look]) -> Option<usize> {
    let step = a.iter().zip(b).position(|(a, b)| a != b);
    step.or_else(|| (a.len() != b.len()).then(|| a.len().min(b.len())))
}

fn difference(
    looks: &[Look],
    others: &[Look],
    step: usize,
    snapshots: impl FnOnce(&Look, &Look) -> Result<(Option<Snapshot>, Option<Snapshot>), Error>,
) -> Result<Difference, Error> {
    let (Some(look), Some(other)) = (looks.get(step), others.get(step)) else {
        return Ok(Difference::Way {
            instrumented: others.get(step).map(|look| look.pc),
        });
    };
    if look.pc != other.pc {
        return Ok(Difference::Way {
            instrumented: Some(other.pc),
        });
    }
    let (Some(a), Some(b)) = snapshots(look, other)? else {
        return Ok(Difference::Unstable);
    };
    let found = a.iter().zip(&b).find(|(a, b)| a != b);
    Ok(match found {
        Some((&(part, original), &(_, instrumented))) => Difference::Register {
            part,
            original,
            instrumented,
        },
        None => Difference::Unstable,
    })
}

fn place(
    object: &CodeObject<'_>,
    module: &Module,
    kernel: &codeobj::Kernel<'_>,
    (workgroup, wave): WaveId,
    looks: &[Look],
    step: usize,
) -> Option<Place> {
    let pc = looks.get(step).or(looks.last())?.pc;
    let decoder =
        Decoder::with_features(object.target().target, kernel.descriptor.wave_size(), "").ok()?;
    let inst = module
        .functions
        .iter()
        .find_map(|function| Some(&function.insts[function.inst_at(pc)?]))?;
    Some(Place {
        workgroup,
        wave,
        step,
        pc,
        instruction: decoder.print(inst),
    })
}
