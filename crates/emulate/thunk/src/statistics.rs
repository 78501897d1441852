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
use files::{Keeper, Kept};
use gpu::{Counts, Dispatch, Observer, Record, executor::Inexact};

use crate::{report::report, source};

/// Bytes of a line, its newline included.
const LINE: usize = 6144;

/// Mnemonics of inexact instructions that a line names; further ones are summed up by reason under this name.
const TOLD: usize = 12;
const OTHERS: &str = "others";

/// Totals of one kernel.
#[derive(Clone, Default)]
struct Totals {
    /// The offset at which its line begins.
    offset: u64,
    dispatches: u64,
    faults: u64,
    workgroups: u64,
    work_items: u64,
    nanoseconds: u64,
    waves: u64,
    wave_instructions: u64,
    lane_instructions: u64,
    classes: Vec<(&'static str, u64, u64)>,
    counters: Vec<(&'static str, u64)>,
    inexact: Vec<Inexact>,
    /// Dispatches whose waves waited for memory.
    waited: u64,
}

/// The file, twice.
struct Files {
    /// Opened for appending, which `write_at` would not respect.
    append: File,
    update: File,
}

static KEEPER: Keeper = Keeper::new("luthier-stats");

/// A kernel that has begun.
struct Begun {
    dispatch: Arc<Dispatch>,
    /// What it has executed so far.
    counts: Counts,
    /// The file has it.
    is_told: bool,
}

struct Output {
    files: Kept<Files>,
    /// By address of the kernel descriptor; the name tells apart what was loaded there one after the other.
    kernels: HashMap<u64, (String, Totals)>,
    /// Kernels that have not ended. If a queue is destroyed, its kernel never does.
    running: Vec<Begun>,
    path: PathBuf,
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

    /// Whether the user asked for statistics.
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
        let counts = record.outcome.as_ref().ok();
        self.totals(ended)?.add(ended, nanoseconds, counts);
        self.write(ended)
    }

    /// Whether the file has a line for the dispatch's kernel.
    fn has_line(&self, dispatch: &Dispatch) -> bool {
        let known = self.kernels.get(&dispatch.packet.kernel_object);
        known.is_some_and(|(known, _)| *known == dispatch.label())
    }

    /// The totals of the dispatch's kernel. Adds a line for the kernel if there is none.
    fn totals(&mut self, dispatch: &Dispatch) -> std::io::Result<&mut Totals> {
        let (address, label) = (dispatch.packet.kernel_object, dispatch.label());
        if !self.has_line(dispatch) {
            let totals = Totals {
                offset: self.files.with(Files::line)??,
                ..Totals::default()
            };
            self.kernels.insert(address, (label, totals));
        }
        match self.kernels.get_mut(&address) {
            Some((_, totals)) => Ok(totals),
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
                totals.add(other, 0, Some(&running.counts));
            }
        }
        let line = line(
            &label,
            dispatch.target.name,
            dispatch.origin.node,
            address,
            &totals,
        );
        self.files
            .with(move |files| files.update.write_all_at(line.as_bytes(), totals.offset))?
    }
}

impl Totals {
    /// Adds a dispatch; no counts are those of one that faulted.
    fn add(&mut self, dispatch: &Dispatch, nanoseconds: u64, counts: Option<&Counts>) {
        self.dispatches += 1;
        self.workgroups += dispatch.workgroup_count();
        self.work_items += dispatch
            .packet
            .grid_size
            .iter()
            .map(|size| u64::from(*size))
            .product::<u64>();
        self.nanoseconds += nanoseconds;
        let Some(counts) = counts else {
            self.faults += 1;
            return;
        };
        self.waves += counts.waves;
        self.wave_instructions += counts.wave_instructions;
        self.lane_instructions += counts.lane_instructions;
        self.waited += u64::from(counts.waited);
        for count in &counts.classes {
            let (waves, lanes) = (count.wave_instructions, count.lane_instructions);
            let mut known = self.classes.iter_mut();
            match known.find(|(class, _, _)| *class == count.class) {
                Some(total) => {
                    total.1 += waves;
                    total.2 += lanes;
                }
                None => self.classes.push((count.class, waves, lanes)),
            }
        }
        for (name, count) in &counts.counters {
            let mut known = self.counters.iter_mut();
            match known.find(|(counter, _)| counter == name) {
                Some(total) => total.1 += count,
                None => self.counters.push((name, *count)),
            }
        }
        for more in &counts.inexact {
            let mut known = self.inexact.iter_mut();
            match known.find(|inexact| inexact.op == more.op) {
                Some(total) => {
                    total.wave_instructions += more.wave_instructions;
                    total.lane_instructions += more.lane_instructions;
                }
                None => self.inexact.push(*more),
            }
        }
    }
}

/// The padded line, without its newline. A name too long for it is cut.
fn line(label: &str, device: &str, node: u32, address: u64, totals: &Totals) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    let of_class = |(class, waves, lanes): &(_, _, _)| format!("\"{class}\":[{waves},{lanes}]");
    let classes = list(totals.classes.iter().map(of_class).collect());
    let of_counter = |(name, count): &(_, _)| format!("\"{name}\":{count}");
    let counters = list(totals.counters.iter().map(of_counter).collect());
    let of_op = |known: &Inexact| {
        let Inexact {
            reason,
            op,
            wave_instructions,
            lane_instructions,
        } = known;
        format!(
            "{{\"reason\":\"{reason}\",\"op\":\"{op}\",\"waves\":{wave_instructions},\"lanes\":{lane_instructions}}}"
        )
    };
    // A line has room for so many; those of more than these are summed up.
    let (told, rest) = totals.inexact.split_at(totals.inexact.len().min(TOLD));
    let mut told = told.to_vec();
    for more in rest {
        match told
            .iter_mut()
            .find(|known| known.op == OTHERS && known.reason == more.reason)
        {
            Some(known) => {
                known.wave_instructions += more.wave_instructions;
                known.lane_instructions += more.lane_instructions;
            }
            None => told.push(Inexact {
                op: OTHERS,
                ..*more
            }),
        }
    }
    let inexact = list(told.iter().map(of_op).collect());
    let rest = format!(
        "\"device\":\"{device}\",\"node\":{node},\"pid\":{},\"kernel_object\":{address},\"dispatches\":{},\"faults\":{},\
         \"workgroups\":{},\"work_items\":{},\"nanoseconds\":{},\"waves\":{},\"wave_instructions\":{},\
         \"lane_instructions\":{},\"classes\":{{{classes}}},\"counters\":{{{counters}}},\"inexact\":[{inexact}],\"waited\":{}}}",
        std::process::id(),
        totals.dispatches,
        totals.faults,
        totals.workgroups,
        totals.work_items,
        totals.nanoseconds,
        totals.waves,
        totals.wave_instructions,
        totals.lane_instructions,
        totals.waited,
    );
    let mut name = String::new();
    for character in label.chars() {
        let escaped = match character {
            '"' | '\\' => format!("\\{character}"),
            control if control < ' ' => format!("\\u{:04x}", control as u32),
            plain => plain.to_string(),
        };
        if name.len() + escaped.len() + rest.len() + 16 > LINE {
            break;
        }
        name += &escaped;
    }
    let mut line = format!("{{\"kernel\":\"{name}\",{rest}");
    while line.len() < LINE - 1 {
        line.push(' ');
    }
    line
}
