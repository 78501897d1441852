//! The statistics file: one JSON line per kernel and process, kept up to date while the program runs.
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
    sync::{Mutex, PoisonError},
};

use files::{Keeper, Kept};
use gpu::{Counts, Dispatch, Observer, Record};

use crate::{report::report, source};

/// Bytes of a line, its newline included.
const LINE: usize = 2048;

/// Totals of one kernel.
#[derive(Default)]
struct Totals {
    /// Where its line begins.
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
}

/// The file, twice.
struct Files {
    /// Opened for appending, which `write_at` would not respect.
    append: File,
    update: File,
}

static KEEPER: Keeper = Keeper::new("luthier-stats");

struct Output {
    files: Kept<Files>,
    /// By address of the kernel descriptor; the name tells apart what was loaded there one after the other.
    kernels: HashMap<u64, (String, Totals)>,
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

    /// Counts what a dispatch has executed that will not end any more, without its time.
    pub fn unfinished(&self, dispatch: &Dispatch, counts: Counts) {
        self.dispatch_finished(&Record {
            dispatch,
            start: 0,
            end: 0,
            outcome: &Ok(counts),
        });
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
        let Some(output) = &self.output else { return };
        let mut output = output.lock().unwrap_or_else(|poison| poison.into_inner());
        if output.failed {
            return;
        }
        if let Err(error) = output.add(record) {
            output.failed = true;
            report(&format!(
                "luthier: statistics end here: {}: {error}",
                output.path.display()
            ));
        }
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
        let dispatch = record.dispatch;
        let address = dispatch.packet.kernel_object;
        let is_new = self
            .kernels
            .get(&address)
            .is_none_or(|(label, _)| *label != dispatch.label());
        if is_new {
            let totals = Totals {
                offset: self.files.with(Files::line)??,
                ..Totals::default()
            };
            self.kernels.insert(address, (dispatch.label(), totals));
        }
        let Some((label, totals)) = self.kernels.get_mut(&address) else {
            return Ok(());
        };
        totals.dispatches += 1;
        totals.workgroups += dispatch.workgroup_count();
        totals.work_items += dispatch
            .packet
            .grid_size
            .iter()
            .map(|size| u64::from(*size))
            .product::<u64>();
        totals.nanoseconds +=
            (record.end - record.start) * (1_000_000_000 / gpu::clock::TICKS_PER_SECOND);
        match record.outcome {
            Err(_) => totals.faults += 1,
            Ok(counts) => {
                totals.waves += counts.waves;
                totals.wave_instructions += counts.wave_instructions;
                totals.lane_instructions += counts.lane_instructions;
                for count in &counts.classes {
                    let (waves, lanes) = (count.wave_instructions, count.lane_instructions);
                    match totals
                        .classes
                        .iter_mut()
                        .find(|(class, _, _)| *class == count.class)
                    {
                        Some(total) => {
                            total.1 += waves;
                            total.2 += lanes;
                        }
                        None => totals.classes.push((count.class, waves, lanes)),
                    }
                }
            }
        }
        let line = line(
            label,
            dispatch.target.name,
            dispatch.origin.node,
            address,
            totals,
        );
        let offset = totals.offset;
        self.files
            .with(move |files| files.update.write_all_at(line.as_bytes(), offset))?
    }
}

/// The padded line, without its newline. A name too long for it is cut.
fn line(label: &str, device: &str, node: u32, address: u64, totals: &Totals) -> String {
    let mut classes = String::new();
    for (class, waves, lanes) in &totals.classes {
        let comma = if classes.is_empty() { "" } else { "," };
        classes += &format!("{comma}\"{class}\":[{waves},{lanes}]");
    }
    let rest = format!(
        "\"device\":\"{device}\",\"node\":{node},\"pid\":{},\"kernel_object\":{address},\"dispatches\":{},\"faults\":{},\
         \"workgroups\":{},\"work_items\":{},\"nanoseconds\":{},\"waves\":{},\"wave_instructions\":{},\
         \"lane_instructions\":{},\"classes\":{{{classes}}}}}",
        std::process::id(),
        totals.dispatches,
        totals.faults,
        totals.workgroups,
        totals.work_items,
        totals.nanoseconds,
        totals.waves,
        totals.wave_instructions,
        totals.lane_instructions,
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
