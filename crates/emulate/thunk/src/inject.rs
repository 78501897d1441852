//! `LUTHIER_INJECT`: one changed value in a run of `luthier check --inject`, or the places where values may be changed.
//!
//! The variable names a directory for what this process tells. `LUTHIER_INJECT_SPEC` says what is changed, `LUTHIER_INJECT_AT` where: the
//! launch (its node, queue and number there), the workgroup, the wave, the place in the wave, a seed, and the kernel's symbol. Without it, places are counted.
//! `LUTHIER_INJECT_BUDGET` is the most instructions that the process may execute: if it needs more, it ends at once.

use std::{
    env,
    fs::File,
    io::Write,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use compute::{Gate, Meeting, Pool};
use gpu::{Dispatch, Events, FaultKind, Job, Memory};
use guest::Kept;
use injection::{InLaunch, Injector, Line, Sink, Spec, Target, Turn};

use crate::{fresh, report::report, source, statistics::KEEPER};

const DIRECTORY: &str = "LUTHIER_INJECT";
const SPEC: &str = "LUTHIER_INJECT_SPEC";
const AT: &str = "LUTHIER_INJECT_AT";
const BUDGET: &str = "LUTHIER_INJECT_BUDGET";

/// The exit status of a process that has used up its budget; who started it reads the file, not the status.
const EXHAUSTED: i32 = 124;

/// The injection of this process.
pub struct Inject {
    injector: Arc<Injector>,
    file: Arc<Told>,
}

/// The file in which this process tells of its launches. Programs may close descriptors that they do not know.
struct Told {
    directory: PathBuf,
    /// With the process that has it: one that is forked from it begins its own.
    file: Mutex<Option<(u32, Kept<File>)>>,
}

impl Told {
    fn write(&self, line: &Line) -> std::io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        let (_, file) = match &mut *file {
            Some(file) if file.0 == process => file,
            other => {
                let directory = self.directory.clone();
                let make = move || Ok(fresh::of_process(&directory, "told")?.0);
                let made = Kept::make(&KEEPER, make).flatten()?;
                other.insert((process, made))
            }
        };
        let bytes = line.print().into_bytes();
        file.with(move |file| file.write_all(&bytes))?
    }
}

impl Sink for Told {
    fn tell(&self, line: Line) {
        if let Err(error) = self.write(&line) {
            let place = self.directory.display();
            report(&format!(
                "luthier: what was injected is not told: {place}: {error}"
            ));
        }
    }

    fn source(&self, pc: u64) -> Option<String> {
        source::find_debug_list();
        let (file, line) = source::line(pc)?;
        Some(format!("{file}:{line}"))
    }

    fn exhausted(&self) {
        // SAFETY: the call takes a number and ends the process at once; nothing of it is used afterwards.
        unsafe { libc::_exit(EXHAUSTED) }
    }
}

/// A pool with a gate ends waves that wait for each other. This gate does nothing else.
struct EndsWaiting;

impl Gate for EndsWaiting {
    fn met(&self, _: &Arc<Dispatch>, _: &Meeting) {}
}

impl Inject {
    /// The injection that the environment asks for, if it asks for one.
    pub fn from_environment() -> Option<Inject> {
        let directory = env::var_os(DIRECTORY).filter(|name| !name.is_empty())?;
        match Inject::read(directory.into()) {
            Ok(inject) => Some(inject),
            Err(why) => {
                report(&format!("luthier: nothing is injected: {why}"));
                None
            }
        }
    }

    fn read(directory: PathBuf) -> Result<Inject, String> {
        let said = |name: &str| env::var(name).unwrap_or_default();
        let spec: Spec = said(SPEC).parse().map_err(|why| format!("{SPEC}: {why}"))?;
        let target = match said(AT).as_str() {
            "" => None,
            at => Some(target(at).ok_or_else(|| format!("{AT}: {at:?} is no place"))?),
        };
        let budget = match said(BUDGET).as_str() {
            "" => u64::MAX,
            budget => budget
                .parse()
                .map_err(|_| format!("{BUDGET}: {budget:?} is no number"))?,
        };
        let file = Arc::new(Told {
            directory,
            file: Mutex::default(),
        });
        Ok(Inject {
            injector: Arc::new(Injector::new(spec, target, budget, file.clone())),
            file,
        })
    }

    /// The pool whose waves are changed. Waves have to execute alike in every run, so one thread runs them all.
    pub fn pool(&self, memory: Arc<Memory>, events: Arc<Events>) -> Pool {
        let pool = Pool::beside_program(memory, events, 1);
        pool.look_at_barriers(Arc::new(EndsWaiting));
        pool.follow(self.injector.clone());
        pool
    }

    /// The same job, whose end is told of.
    pub fn look_at(&self, job: Job) -> Job {
        self.injector.launched(&job.dispatch);
        let (injector, file) = (self.injector.clone(), self.file.clone());
        let (dispatch, paused, cancelled) = (job.dispatch.clone(), job.paused(), job.cancelled());
        let of_dispatch = dispatch.clone();
        let finish = move |outcome| {
            injector.ended(&of_dispatch);
            match &outcome {
                Ok(_) => {}
                Err(gpu::Fault {
                    kind: FaultKind::Stuck,
                    ..
                }) => file.tell(Line::Stuck),
                Err(fault) => file.tell(Line::Fault(kind(&fault.kind).to_owned())),
            }
            job.finish(outcome);
        };
        Job::new(dispatch, cancelled, Box::new(finish)).pausing(paused)
    }
}

/// The reason why a kernel stopped, in a few words.
fn kind(kind: &FaultKind) -> &'static str {
    match kind {
        FaultKind::Memory { write: false, .. } => "reads unmapped memory",
        FaultKind::Memory { write: true, .. } => "writes unmapped memory",
        FaultKind::Aperture { .. } => "address outside of all apertures",
        FaultKind::Unaligned { .. } => "misaligned address",
        FaultKind::WrongFree { .. } => "wrong free",
        FaultKind::IllegalInstruction => "illegal instruction",
        FaultKind::Unsupported => "unsupported instruction",
        FaultKind::Trap { .. } => "trap",
        FaultKind::Stuck => "waves wait for each other",
    }
}

fn target(text: &str) -> Option<Target> {
    let mut parts = text.splitn(8, ' ');
    let mut number = || parts.next()?.parse::<u64>().ok();
    let turn = Turn {
        node: number()?.try_into().ok()?,
        queue: number()?,
        number: number()?,
    };
    let (workgroup, wave) = (number()?, number()?);
    let (place, seed) = (number()?, number()?);
    Some(Target {
        turn,
        place: InLaunch {
            workgroup,
            wave: wave.try_into().ok()?,
            place,
        },
        seed,
        kernel: parts.next()?.to_owned(),
    })
}
