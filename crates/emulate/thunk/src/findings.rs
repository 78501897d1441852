//! Findings in this process's kernels, in files that `luthier check` reads when the program has ended.
//!
//! Each process writes a file `found-PID`: lines of fields with tabs between them, of which the first is a number of times.
//! A program that such a process goes on with (`execve`) has the same number and writes `found-PID-1`, and so on.
//! Code objects that findings lie in are files beside it.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{self, ErrorKind, Write},
    os::{fd::AsRawFd, unix::fs::FileExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use compute::{There, WaveThere};
use gpu::{Dispatch, Fault, FaultKind};
use guest::Kept;
use judge::{MeetingSink, Sink, Unmet, Unwaited, Wrong};

use allocations::{
    Allocation, Callers, Event, Kind, Position, facts,
    lines::{Access, DIGITS, describe, frame},
};

use crate::{fresh, report::report, source, statistics::KEEPER, variables};

mod global_races;
pub mod init;
mod leaks;
mod nan;
mod races;

pub use leaks::look_for_leaks;

/// The findings of this process, in files.
pub struct Findings {
    directory: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// A process that was forked from another one begins a file of its own.
    process: u32,
    /// Programs may close descriptors that they do not know, and open their own in that place.
    file: Option<Kept<File>>,
    length: u64,
    /// For each place, the position in the file of its number of times, and that number.
    waits: HashMap<usize, Counted>,
    /// The same of accesses, by kind and instruction.
    accesses: HashMap<(&'static str, u64), Counted>,
    /// The same of wrong frees, by who called.
    frees: HashMap<Callers, Counted>,
    /// The same of barriers.
    barriers: HashMap<(Wrong, bool, u64, Option<u64>), Counted>,
    /// The same of races.
    races: HashMap<races::Key, Counted>,
    /// The same of races in global memory.
    global_races: HashMap<global_races::Key, Counted>,
    /// The same of races between copies.
    copies: HashMap<global_races::CopiesKey, Counted>,
    /// The same of undefined values.
    undefined: HashMap<init::Key, Counted>,
    /// The same of undefined bytes that the host reads, by who called.
    reads: HashMap<Callers, Counted>,
    /// The same of values that are no numbers.
    nans: HashMap<nan::Key, Counted>,
    /// Findings in code of no known code object.
    unplaced: HashSet<String>,
    /// The names of kernels that were told of, by descriptor.
    kernels: HashMap<u64, String>,
    /// Code objects that were written, with where they lie.
    objects: Vec<(u64, Vec<u8>, String)>,
    failed: bool,
}

/// Where the number of times is in the file, and that number.
#[derive(Clone, Copy)]
struct Counted {
    at: u64,
    times: u64,
}

/// Makes the file, and locks it for as long as this process runs the program: who reads it then knows that the process is not at its end.
fn file_of_process(directory: &Path) -> io::Result<File> {
    let (file, _) = fresh::of_process(directory, "found")?;
    // SAFETY: all zeros is a valid structure of four numbers.
    let mut all: libc::flock = unsafe { std::mem::zeroed() };
    all.l_type = libc::F_WRLCK as libc::c_short;
    // SAFETY: the descriptor is open, and the structure outlives the call. Where there are no locks, the call changes nothing.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const all) };
    Ok(file)
}

impl Findings {
    pub fn in_directory(directory: PathBuf) -> Findings {
        Findings {
            directory,
            inner: Mutex::default(),
        }
    }

    /// Writes a line at the end of the file; where it begins.
    fn append(&self, inner: &mut Inner, line: &str) -> u64 {
        let at = inner.length;
        inner.length += line.len() as u64;
        self.write(inner, at, line);
        at
    }

    fn write(&self, inner: &mut Inner, at: u64, text: &str) {
        if inner.failed {
            return;
        }
        let file = match inner.file.take() {
            Some(file) => Ok(file),
            None => {
                let directory = self.directory.clone();
                Kept::make(&KEEPER, move || file_of_process(&directory)).flatten()
            }
        };
        let bytes = text.as_bytes().to_vec();
        let written = file.and_then(|mut file| {
            file.with(move |file| file.write_all_at(&bytes, at))??;
            Ok(file)
        });
        match written {
            Ok(file) => inner.file = Some(file),
            Err(error) => self.lose(inner, &error),
        }
    }

    /// Findings are lost from here on, and the user is told of that once.
    fn lose(&self, inner: &mut Inner, error: &io::Error) {
        inner.failed = true;
        let (directory, process) = (self.directory.display(), inner.process);
        report(&match error.kind() {
            ErrorKind::NotFound => format!(
                "luthier: what is found in process {process} from here on is lost: {directory} is gone, because `luthier check` has made its report, or it cannot be seen from here"
            ),
            _ => format!("luthier: findings end here: {directory}: {error}"),
        });
    }

    /// The file of the code object around an address, and where the object's address 0 lies. If there is none, what was found is in the
    /// report without its place.
    fn object(
        &self,
        inner: &mut Inner,
        pc: u64,
        found: impl FnOnce() -> String,
    ) -> Option<(u64, String)> {
        let object = self.file_of_object(inner, pc);
        if object.is_none() && !inner.failed {
            let what = found();
            if inner.unplaced.insert(what.clone()) {
                self.counted(inner, 1, &format!("unplaced\t{what}\n"));
            }
        }
        object
    }

    fn file_of_object(&self, inner: &mut Inner, pc: u64) -> Option<(u64, String)> {
        if inner.failed {
            return None;
        }
        let (base, bytes) = source::object(pc)?;
        let known = inner.objects.iter();
        let mut known = known.filter(|(at, of, _)| *at == base && *of == bytes);
        if let Some((_, _, name)) = known.next() {
            return Some((base, name.clone()));
        }
        let (directory, contents) = (self.directory.clone(), bytes.clone());
        let (process, first) = (std::process::id(), inner.objects.len());
        let write = move || {
            let name = |number| format!("{process}-{number}.co");
            let (mut file, name) = fresh::create(&directory, first, name)?;
            file.write_all(&contents)?;
            Ok(name)
        };
        let name = match KEEPER.run(write).flatten() {
            Ok(name) => name,
            Err(error) => {
                self.lose(inner, &error);
                return None;
            }
        };
        inner.objects.push((base, bytes, name.clone()));
        Some((base, name))
    }

    /// A line with a number of times, which may grow.
    fn counted(&self, inner: &mut Inner, times: u64, line: &str) -> Counted {
        let at = self.append(inner, &format!("{times:0DIGITS$}\t{line}"));
        Counted { at, times }
    }

    fn again(&self, inner: &mut Inner, known: Counted, times: u64) -> Counted {
        let times = known.times + times;
        self.write(inner, known.at, &format!("{times:0DIGITS$}"));
        Counted { times, ..known }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if inner.process != process {
            *inner = Inner {
                process,
                ..Inner::default()
            };
        }
        inner
    }

    /// A kernel is launched.
    pub fn launched(&self, dispatch: &Dispatch) {
        let mut inner = self.inner();
        let kernel = dispatch.packet.kernel_object;
        if !inner.kernels.contains_key(&kernel) {
            let (target, name) = (dispatch.target.name, dispatch.label());
            self.counted(&mut inner, 1, &format!("kernel\t{target}\t{name}\n"));
            inner.kernels.insert(kernel, name);
        }
    }

    /// A kernel has stopped.
    pub fn stopped(&self, dispatch: &Dispatch, fault: &Fault) {
        let (FaultKind::Memory { address, .. }
        | FaultKind::Aperture { address }
        | FaultKind::Unaligned { address }
        | FaultKind::WrongFree { address }) = fault.kind
        else {
            return;
        };
        let (nearest, detail) = match fault.kind {
            FaultKind::Memory { .. } | FaultKind::WrongFree { .. } => {
                (facts::nearest(gpu::memory::host_address(address)), None)
            }
            _ => (None, fault.detail.as_deref()),
        };
        let writes = matches!(fault.kind, FaultKind::Memory { write: true, .. });
        let is_constant = writes && variables::is_constant(address);
        let kind = match (&fault.kind, &nearest) {
            (FaultKind::Unaligned { .. }, _) => "misaligned",
            (FaultKind::WrongFree { .. }, Some((near, Position::Inside(0))))
                if near.freed.is_some() && near.kind == Kind::Heap =>
            {
                "freed-twice"
            }
            (FaultKind::WrongFree { .. }, _) => "wrong-free",
            _ if is_constant => "read-only",
            // A graph has its memory for a part of each launch.
            (_, Some((near, Position::Inside(_))))
                if near.freed.is_some() || near.kind == Kind::Node =>
            {
                "after-free"
            }
            _ => "out-of-bounds",
        };
        let mut guard = self.inner();
        let inner = &mut *guard;
        if let Some(known) = inner.accesses.get(&(kind, fault.pc)).copied() {
            let more = self.again(inner, known, 1);
            inner.accesses.insert((kind, fault.pc), more);
            return;
        }
        let told = || format!("{} stopped at {:#x}", dispatch.label(), fault.pc);
        let Some((base, object)) = self.object(inner, fault.pc, told) else {
            return;
        };
        let is_variable = |near: &Allocation, at: &Position| {
            near.kind == Kind::Variable && matches!(at, Position::Inside(_))
        };
        // Anything may lie beside a constant.
        let nearest = nearest.filter(|(near, at)| !is_constant || is_variable(near, at));
        let access = Access {
            object: &object,
            kind,
            pc: fault.pc.wrapping_sub(base),
            address,
            workgroup: fault.workgroup,
            wave: fault.wave,
            lane: fault.lane,
            detail,
        };
        let mut lines = access.line();
        if let Some((near, position)) = nearest {
            lines += &describe(&near, position, gpu::memory::host_address(address));
        }
        let counted = self.counted(inner, 1, &lines);
        inner.accesses.insert((kind, fault.pc), counted);
    }

    /// The line of a place, but for its number of times, which begins it.
    fn line(&self, inner: &mut Inner, found: &Unwaited) -> Option<String> {
        let Unwaited {
            producer, consumer, ..
        } = *found;
        let told = || format!("a wait is missing between {producer:#x} and {consumer:#x}");
        let (base, object) = self.object(inner, consumer, told)?;
        let register = found.register.map(|register| register.to_string());
        Some(format!(
            "wait\t{object}\t{:?}\t{:?}\t{:#x}\t{:#x}\t{}\n",
            found.conflict,
            found.counter,
            producer.wrapping_sub(base),
            consumer.wrapping_sub(base),
            register.as_deref().unwrap_or("-"),
        ))
    }
}

/// The file for wrong frees.
static OF_FREES: OnceLock<Arc<Findings>> = OnceLock::new();

/// From now on, frees of what the program may not free are findings.
pub fn hear_of_frees(findings: &Arc<Findings>) {
    if OF_FREES.set(findings.clone()).is_ok() {
        facts::keep(Some(|event| {
            if let (Some(findings), Event::WrongFree { .. }) = (OF_FREES.get(), event) {
                findings.wrongly_freed(event);
            }
        }));
    }
}

/// True if wrong frees are findings.
pub fn hears_of_frees() -> bool {
    OF_FREES.get().is_some()
}

impl Findings {
    fn wrongly_freed(&self, event: &Event<'_>) {
        let Event::WrongFree {
            address,
            by,
            allocation,
            callers,
        } = event
        else {
            return;
        };
        let mut guard = self.inner();
        let inner = &mut *guard;
        let key = callers.clone();
        if let Some(known) = inner.frees.get(&key).copied() {
            let more = self.again(inner, known, 1);
            inner.frees.insert(key, more);
            return;
        }
        let kind = match allocation.freed {
            Some(_) => "freed-twice",
            None => "wrong-free",
        };
        let mut lines = format!("free\t{kind}\t{by}\t{address:#x}\n");
        for caller in callers {
            lines += &frame("by", *caller);
        }
        let inside = Position::Inside(address - allocation.base);
        lines += &describe(allocation, inside, 0);
        let counted = self.counted(inner, 1, &lines);
        inner.frees.insert(key, counted);
    }
}

impl Sink for Findings {
    fn kernel(&self, dispatch: &Dispatch) {
        self.launched(dispatch);
    }

    fn found(&self, place: usize, found: &Unwaited, times: u64) {
        let mut guard = self.inner();
        let inner = &mut *guard;
        let counted = match inner.waits.get(&place).copied() {
            Some(known) => self.again(inner, known, times),
            None => match self.line(inner, found) {
                Some(line) => self.counted(inner, times, &line),
                None => return,
            },
        };
        inner.waits.insert(place, counted);
    }

    fn say(&self, message: &str) {
        report(&format!("luthier: {message}"));
    }
}

impl MeetingSink for Findings {
    fn unmet(&self, _: &Dispatch, found: &Unmet<'_>) {
        let key = (found.wrong, found.certain, found.pc, found.other);
        let mut guard = self.inner();
        let inner = &mut *guard;
        let counted = match inner.barriers.get(&key).copied() {
            Some(known) => self.again(inner, known, 1),
            None => {
                let told = || format!("waves do not meet at a barrier at {:#x}", found.pc);
                let Some((base, object)) = self.object(inner, found.pc, told) else {
                    return;
                };
                self.counted(inner, 1, &meeting(&object, base, found))
            }
        };
        inner.barriers.insert(key, counted);
    }
}

/// The lines of a meeting: what is wrong with it, and each wave.
fn meeting(object: &str, base: u64, found: &Unmet<'_>) -> String {
    let kind = match found.wrong {
        Wrong::Deadlock => "deadlock",
        Wrong::DifferentBarriers => "different-barriers",
        Wrong::MissedByLanes => "missed-by-lanes",
        Wrong::MissedByEnded => "missed-by-ended",
        Wrong::ArrivedTwice => "arrived-twice",
    };
    let grade = if found.certain { "certain" } else { "possible" };
    let place = |pc: u64| format!("{:#x}", pc.wrapping_sub(base));
    let other = found.other.map_or("-".to_owned(), place);
    let [x, y, z] = found.meeting.workgroup;
    let mut text = format!(
        "barrier\t{object}\t{kind}\t{grade}\t{}\t{other}\t{x}\t{y}\t{z}\n",
        place(found.pc)
    );
    for one in &found.meeting.waves {
        let WaveThere {
            wave,
            state,
            pc,
            exec,
            absent,
            returned,
        } = *one;
        let state = match state {
            There::AtBarrier => "at-barrier",
            There::Again => "arrived-again",
            There::WaitsOnly => "waits-only",
            There::Polls => "polls",
            There::PollsMemory => "polls-memory",
            There::Ended => "ended",
            There::Elsewhere => "elsewhere",
        };
        let pc = match pc {
            0 => "-".to_owned(),
            pc => place(pc),
        };
        text += &format!(
            "{:0DIGITS$}\twave\t{wave}\t{state}\t{pc}\t{exec:#x}\t{absent:#x}\t{:#x}\n",
            1, returned.0
        );
    }
    text
}
