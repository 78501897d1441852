//! The lines that the emulated device wrote about a program.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use check::{
    Allocation,
    barriers::{Met, Wave},
    copies::CopiesRace,
    global_races::GlobalRace,
    init::Used,
    leaks::Leaked,
    memory::{Accessed, Freed},
    nan::Made,
    races::Raced,
    reads::HostRead,
    waits::Executed,
};

use crate::checking::callers::Symbols;

/// The findings in a code object.
#[derive(Default)]
pub struct OfObject {
    pub waits: Vec<Executed>,
    pub accesses: Vec<Accessed>,
    pub meetings: Vec<Met>,
    pub races: Vec<Raced>,
    pub global_races: Vec<GlobalRace>,
    pub uses: Vec<Used>,
    pub nans: Vec<Made>,
}

impl OfObject {
    pub fn count(&self) -> u64 {
        let counts = [
            self.waits.len(),
            self.accesses.len(),
            self.meetings.len(),
            self.races.len(),
            self.global_races.len(),
            self.uses.len(),
            self.nans.len(),
        ];
        counts.iter().sum::<usize>() as u64
    }
}

/// The subject of a line.
#[derive(Clone, Copy, Default)]
enum Last {
    #[default]
    Access,
    Free,
    Leak,
    Race,
    Copies,
    Use,
    Read,
    Nan,
}

/// All lines.
#[derive(Default)]
pub struct Found {
    /// Target and name.
    pub kernels: BTreeSet<(String, String)>,
    pub frees: Vec<Freed>,
    pub leaks: Vec<Leaked>,
    pub reads: Vec<HostRead>,
    pub copies: Vec<CopiesRace>,
    /// Findings in code of no known code object.
    pub unplaced: Vec<String>,
    /// By the file of the code object.
    pub objects: BTreeMap<String, OfObject>,
    /// Instructions whose numbers are not looked at.
    pub not_looked_at: BTreeSet<String>,
    /// Instructions of which nothing is known about undefined values.
    pub not_followed: BTreeSet<String>,
    /// Instructions whose accesses to global memory are not judged.
    pub not_ordered: BTreeSet<String>,
    /// The subject of the lines that follow, and the file of its code object.
    last: Last,
    last_object: String,
    symbols: Symbols,
}

impl Found {
    pub fn read(&mut self, text: &str) -> Result<()> {
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let read = self.line(&fields);
            read.with_context(|| format!("the emulated GPU wrote {line:?}"))?;
        }
        Ok(())
    }

    /// Reads the file of a process that still runs. It may free what it has not freed yet, and may be writing its last line.
    pub fn read_unfinished(&mut self, text: &str) -> Result<()> {
        let known = self.leaks.len();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        self.read(&text[..whole])?;
        self.leaks.truncate(known);
        Ok(())
    }

    /// None if the line is none that the device writes.
    fn line(&mut self, fields: &[&str]) -> Option<()> {
        match fields {
            [_, "kernel", target, name] => {
                let kernel = ((*target).to_owned(), (*name).to_owned());
                self.kernels.insert(kernel);
            }
            [_, "not-ordered", instruction] => {
                self.not_ordered.insert((*instruction).to_owned());
            }
            [_, "not-looked-at", instruction] => {
                self.not_looked_at.insert((*instruction).to_owned());
            }
            [_, "not-followed", instruction] => {
                self.not_followed.insert((*instruction).to_owned());
            }
            [_, "unplaced", what] => self.unplaced.push((*what).to_owned()),
            [times, "free", rest @ ..] => {
                self.frees.push(Freed::parse(times, rest)?);
                self.last = Last::Free;
            }
            [times, "read", rest @ ..] => {
                self.reads.push(HostRead::parse(times, rest)?);
                self.last = Last::Read;
            }
            [times, "copy-race", rest @ ..] => {
                self.copies.push(CopiesRace::parse(times, rest)?);
                self.last = Last::Copies;
            }
            [times, "leak", rest @ ..] => {
                self.leaks.push(Leaked::parse(times, rest)?);
                self.last = Last::Leak;
            }
            [_, "wave" | "allocation" | "allocated" | "freed" | "by", ..] => {
                return self.more(&fields[1..]);
            }
            [times, kind, object, rest @ ..] => return self.in_object(times, kind, object, rest),
            _ => return None,
        }
        Some(())
    }

    /// A line about a place in a code object.
    fn in_object(&mut self, times: &str, kind: &str, object: &str, rest: &[&str]) -> Option<()> {
        let of = self.objects.entry(object.to_owned()).or_default();
        match kind {
            "wait" => of.waits.push(Executed::parse(times, rest)?),
            "access" => {
                of.accesses.push(Accessed::parse(times, rest)?);
                self.last = Last::Access;
            }
            "barrier" => of.meetings.push(Met::parse(times, rest)?),
            "race" => of.races.push(Raced::parse(times, rest)?),
            "global-race" => {
                of.global_races.push(GlobalRace::parse(times, rest)?);
                self.last = Last::Race;
            }
            "undefined" => {
                of.uses.push(Used::parse(times, rest)?);
                self.last = Last::Use;
            }
            "nan" => {
                of.nans.push(Made::parse(times, rest)?);
                self.last = Last::Nan;
            }
            _ => return None,
        }
        object.clone_into(&mut self.last_object);
        Some(())
    }

    /// A line that says more of what the lines before it were about.
    fn more(&mut self, fields: &[&str]) -> Option<()> {
        match fields {
            // Behind a barrier.
            ["wave", rest @ ..] => {
                let met = self.of_last_object()?.meetings.last_mut()?;
                met.waves.push(Wave::parse(rest)?);
            }
            ["allocation", rest @ ..] => self.allocation(Allocation::parse(rest)?)?,
            [done, module, offset] => {
                // The frames that call the program's first function are the same in all programs.
                let last = self.frames(done)?.last();
                if !last.is_some_and(|last| last.starts_with("main (")) {
                    let caller = self.symbols.caller(module, offset);
                    self.frames(done)?.extend(caller);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn of_last_object(&mut self) -> Option<&mut OfObject> {
        self.objects.get_mut(&self.last_object)
    }

    /// The allocation that the last lines were about.
    fn allocation(&mut self, allocation: Allocation) -> Option<()> {
        match self.last {
            Last::Free => self.frees.last_mut()?.free.allocation = allocation,
            Last::Leak => self.leaks.last_mut()?.leak.allocation = allocation,
            _ => *self.optional_allocation()? = Some(allocation),
        }
        Some(())
    }

    /// The place of the allocation of findings that may have none.
    fn optional_allocation(&mut self) -> Option<&mut Option<Allocation>> {
        match self.last {
            Last::Read => return Some(&mut self.reads.last_mut()?.read.allocation),
            Last::Copies => return Some(&mut self.copies.last_mut()?.copies.allocation),
            _ => {}
        }
        let last = self.last;
        let of = self.of_last_object()?;
        Some(match last {
            Last::Access => &mut of.accesses.last_mut()?.access.allocation,
            Last::Race => &mut of.global_races.last_mut()?.allocation,
            Last::Use => &mut of.uses.last_mut()?.allocation,
            Last::Nan => &mut of.nans.last_mut()?.allocation,
            Last::Free | Last::Leak | Last::Read | Last::Copies => return None,
        })
    }

    fn last_allocation(&mut self) -> Option<&mut Allocation> {
        match self.last {
            Last::Free => Some(&mut self.frees.last_mut()?.free.allocation),
            Last::Leak => Some(&mut self.leaks.last_mut()?.leak.allocation),
            _ => self.optional_allocation()?.as_mut(),
        }
    }

    /// The functions that have allocated, freed, or made the call that the last lines were about.
    fn frames(&mut self, done: &str) -> Option<&mut Vec<String>> {
        Some(match done {
            "freed" => &mut self.last_allocation()?.freed_by,
            "by" if matches!(self.last, Last::Read) => &mut self.reads.last_mut()?.read.called_by,
            "by" => &mut self.frees.last_mut()?.free.called_by,
            _ => &mut self.last_allocation()?.allocated_by,
        })
    }
}
