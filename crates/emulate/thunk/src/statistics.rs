//! The statistics file: one JSON line per kernel and process, kept up to date while the program runs.
//!
//! The file has a kernel soon after its beginning, and its counts while it runs, so that it has them however the process ends.
//!
//! Lines have a fixed length (padded with spaces), so that each can be rewritten in place with one system call and the file
//! is complete whenever the process dies. New lines are appended atomically, so several processes may share the file. It is open
//! in a table of descriptors that the application does not share.

use std::{
    collections::{BTreeSet, HashMap},
    env,
    fs::{File, OpenOptions},
    io::{Seek, Write},
    os::unix::fs::FileExt,
    path::PathBuf,
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

use compute::Running;
use counts::{Executed, Kernel, Reached};
use gpu::{Counts, Dispatch, Observer, Record};
use guest::{Keeper, Kept};
use kmt_sys::door::{self, EXACTNESS_VARIABLE};

use crate::{report::report, source};

/// Bytes of a line, its newline included.
const LINE: usize = 9216;

/// Totals of one kernel.
#[derive(Clone)]
struct Totals {
    /// The offset at which its line begins.
    offset: u64,
    kernel: Kernel,
}

/// The file, twice.
struct Files {
    /// Opened for appending, which `write_at` would not respect.
    append: File,
    update: File,
}

pub(crate) static KEEPER: Keeper = Keeper::new("luthier-stats");

/// A kernel that has begun.
struct Begun {
    dispatch: Arc<Dispatch>,
    /// The instructions that it has executed so far.
    counts: Counts,
    /// The file has it.
    is_told: bool,
}

struct Output {
    files: Kept<Files>,
    /// By address of the kernel descriptor; the name tells apart what was loaded there one after the other.
    kernels: HashMap<u64, Totals>,
    /// Kernels that have not ended. If a queue is destroyed, its kernel never does.
    running: Vec<Begun>,
    path: PathBuf,
    /// Results that a GPU may compute otherwise are followed.
    follows: bool,
    failed: bool,
}

/// Observer of the machine: writes statistics if asked to, and prints reports.
pub struct Statistics {
    output: Option<Mutex<Output>>,
    /// Kernels whose lost atomics were told.
    warned: Mutex<BTreeSet<String>>,
}

impl Statistics {
    /// Statistics go to the file that `LUTHIER_STATS` names, if it is set.
    pub fn from_environment() -> Statistics {
        let path = env::var_os("LUTHIER_STATS")
            .filter(|path| !path.is_empty())
            .map(PathBuf::from);
        let output = path.and_then(|path| match Files::open(path.clone()) {
            Ok(files) => Some(Mutex::new(Output {
                files,
                kernels: HashMap::new(),
                running: Vec::new(),
                path,
                follows: wants_exactness(),
                failed: false,
            })),
            Err(error) => {
                report(&format!(
                    "luthier: no statistics: LUTHIER_STATS={}: {error}",
                    path.display()
                ));
                None
            }
        });
        Statistics {
            output,
            warned: Mutex::default(),
        }
    }

    /// Returns `true` if the user asked for results that a GPU may compute otherwise to be followed.
    pub fn follow_inexact(&self) -> bool {
        self.are_wanted() && wants_exactness()
    }

    /// A kernel has used such a result. The file gets it when the kernel ends, or with its next counts.
    pub fn reached(&self, dispatch: &Dispatch, reached: Reached) {
        self.with_output(|output| {
            output.totals(dispatch)?.kernel.add_reached(reached);
            Ok(())
        });
    }

    /// Returns `true` if the user asked for statistics.
    pub fn are_wanted(&self) -> bool {
        self.output.is_some()
    }

    /// A kernel begins. The file gets its line now if it has none: the process may end at any moment. Where it has one, the next
    /// [`Statistics::tell_begun`] adds this launch to it, since a line for every launch would cost as much as a small kernel.
    pub fn begins(&self, dispatch: &Arc<Dispatch>) {
        self.with_output(|output| {
            let is_told = !output.has_line(dispatch);
            output.running.push(Begun {
                dispatch: dispatch.clone(),
                counts: Counts::default(),
                is_told,
            });
            match is_told {
                true => output.write(dispatch),
                false => Ok(()),
            }
        });
    }

    /// Puts kernels into the file that have begun since the last call and still run.
    pub fn tell_begun(&self) {
        self.with_output(|output| {
            let untold = output.running.iter_mut().filter(|begun| !begun.is_told);
            let untold = untold.map(|begun| {
                begun.is_told = true;
                begun.dispatch.clone()
            });
            let untold: Vec<_> = untold.collect();
            untold
                .iter()
                .try_for_each(|dispatch| output.write(dispatch))
        });
    }

    /// Kernels have executed so much. They have no times yet. The file has the totals of kernels that have ended meanwhile.
    pub fn running(&self, now: Vec<Running>) {
        self.with_output(|output| {
            let mut changed = Vec::new();
            for Running {
                dispatch, counts, ..
            } in now
            {
                let same = |begun: &&mut Begun| Arc::ptr_eq(&begun.dispatch, &dispatch);
                if let Some(begun) = output.running.iter_mut().find(same) {
                    begun.counts = counts;
                    changed.push(dispatch);
                }
            }
            changed
                .iter()
                .try_for_each(|dispatch| output.write(dispatch))
        });
    }

    fn with_output(&self, act: impl FnOnce(&mut Output) -> std::io::Result<()>) {
        let Some(output) = &self.output else { return };
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        if output.failed {
            return;
        }
        if let Err(error) = act(&mut output) {
            output.failed = true;
            report(&format!(
                "luthier: statistics end here: {}: {error}",
                output.path.display()
            ));
        }
    }

    /// Says once per kernel what a program on the real device would notice by wrong sums only.
    fn warn_of_lost_atomics(&self, record: &Record<'_>) {
        let lost = record
            .outcome
            .as_ref()
            .map_or(0, |counts| counts.lost_atomics);
        if lost == 0 {
            return;
        }
        let (label, device) = (record.dispatch.label(), record.dispatch.target.name);
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(label.clone()) {
            report(&format!(
                "luthier: {label}: {lost} floating-point atomics on fine-grained memory of the host changed nothing, as on a \
                 {device}: use hipMalloc or hipHostMallocNonCoherent for it, or compile without -munsafe-fp-atomics"
            ));
        }
    }
}

/// Returns `true` if results that a GPU may compute otherwise are to be followed.
pub fn wants_exactness() -> bool {
    door::value(EXACTNESS_VARIABLE).is_some_and(|said| said == "1")
}

impl Observer for Statistics {
    fn dispatch_finished(&self, record: &Record<'_>) {
        self.warn_of_lost_atomics(record);
        self.with_output(|output| output.add(record));
    }

    fn source(&self, pc: u64) -> Option<String> {
        source::describe(pc)
    }

    fn report(&self, message: &str) {
        report(message);
    }
}

impl Files {
    fn open(path: PathBuf) -> std::io::Result<Kept<Files>> {
        Kept::make(&KEEPER, move || -> std::io::Result<Files> {
            Ok(Files {
                append: OpenOptions::new().create(true).append(true).open(&path)?,
                update: OpenOptions::new().write(true).open(&path)?,
            })
        })?
    }

    /// Appends an empty line and says where it begins.
    fn line(&mut self) -> std::io::Result<u64> {
        self.append
            .write_all(&[&[b' '; LINE - 1][..], b"\n"].concat())?;
        Ok(self.append.stream_position()? - LINE as u64)
    }
}

impl Output {
    fn add(&mut self, record: &Record<'_>) -> std::io::Result<()> {
        let ended = record.dispatch;
        self.running
            .retain(|running| !ptr::eq(&*running.dispatch, ended));
        let nanoseconds =
            (record.end - record.start) * (1_000_000_000 / gpu::clock::TICKS_PER_SECOND);
        let kernel = &mut self.totals(ended)?.kernel;
        match record.outcome {
            Ok(counts) => add(kernel, ended, nanoseconds, counts),
            Err(fault) => {
                kernel.faults += 1;
                let none = Counts::default();
                let executed = fault.executed.as_deref().unwrap_or(&none);
                add(kernel, ended, nanoseconds, executed);
            }
        }
        self.write(ended)
    }

    /// Returns `true` if the file has a line for the dispatch's kernel.
    fn has_line(&self, dispatch: &Dispatch) -> bool {
        let known = self.kernels.get(&dispatch.packet.kernel_object);
        known.is_some_and(|known| known.kernel.kernel == dispatch.label())
    }

    /// The totals of the dispatch's kernel. Adds a line for the kernel if there is none.
    fn totals(&mut self, dispatch: &Dispatch) -> std::io::Result<&mut Totals> {
        let (address, label) = (dispatch.packet.kernel_object, dispatch.label());
        if !self.has_line(dispatch) {
            let reached = self.follows.then(Vec::new);
            let totals = Totals {
                offset: self.files.with(Files::line)??,
                kernel: Kernel {
                    kernel: label,
                    device: dispatch.target.name.into(),
                    node: dispatch.origin.node,
                    pid: Some(std::process::id()),
                    // They are looked for, even if there are none.
                    inexact: Some(Vec::new()),
                    reached,
                    ..Kernel::default()
                },
            };
            self.kernels.insert(address, totals);
        }
        match self.kernels.get_mut(&address) {
            Some(totals) => Ok(totals),
            None => unreachable!("it was inserted above"),
        }
    }

    /// Writes the line of the dispatch's kernel.
    fn write(&mut self, dispatch: &Dispatch) -> std::io::Result<()> {
        let (address, label) = (dispatch.packet.kernel_object, dispatch.label());
        let mut totals = self.totals(dispatch)?.clone();
        for running in &self.running {
            let other = &running.dispatch;
            if other.packet.kernel_object == address && other.label() == label {
                add(&mut totals.kernel, other, 0, &running.counts);
            }
        }
        let line = counts::line(&totals.kernel, LINE);
        self.files
            .with(move |files| files.update.write_all_at(&line, totals.offset))?
    }
}

/// Adds a dispatch that has executed so much.
fn add(kernel: &mut Kernel, dispatch: &Dispatch, nanoseconds: u64, counts: &Counts) {
    let sizes = dispatch.packet.grid_size.iter();
    kernel.dispatches += 1;
    kernel.workgroups += dispatch.workgroup_count();
    kernel.work_items += sizes.map(|size| u64::from(*size)).product::<u64>();
    kernel.nanoseconds += nanoseconds;
    kernel.executed.add(&Executed::from(counts));
    kernel.waited += u64::from(counts.waited);
    for (name, count) in &counts.counters {
        kernel.add_counter(name, *count);
    }
    for more in &counts.inexact {
        kernel.add_inexact(counts::Inexact {
            reason: more.reason.into(),
            op: more.op.into(),
            waves: more.wave_instructions,
            lanes: more.lane_instructions,
        });
    }
}
