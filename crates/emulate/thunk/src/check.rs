//! `LUTHIER_CHECK_WAITS`: waits that are missing along the paths that waves take, and results that come late.
//!
//! The variable names a directory. Each process writes a file `found-PID` there, a line for each kernel and each place, and
//! the code objects that places lie in; `luthier check` reads them when the program has ended. With `LUTHIER_LATE=1` the
//! results of loads and of LDS come when they are waited for, not before.

use std::{
    env,
    fs::{self, File},
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use compute::Pool;
use gpu::{Dispatch, Events, Memory};
use judge::{Late, Sink, Unwaited, Waits};

use crate::{report::report, source};

/// Names the directory for findings.
const DIRECTORY: &str = "LUTHIER_CHECK_WAITS";
/// 1: results come late.
const LATE: &str = "LUTHIER_LATE";
/// Digits of a number of times, which is written over as it grows.
const DIGITS: usize = 20;

/// Whoever judges the waits of this process's kernels.
pub enum Check {
    AtFullSpeed(Arc<Waits>),
    Late(Arc<Late>),
}

impl Check {
    /// If the user wants it.
    pub fn from_environment(memory: &Arc<Memory>) -> Option<Check> {
        let directory = env::var_os(DIRECTORY).filter(|name| !name.is_empty())?;
        let sink = Arc::new(Findings::in_directory(directory.into()));
        Some(match env::var_os(LATE).is_some_and(|value| value == "1") {
            true => Check::Late(Arc::new(Late::new(memory.clone(), sink))),
            false => Check::AtFullSpeed(Arc::new(Waits::new(memory.clone(), sink))),
        })
    }

    /// The pool whose waves it judges.
    pub fn pool(&self, memory: Arc<Memory>, events: Arc<Events>, threads: usize) -> Pool {
        match self {
            Check::AtFullSpeed(waits) => {
                Pool::watched(memory, events, threads, true, waits.clone())
            }
            Check::Late(late) => Pool::observed_beside_program(memory, events, late.clone()),
        }
    }

    /// The device was told that code has changed.
    pub fn forget_code(&self) {
        match self {
            Check::AtFullSpeed(waits) => waits.forget_code(),
            Check::Late(late) => late.forget_code(),
        }
    }
}

/// The findings of this process, in files.
struct Findings {
    directory: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    file: Option<File>,
    length: u64,
    /// Of each place where its number of times is in the file, and that number.
    places: Vec<Option<(u64, u64)>>,
    /// Code objects that were written, with where they lie.
    objects: Vec<(u64, Vec<u8>, String)>,
    failed: bool,
}

impl Findings {
    fn in_directory(directory: PathBuf) -> Findings {
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
        let path = self.directory.join(format!("found-{}", std::process::id()));
        let file = match inner.file.take() {
            Some(file) => Ok(file),
            None => File::create(&path),
        };
        let written = file.and_then(|file| {
            file.write_all_at(text.as_bytes(), at)?;
            Ok(file)
        });
        match written {
            Ok(file) => inner.file = Some(file),
            Err(error) => {
                inner.failed = true;
                let path = path.display();
                report(&format!("luthier: findings end here: {path}: {error}"));
            }
        }
    }

    /// The file of the code object around an address, and where the object's address 0 lies.
    fn object(&self, inner: &mut Inner, pc: u64) -> Option<(u64, String)> {
        let (base, bytes) = source::object(pc)?;
        let known = inner.objects.iter();
        let mut known = known.filter(|(at, of, _)| *at == base && *of == bytes);
        if let Some((_, _, name)) = known.next() {
            return Some((base, name.clone()));
        }
        let name = format!("{}-{}.co", std::process::id(), inner.objects.len());
        if let Err(error) = fs::write(self.directory.join(&name), &bytes) {
            report(&format!("luthier: {name}: {error}"));
            return None;
        }
        inner.objects.push((base, bytes, name.clone()));
        Some((base, name))
    }

    /// The line of a place, but for its number of times, which begins it.
    fn line(&self, inner: &mut Inner, found: &Unwaited) -> Option<String> {
        let Unwaited {
            producer, consumer, ..
        } = *found;
        let Some((base, object)) = self.object(inner, consumer) else {
            report(&format!(
                "luthier: a wait is missing between {producer:#x} and {consumer:#x}, in code of no known code object"
            ));
            return None;
        };
        let register = found.register.map(|register| register.to_string());
        Some(format!(
            "\twait\t{object}\t{:?}\t{:?}\t{:#x}\t{:#x}\t{}\n",
            found.conflict,
            found.counter,
            producer.wrapping_sub(base),
            consumer.wrapping_sub(base),
            register.as_deref().unwrap_or("-"),
        ))
    }
}

impl Sink for Findings {
    fn kernel(&self, dispatch: &Dispatch) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (target, name) = (dispatch.target.name, dispatch.label());
        self.append(
            &mut inner,
            &format!("{:0DIGITS$}\tkernel\t{target}\t{name}\n", 1),
        );
    }

    fn found(&self, place: usize, found: &Unwaited, times: u64) {
        let mut guard = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = &mut *guard;
        if inner.places.len() <= place {
            inner.places.resize(place + 1, None);
        }
        match inner.places[place] {
            Some((at, before)) => {
                let all = before + times;
                inner.places[place] = Some((at, all));
                self.write(inner, at, &format!("{all:0DIGITS$}"));
            }
            None => {
                let Some(line) = self.line(inner, found) else {
                    return;
                };
                let at = self.append(inner, &format!("{times:0DIGITS$}{line}"));
                inner.places[place] = Some((at, times));
            }
        }
    }

    fn say(&self, message: &str) {
        report(&format!("luthier: {message}"));
    }
}
