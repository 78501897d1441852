//! Dispatches as files, for `luthier verify`: the first of every kernel whose name was asked for.
//!
//! `LUTHIER_RECORD` names a directory. `LUTHIER_RECORD_KERNEL` is a regular expression for symbols (default: all). A file holds all memory
//! that the device may use at the moment when the dispatch starts; changes that other queues or the host make at that moment may be in it
//! or not. The file holds the pages that the dispatch uses of memory that the program never registered with the device.

use std::{
    collections::BTreeSet,
    env, fs,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use gpu::{Dispatch, Executor, Job, Memory, Transfer, memory::ExtentOrigin};
use guest::memory;
use recording::{Header, Kind, PAGE, Page, Range};
use regex::Regex;

use crate::{mappings, report::report, source};

/// Recordings by this process. A program may start its devices anew.
static RECORDED: AtomicU64 = AtomicU64::new(0);

/// An executor that writes some dispatches down before it passes them on.
pub struct Recorder<E> {
    executor: E,
    kernels: Option<Regex>,
    shelf: Arc<Shelf>,
}

/// The directory for recordings, and the machine whose memory they contain.
struct Shelf {
    memory: Arc<Memory>,
    directory: PathBuf,
    seen: Mutex<BTreeSet<String>>,
}

/// Wraps `executor` if recordings are asked for.
pub fn wrap(executor: impl Executor + 'static, memory: Arc<Memory>) -> Arc<dyn Executor> {
    let directory = env::var_os("LUTHIER_RECORD").filter(|directory| !directory.is_empty());
    let Some(directory) = directory.map(PathBuf::from) else {
        return Arc::new(executor);
    };
    let pattern = env::var_os("LUTHIER_RECORD_KERNEL");
    let pattern = pattern.map(|pattern| pattern.to_string_lossy().into_owned());
    let kernels = match pattern.as_deref().map(Regex::new).transpose() {
        Ok(kernels) => kernels,
        Err(error) => {
            // (The lines above the last one draw the place.)
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            report(&format!(
                "luthier: nothing is recorded: LUTHIER_RECORD_KERNEL: {last}"
            ));
            return Arc::new(executor);
        }
    };
    Arc::new(Recorder {
        executor,
        kernels,
        shelf: Arc::new(Shelf {
            memory,
            directory,
            seen: Mutex::default(),
        }),
    })
}

impl<E: Executor> Executor for Recorder<E> {
    fn start(&self) -> std::io::Result<()> {
        self.executor.start()
    }

    fn submit(&self, job: Job) {
        let Some(name) = self.wanted(&job.dispatch) else {
            return self.executor.submit(job);
        };
        let barriers = self.executor.barriers(job.dispatch.origin.node);
        if self.shelf.memory.is_pageable() {
            return self.executor.submit(self.shelf.watch(job, name, barriers));
        }
        let (shelf, dispatch) = (&self.shelf, &job.dispatch);
        let recorded = apart(|| {
            let start = shelf.start(dispatch, &name, barriers.clone())?;
            let pages = start.header.ranges.iter().flat_map(pages);
            shelf.write(&start.header, &start.object, pages)
        });
        say(&name, recorded);
        self.executor.submit(job);
    }

    fn invalidate_code(&self) {
        self.executor.invalidate_code();
    }

    fn settle(&self, queue: u64) {
        self.executor.settle(queue);
    }

    fn resume(&self) {
        self.executor.resume();
    }

    fn barriers(&self, node: u32) -> Vec<u32> {
        self.executor.barriers(node)
    }

    fn follows_order(&self) -> bool {
        self.executor.follows_order()
    }

    fn transfers(&self, transfer: &Transfer<'_>) {
        self.executor.transfers(transfer);
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
        (asked && lock(&self.shelf.seen).insert(name.clone())).then_some(name)
    }
}

/// A dispatch that is about to start.
struct Start {
    header: Header,
    object: Vec<u8>,
}

impl Shelf {
    fn start(&self, dispatch: &Dispatch, name: &str, barriers: Vec<u32>) -> Result<Start, String> {
        let (base, object) =
            source::object(dispatch.entry).ok_or("its code object cannot be found")?;
        let header = Header {
            kernel: name.to_owned(),
            device: dispatch.target.name.to_owned(),
            base,
            packet: dispatch.packet.to_bytes().to_vec(),
            packet_address: dispatch.origin.packet_address,
            queue_address: dispatch.origin.queue_address,
            dispatch_id: dispatch.origin.dispatch_id,
            ranges: self.ranges()?,
            barriers,
        };
        Ok(Start { header, object })
    }

    fn write(
        &self,
        header: &Header,
        object: &[u8],
        pages: impl Iterator<Item = (u64, Box<Page>)>,
    ) -> Result<PathBuf, String> {
        outputs::make_directories(&self.directory)
            .map_err(|error| format!("{}: {error}", self.directory.display()))?;
        let path = self.path(&header.kernel);
        recording::write(&path, header, object, pages).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// If devices reach all memory of the program, the pages that a dispatch has used are known only at its end. Memory that the device
    /// knows is kept from the start.
    fn watch(self: &Arc<Self>, job: Job, name: String, barriers: Vec<u32>) -> Job {
        let (shelf, dispatch) = (self.clone(), job.dispatch.clone());
        let (cancelled, paused) = (job.cancelled(), job.paused());
        let start = apart(|| {
            let start = self.start(&dispatch, &name, barriers.clone())?;
            let known: Vec<_> = start.header.ranges.iter().flat_map(pages).collect();
            Ok((start, known))
        });
        let (start, known) = match start {
            Ok(start) if self.memory.watch() => start,
            other => {
                // The next launch may be alone.
                lock(&self.seen).remove(&name);
                let busy = "with XNACK on, one launch can be recorded at a time";
                say(&name, other.and_then(|_| Err(busy.to_owned())));
                return job;
            }
        };
        let finish = move |outcome| {
            let used = shelf.memory.stop_watching();
            let Start { mut header, object } = start;
            header.ranges.extend(used.keys().map(|&start| Range {
                start,
                size: PAGE,
                kind: Kind::Shared,
            }));
            let recorded = apart(|| {
                let used = used.iter().map(|(at, page)| (*at, page.clone()));
                let mut pages: Vec<_> = known.iter().cloned().chain(used).collect();
                pages.sort_unstable_by_key(|(at, _)| *at);
                shelf.write(&header, &object, pages.into_iter())
            });
            say(&name, recorded);
            job.finish(outcome);
        };
        Job::new(dispatch, cancelled, Box::new(finish)).pausing(paused)
    }

    /// A file name that nothing else uses: no other process, no earlier device of this one, and no earlier program in it. Mangled names may
    /// be longer than file names can be.
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

    /// Memory that the device may use and that is mapped: registered memory may have been unmapped since.
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// With descriptors of its own, if it can have them.
fn apart<T: Send>(act: impl Fn() -> T + Sync) -> T {
    guest::apart(&act).unwrap_or_else(|_| act())
}

fn say(name: &str, recorded: Result<PathBuf, String>) {
    report(&match recorded {
        Ok(path) => format!("luthier: {name} is recorded in {}", path.display()),
        Err(problem) => format!("luthier: {name} is not recorded: {problem}"),
    });
}

/// Readable address ranges of this process; neighbours are joined.
fn mapped() -> Result<Vec<(u64, u64)>, String> {
    let mut mapped: Vec<(u64, u64)> = Vec::new();
    for (range, _) in mappings::all()?
        .into_iter()
        .filter(|(_, mapping)| mapping.readable)
    {
        match mapped.last_mut() {
            Some(last) if last.1 == range.start => last.1 = range.end,
            _ => mapped.push((range.start, range.end)),
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
