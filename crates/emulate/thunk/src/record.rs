//! Dispatches as files, for `luthier verify`: the first of every kernel whose name was asked for.
//!
//! `LUTHIER_RECORD` names a directory, `LUTHIER_RECORD_KERNEL` is a regular expression for symbols (default: all). A file
//! holds all memory that the device may use at the moment the dispatch starts; what other queues or the host change just
//! then may be in it or not.

use std::{
    collections::BTreeSet,
    env, fs,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use gpu::{Dispatch, Executor, Job, Memory, memory::ExtentOrigin};
use hsa_tool::memory;
use recording::{Header, Kind, PAGE, Page, Range};
use regex::Regex;

use crate::{report::report, source};

/// Recordings by this process. A program may start its devices anew.
static RECORDED: AtomicU64 = AtomicU64::new(0);

/// An executor that writes some dispatches down before it passes them on.
pub struct Recorder<E> {
    executor: E,
    memory: Arc<Memory>,
    directory: PathBuf,
    kernels: Option<Regex>,
    seen: Mutex<BTreeSet<String>>,
}

/// Wraps `executor` if recordings are asked for.
pub fn wrap(executor: impl Executor + 'static, memory: Arc<Memory>) -> Arc<dyn Executor> {
    let directory = env::var_os("LUTHIER_RECORD").filter(|directory| !directory.is_empty());
    let Some(directory) = directory.map(PathBuf::from) else {
        return Arc::new(executor);
    };
    let pattern = env::var("LUTHIER_RECORD_KERNEL").ok();
    let kernels = match pattern.as_deref().map(Regex::new).transpose() {
        Ok(kernels) => kernels,
        Err(error) => {
            report(&format!(
                "luthier: nothing is recorded: LUTHIER_RECORD_KERNEL: {error}"
            ));
            return Arc::new(executor);
        }
    };
    Arc::new(Recorder {
        executor,
        memory,
        directory,
        kernels,
        seen: Mutex::default(),
    })
}

impl<E: Executor> Executor for Recorder<E> {
    fn start(&self) -> std::io::Result<()> {
        self.executor.start()
    }

    fn submit(&self, job: Job) {
        if let Some(name) = self.wanted(&job.dispatch) {
            // With descriptors of its own, if it can have them.
            let recorded = files::apart(|| self.record(&job.dispatch, &name))
                .unwrap_or_else(|_| self.record(&job.dispatch, &name));
            report(&match recorded {
                Ok(path) => format!("luthier: {name} is recorded in {}", path.display()),
                Err(problem) => format!("luthier: {name} is not recorded: {problem}"),
            });
        }
        self.executor.submit(job);
    }

    fn invalidate_code(&self) {
        self.executor.invalidate_code();
    }

    fn barriers(&self) -> Vec<u32> {
        self.executor.barriers()
    }

    fn native_blits(&self) -> bool {
        self.executor.native_blits()
    }

    fn resident_waves(&self) -> u32 {
        self.executor.resident_waves()
    }
}

impl<E: Executor> Recorder<E> {
    /// The kernel's name if this is its first dispatch and it was asked for.
    fn wanted(&self, dispatch: &Dispatch) -> Option<String> {
        let name = dispatch.name.clone()?;
        let asked = self
            .kernels
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(&name));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (asked && seen.insert(name.clone())).then_some(name)
    }

    fn record(&self, dispatch: &Dispatch, name: &str) -> Result<PathBuf, String> {
        let (base, object) =
            source::object(dispatch.entry).ok_or("its code object cannot be found")?;
        let ranges = self.ranges()?;
        let header = Header {
            kernel: name.to_owned(),
            device: dispatch.target.name.to_owned(),
            base,
            packet: dispatch.packet.to_bytes().to_vec(),
            packet_address: dispatch.origin.packet_address,
            queue_address: dispatch.origin.queue_address,
            dispatch_id: dispatch.origin.dispatch_id,
            ranges,
            barriers: self.executor.barriers(),
        };
        files::make_directories(&self.directory)
            .map_err(|error| format!("{}: {error}", self.directory.display()))?;
        let path = self.path(name);
        let pages = header.ranges.iter().flat_map(pages);
        recording::write(&path, &header, &object, pages).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// A file name that nothing else uses: no other process, no earlier device of this one, and no earlier program in it. Mangled names may be longer than file
    /// names can be.
    fn path(&self, name: &str) -> PathBuf {
        let short: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(80)
            .collect();
        loop {
            let number = RECORDED.fetch_add(1, Ordering::Relaxed) + 1;
            let file = format!("{short}.{}.{number}.dispatch", std::process::id());
            let path = self.directory.join(file);
            if fs::symlink_metadata(&path).is_err() {
                return path;
            }
        }
    }

    /// What the device may use and what is really there: registered memory may have been unmapped since.
    fn ranges(&self) -> Result<Vec<Range>, String> {
        let mapped = mapped()?;
        let mut ranges = Vec::new();
        for extent in self.memory.extents() {
            let kind = match extent.origin {
                ExtentOrigin::Allocated => Kind::Allocated,
                ExtentOrigin::Registered => Kind::Registered,
                ExtentOrigin::Shared => Kind::Shared,
            };
            for (start, end) in &mapped {
                let (start, end) = (extent.start.max(*start), extent.end.min(*end));
                if start < end {
                    ranges.push(Range {
                        start,
                        size: end - start,
                        kind,
                    });
                }
            }
        }
        Ok(ranges)
    }
}

/// Readable address ranges of this process; neighbours are joined.
fn mapped() -> Result<Vec<(u64, u64)>, String> {
    let text = fs::read_to_string("/proc/self/maps")
        .map_err(|error| format!("/proc/self/maps: {error}"))?;
    let mut mapped: Vec<(u64, u64)> = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (Some(addresses), Some(rights)) = (words.next(), words.next()) else {
            continue;
        };
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        let Some((start, end)) = addresses
            .split_once('-')
            .and_then(|(start, end)| Some((number(start)?, number(end)?)))
        else {
            continue;
        };
        if !rights.starts_with('r') {
            continue;
        }
        match mapped.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ => mapped.push((start, end)),
        }
    }
    Ok(mapped)
}

/// The pages of a range that are not zero. A page that went away since the ranges were listed counts as zero.
fn pages(range: &Range) -> impl Iterator<Item = (u64, Box<Page>)> + use<> {
    let start = range.start & !(PAGE - 1);
    let end = (range.start + range.size).next_multiple_of(PAGE);
    let all = || (start..end).step_by(PAGE as usize).collect();
    let candidates: Vec<u64> = match range.kind {
        // Most of what ROCr allocates is never used.
        Kind::Allocated => recording::touched(start, end).unwrap_or_else(|_| all()),
        Kind::Registered | Kind::Shared => all(),
    };
    candidates.into_iter().filter_map(|at| {
        let bytes = memory::bytes(at, PAGE as usize)?;
        let page: Box<Page> = bytes.into_boxed_slice().try_into().ok()?;
        page.iter().any(|byte| *byte != 0).then_some((at, page))
    })
}
