//! Objects of a file one after the other, so that files of any size take no more memory than a few of them.

use crate::report::{ObjectReport, Report, object, place};
use crate::{Error, Options};
use codeobj::container::{Entry, EntryKind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A part that [`crate::stream`] passes on.
#[derive(Clone, Debug)]
pub enum Part {
    Object(Box<ObjectReport>),
    /// An entry that is no code object: id and size.
    Other(String, u64),
    /// A part that could not be read: where and why.
    Problem(String, String),
    /// This much of the file has been read, in bytes.
    Reached(u64),
}

pub(crate) fn build(bytes: &[u8], name: &str, options: &Options) -> Result<Report, Error> {
    let mut report = Report::empty(name, bytes.len() as u64);
    stream(bytes, name, options, &mut |part| {
        report.add(part);
        true
    })?;
    Ok(report)
}

impl Report {
    /// One with nothing in it yet.
    pub(crate) fn empty(name: &str, size: u64) -> Report {
        Report {
            file: name.to_owned(),
            size,
            objects: Vec::new(),
            others: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, part: Part) {
        match part {
            Part::Object(object) => self.objects.push(*object),
            Part::Other(id, size) => self.others.push((id, size)),
            Part::Problem(place, reason) => self.problems.push((place, reason)),
            Part::Reached(_) => {}
        }
    }
}

/// Entries are reported on in as many threads as there are processors, so many at a time: bytes and number.
const BATCH_BYTES: u64 = 24 << 20;
/// Bytes where all of the code is listed, which takes hundreds of times as much.
const BATCH_LISTED: u64 = 1 << 20;
const BATCH: usize = 64;

/// The parts that were found so far, as far as filters and errors need them.
struct Progress<'s> {
    each: &'s mut dyn FnMut(Part) -> bool,
    options: &'s Options,
    /// Objects in which the filter has found nothing yet.
    held: Vec<ObjectReport>,
    /// Something that the filter selects has been found.
    selected: bool,
    objects: usize,
    problems: usize,
    first_problem: Option<codeobj::Error>,
    first_error: Option<codeobj::Error>,
    /// Names of kernels, for the error about one that is not there.
    names: Vec<String>,
    /// Targets of code objects, likewise.
    targets: Vec<String>,
    /// The receiver wants no further parts.
    enough: bool,
}

impl Progress<'_> {
    fn tell(&mut self, part: Part) {
        self.enough = self.enough || !(self.each)(part);
    }

    fn done(&mut self, done: Done) {
        for name in done.names {
            // More than are shown need not be kept, but counted.
            if self.options.name_filter.is_some() && !self.selected {
                self.names.push(name);
            }
        }
        for (place, reason) in done.problems {
            self.problems += 1;
            self.tell(Part::Problem(place, reason));
        }
        match done.object {
            Ok(object) => {
                self.objects += 1;
                let empty = object.kernels.is_empty() && object.functions.is_empty();
                if self.options.name_filter.is_some() && empty && !self.selected {
                    self.held.push(*object);
                    return;
                }
                self.selected = true;
                for held in std::mem::take(&mut self.held) {
                    self.tell(Part::Object(Box::new(held)));
                }
                self.tell(Part::Object(object));
            }
            Err((place, error)) => {
                self.problems += 1;
                self.tell(Part::Problem(place, error.to_string()));
                self.first_error.get_or_insert(error);
            }
        }
    }
}

/// The result for one entry.
struct Done {
    object: Result<Box<ObjectReport>, (String, codeobj::Error)>,
    problems: Vec<(String, String)>,
    names: Vec<String>,
}

fn look_at(entry: &Entry<'_>, options: &Options) -> Done {
    let (mut problems, mut names) = (Vec::new(), Vec::new());
    let object = object(entry, options, &mut problems, &mut names);
    Done {
        object: object.map(Box::new).map_err(|error| (place(entry), error)),
        problems,
        names,
    }
}

/// Looks at entries side by side; what came of them is in their order.
fn look_at_all(entries: &[Entry<'_>], options: &Options) -> Vec<Done> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((index, entry)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            entries.get(index).map(|entry| (index, entry))
        } {
            done.push((index, look_at(entry, options)));
        }
        done
    };
    let others = std::thread::available_parallelism().map_or(0, |count| count.get() - 1);
    let mut done = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..others.min(entries.len().saturating_sub(1)))
            // Where there can be no more threads, this one does it all.
            .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut done = work();
        for thread in threads {
            done.extend(
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, done)| done).collect()
}

pub(crate) fn stream(
    bytes: &[u8],
    name: &str,
    options: &Options,
    each: &mut dyn FnMut(Part) -> bool,
) -> Result<(), Error> {
    let mut progress = Progress {
        each,
        options,
        held: Vec::new(),
        selected: false,
        objects: 0,
        problems: 0,
        first_problem: None,
        first_error: None,
        names: Vec::new(),
        targets: Vec::new(),
        enough: false,
    };
    let (mut batch, mut size, mut entries) = (Vec::new(), 0, 0);
    let most = match options.wants_code() {
        true => BATCH_LISTED,
        false => BATCH_BYTES,
    };
    codeobj::each(bytes, &mut |found| {
        if progress.enough {
            return;
        }
        let entry = match found {
            codeobj::Found::Problem(place, error) => {
                progress.problems += 1;
                progress.tell(Part::Problem(place, error.to_string()));
                progress.first_problem.get_or_insert(error);
                return;
            }
            codeobj::Found::Reached(offset) => return progress.tell(Part::Reached(offset)),
            codeobj::Found::Entry(entry) => entry,
        };
        entries += 1;
        if entry.kind != EntryKind::CodeObject {
            let id = match entry.kind {
                EntryKind::Bitcode if entry.id.is_empty() => "LLVM bitcode".to_owned(),
                _ => entry.id.clone(),
            };
            progress.tell(Part::Other(id, entry.bytes.len() as u64));
            return;
        }
        if options.target_filter.is_some() {
            let target = target_name(&entry);
            let wanted = is_wanted(&target, options);
            if !progress.targets.contains(&target) {
                progress.targets.push(target);
            }
            if !wanted {
                return;
            }
        }
        size += entry.bytes.len() as u64;
        batch.push(entry);
        if size >= most || batch.len() >= BATCH {
            for done in look_at_all(&batch, options) {
                progress.done(done);
            }
            batch.clear();
            size = 0;
        }
    });
    for done in look_at_all(&batch, options) {
        progress.done(done);
    }
    progress.check(name, entries)
}

impl Progress<'_> {
    /// Nothing at all is an error, and so is a filter that leaves nothing: it names what there is.
    fn check(mut self, name: &str, entries: usize) -> Result<(), Error> {
        let input = |cause| Error::Input {
            name: name.to_owned(),
            cause,
        };
        if let (Some(error), 0) = (self.first_problem.take(), entries) {
            return Err(input(error));
        }
        if let (Some(wanted), 0, 0) = (&self.options.target_filter, self.objects, self.problems) {
            return Err(Error::NoSuchTarget {
                name: name.to_owned(),
                wanted: wanted.clone(),
                available: list(&self.targets),
            });
        }
        if let (Some(wanted), false, true) =
            (&self.options.name_filter, self.selected, self.objects > 0)
        {
            self.names.sort();
            self.names.dedup();
            return Err(Error::NoSuchKernel {
                name: name.to_owned(),
                wanted: wanted.as_str().to_owned(),
                available: list(&self.names),
            });
        }
        match self.first_error.take() {
            Some(cause) if self.objects == 0 => Err(input(cause)),
            _ => Ok(()),
        }
    }
}

/// The first few of `names`.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    match names.len() {
        0 => "none".to_owned(),
        count if count > SHOWN => {
            format!("{} and {} more", names[..SHOWN].join(", "), count - SHOWN)
        }
        _ => names.join(", "),
    }
}

fn target_name(entry: &Entry<'_>) -> String {
    entry
        .code_object()
        .map_or_else(|_| entry.id.clone(), |object| object.target().to_string())
}

fn is_wanted(target: &str, options: &Options) -> bool {
    let wanted = options.target_filter.as_deref();
    wanted.is_none_or(|wanted| target == wanted || target.split(':').next() == Some(wanted))
}
