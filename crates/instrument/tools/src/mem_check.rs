//! `mem-check`: accesses of memory that the program has not allocated, or has freed, and of LDS that a workgroup does not have.
//!
//! Hooks compare addresses with a list of what the program has allocated, and tell of accesses that are not in it. This module judges
//! them, because it has all facts: a list may be older than an allocation, and no call tells of some memory.

mod given;
mod judge;
mod list;

use crate::by_line;
use allocations::{
    Allocation, Event, Position, facts,
    lines::{Access, DIGITS, describe},
};
use isa::Effects;
use judge::{Judgement, Missed};
use luthier::{
    Argument, BUFFER_ARGUMENTS, Cache, Edit, Error, HookValue, Instruction, Kernel, KernelResults,
    Launch, Live, Result, Results, Tool, ToolFile, ToolInfo,
    rows::{self, Section},
};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The file of findings that `luthier check` reads.
const FILE: &str = "mem-check.found";

/// Words that an instruction has on the device.
const COUNTERS: usize = 2;

pub struct MemCheck {
    file: ToolFile,
    live: OnceLock<Arc<dyn Live>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    list: list::List,
    /// Kernels, and which of them each launch ran.
    kernels: Vec<Ran>,
    launches: Vec<u32>,
    /// Targets and kernels.
    checked: BTreeSet<(String, u32)>,
    found: BTreeMap<Key, Found>,
    /// Lanes' accesses of memory whose owner is not known.
    unknown: u64,
    problem: Option<String>,
}

/// A kernel: its name, and the hash of its code object, as others have kernels of this name, too.
#[derive(PartialEq)]
struct Ran {
    name: String,
    object: [u8; 32],
}

/// Kernel, kind, and address of the instruction in the code object.
type Key = (u32, &'static str, u64);

/// The wrong accesses at an instruction.
struct Found {
    first: Missed,
    nearest: Option<(Allocation, Position)>,
    detail: Option<String>,
    times: u64,
}

/// The program's changes to its memory since they were last asked for.
#[derive(Default)]
struct Heard {
    changes: Vec<list::Change>,
    /// For each freed allocation, the number of the first launch after that.
    freed: HashMap<u64, u64>,
    /// The number of the next launch.
    next: u64,
}

static HEARD: Mutex<Option<Heard>> = Mutex::new(None);

fn heard<T>(act: impl FnOnce(&mut Heard) -> T) -> T {
    let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    act(heard.get_or_insert_default())
}

fn listen(event: &Event<'_>) {
    heard(|heard| match event {
        Event::Allocated(one) => heard.changes.extend(here(one)),
        Event::Freed(one) => {
            heard.freed.insert(one.id, heard.next);
            heard.changes.push(list::Change::Gone {
                first: one.base,
                end: one.end(),
            });
        }
        // The function that frees refuses it.
        Event::WrongFree { .. }
        | Event::Reset
        | Event::Written { .. }
        | Event::WrittenAnywhere
        | Event::Read { .. } => {}
    });
}

/// Rows of more than this are one range.
const MOST_ROWS: u64 = 1024;

/// The entries of an allocation in the list. The padding between rows is left out, so that accesses there are judged.
fn here(one: &Allocation) -> Vec<list::Change> {
    let whole = list::Change::Here {
        first: one.base,
        end: one.end(),
    };
    match one.rows {
        Some(rows) if rows.count <= MOST_ROWS => {
            let mut first = one.base;
            let rows = rows.paddings().map(|(start, end)| {
                let row = list::Change::Here {
                    first,
                    end: one.base + start,
                };
                first = one.base + end;
                row
            });
            rows.collect()
        }
        _ => vec![whole],
    }
}

impl MemCheck {
    pub fn new(file: ToolFile) -> MemCheck {
        static ONCE: OnceLock<()> = OnceLock::new();
        ONCE.get_or_init(|| facts::keep(Some(listen)));
        MemCheck {
            file,
            live: OnceLock::new(),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How the hooks get the address of an access, and with it what they compare the address with.
enum Look {
    Memory,
    /// The address has to be a multiple of the size, too.
    Aligned,
    Lds,
    /// In most cases in LDS that each launch of the kernel has: the last address at which the access ends there.
    OwnLds(u32),
    Scratch,
    /// The address decides about the memory.
    Flat,
    Scalar,
    Buffer(Box<[Argument; BUFFER_ARGUMENTS]>),
}

impl Look {
    /// `None`: the access is not looked at. `own_lds`: bytes of LDS that each launch of the kernel has.
    fn at(instruction: &Instruction<'_>, own_lds: u32) -> Option<Look> {
        let effects = instruction.effects();
        if effects.contains(Effects::SMEM) {
            return instruction.has_scalar_address().then_some(Look::Scalar);
        }
        // The descriptor of private memory lets nothing through that lies beyond it.
        let is_private = instruction.classes().contains(Effects::SCRATCH);
        if !instruction.has_address() {
            let arguments = instruction.buffer_arguments().filter(|_| !is_private);
            return arguments.map(Box::new).map(Look::Buffer);
        }
        let is_flat = effects.contains(Effects::FLAT);
        Some(match () {
            () if is_flat => Look::Flat,
            () if effects.contains(Effects::LDS) => {
                let last = instruction.access_size();
                let last = last.and_then(|size| own_lds.checked_sub(size));
                last.map_or(Look::Lds, Look::OwnLds)
            }
            () if is_private => Look::Scratch,
            () if effects.contains(Effects::ATOMIC) => Look::Aligned,
            () => Look::Memory,
        })
    }

    /// Inserts the hooks. `counter`: the first of the instruction's counters.
    fn insert(self, edit: &mut Edit<'_>, at: &Instruction<'_>, counter: Argument) -> Result<()> {
        let packet = Argument::Value(HookValue::DispatchPointer);
        let place = edit.before(at);
        match self {
            Look::Memory => place.call("look", [counter]),
            Look::Aligned => place.call("look_aligned", [counter]),
            Look::Lds => place.call("look_in_lds", [counter, packet]),
            Look::OwnLds(last) => {
                let last = Argument::Constant(last.into());
                place.call("look_in_own_lds", [counter, last, packet])
            }
            Look::Scratch => place.call("look_in_scratch", [counter, packet]),
            Look::Flat => place.call("look_flat", [counter, packet]),
            Look::Scalar => place.once().call("look_scalar", [counter, packet]),
            Look::Buffer(buffer) => {
                place.call("look_in_buffer", [counter].into_iter().chain(*buffer))
            }
        }
        .map(drop)
    }
}

/// The instructions that a hook looks at, and the number of other accesses.
fn accesses<'k>(
    kernel: &'k Kernel<'_>,
    edit: &mut Edit<'_>,
) -> (Vec<(Instruction<'k>, Look)>, usize) {
    let (mut looked_at, mut others) = (Vec::new(), 0);
    let given = given::loads(kernel);
    let descriptor = kernel.descriptor();
    let own_lds = descriptor.map_or(0, |one| one.group_segment_size());
    for instruction in kernel.instructions() {
        if !instruction.is_memory()
            || given.contains(&instruction.pc())
            || !edit.chooses(&instruction)
        {
            continue;
        }
        match Look::at(&instruction, own_lds) {
            Some(look) => looked_at.push((instruction, look)),
            None => others += 1,
        }
    }
    (looked_at, others)
}

impl Tool for MemCheck {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.file).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let (accesses, others) = accesses(kernel, edit);
        if others != 0 {
            edit.note(format!(
                "accesses that are not checked, of images, by scalar registers in buffers, relative to M0, or of scratch by a descriptor: {others}"
            ));
        }
        by_line::count_at(
            edit,
            accesses,
            COUNTERS,
            |edit, instruction, look, counter| {
                look.insert(edit, instruction, Argument::from(counter))
            },
        )
    }

    fn connect(&self, live: &Arc<dyn Live>) -> std::result::Result<(), String> {
        let _ = self.live.set(Arc::clone(live));
        Ok(())
    }

    fn launch(&self, launch: &Launch<'_>) {
        let changes = heard(|heard| {
            heard.next = heard.next.max(launch.number + 1);
            std::mem::take(&mut heard.changes)
        });
        let mut state = self.state();
        state.started(launch);
        let Some(live) = self.live.get() else { return };
        let variables = ["ranges", "current"].map(|name| self.file.full_name(name));
        if let Err(problem) = state.list.tell(changes, &**live, &variables) {
            state.problem.get_or_insert(problem);
        }
    }

    fn records(&self, _stream: &str, records: &[u8]) -> bool {
        let mut state = self.state();
        let mut judge = judge::Judge::default();
        for record in records.chunks_exact(judge::BYTES) {
            if let Some(missed) = Missed::read(record) {
                state.take(missed, &mut judge);
            }
        }
        true
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let state = self.state();
        if let Some(path) = results.report_file(FILE) {
            let written = std::fs::write(&path, state.lines(results));
            written.map_err(|error| Error::Tool(format!("{}: {error}", path.display())))?;
        }
        let mut text = rows::most_important(&[state.section(results)?], results, self.file.name());
        if state.unknown != 0 {
            text += &format!(
                "not checked: {} accesses of memory of which nobody knows whose it is\n",
                state.unknown
            );
        }
        if let Some(problem) = &state.problem {
            text += &format!("not checked: some launches, because {problem}\n");
        }
        Ok(text)
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        self.state().json(results)
    }
}

impl State {
    fn started(&mut self, launch: &Launch<'_>) {
        let mut known = self.kernels.iter();
        let index = known
            .position(|ran| ran.name == launch.kernel && ran.object == *launch.object_hash)
            .unwrap_or_else(|| {
                self.kernels.push(Ran {
                    name: launch.kernel.to_owned(),
                    object: *launch.object_hash,
                });
                self.kernels.len() - 1
            });
        let target = launch.agent.target.split(':').next().unwrap_or_default();
        self.checked.insert((target.to_owned(), index as u32));
        let at = launch.number as usize;
        if self.launches.len() <= at {
            self.launches.resize(at + 1, u32::MAX);
        }
        self.launches[at] = index as u32;
    }

    fn take(&mut self, missed: Missed, judge: &mut judge::Judge) {
        let freed_before = |id: u64| {
            heard(|heard| heard.freed.get(&id).copied()).is_some_and(|next| next <= missed.launch)
        };
        let (kind, nearest, detail) = match judge.judge(&missed, freed_before) {
            Judgement::Right => return,
            Judgement::Untold { first, end } => {
                heard(|heard| heard.changes.push(list::Change::Here { first, end }));
                return;
            }
            Judgement::Unknown => {
                self.unknown += 1;
                return;
            }
            Judgement::Wrong {
                kind,
                nearest,
                detail,
            } => (kind, nearest, detail),
        };
        let kernel = self.launches.get(missed.launch as usize);
        let kernel = kernel.copied().unwrap_or(u32::MAX);
        let found = self
            .found
            .entry((kernel, kind, missed.pc))
            .or_insert(Found {
                first: missed,
                nearest,
                detail,
                times: 0,
            });
        found.times += 1;
    }

    fn kernel(&self, index: u32) -> &str {
        let ran = self.kernels.get(index as usize);
        ran.map_or("?", |ran| ran.name.as_str())
    }

    fn results<'r>(&self, index: u32, results: &'r Results<'_>) -> Option<&'r KernelResults> {
        let ran = self.kernels.get(index as usize)?;
        let mut all = results.kernels();
        all.find(|one| one.name() == ran.name && *one.object_hash() == ran.object)
    }

    /// For `luthier check`.
    fn lines(&self, results: &Results<'_>) -> String {
        let mut text = String::new();
        for (target, kernel) in &self.checked {
            let name = self.kernel(*kernel);
            text += &format!("{:0DIGITS$}\tkernel\t{target}\t{name}\n", 1);
        }
        for ((kernel, kind, pc), found) in &self.found {
            let Some(results) = self.results(*kernel, results) else {
                continue;
            };
            let access = Access {
                object: &format!("objects/{}.co", results.object()),
                kind,
                pc: *pc,
                address: found.first.address,
                workgroup: found.first.workgroup,
                wave: found.first.wave,
                lane: Some(found.first.lane),
                detail: found.detail.as_deref(),
            };
            text += &format!("{:0DIGITS$}\t{}", found.times, access.line());
            if let Some((near, position)) = &found.nearest {
                text += &describe(near, *position, found.first.address);
            }
        }
        text
    }

    /// The instructions at which something was found, by kernel and address.
    fn places(&self, results: &Results<'_>) -> Result<HashMap<(u32, u64), by_line::Site>> {
        let mut places = HashMap::new();
        let kernels: BTreeSet<u32> = self.found.keys().map(|key| key.0).collect();
        for index in kernels {
            let Some(kernel) = self.results(index, results) else {
                continue;
            };
            for (site, _) in by_line::sites(kernel, COUNTERS)? {
                places.insert((index, site.pc), site);
            }
        }
        Ok(places)
    }

    /// For programs.
    fn json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let places = self.places(results)?;
        let found = self.found.iter().map(|((kernel, kind, pc), found)| {
            let place = places.get(&(*kernel, *pc));
            let object = self.results(*kernel, results).map(KernelResults::object);
            json!({
                "kind": kind,
                "kernel": self.kernel(*kernel),
                "object": object,
                "pc": pc,
                "text": place.map(|site| &site.text),
                "source": place.and_then(|site| site.source.as_ref()),
                "address": found.first.address,
                "workgroup": found.first.workgroup,
                "wave": found.first.wave,
                "lane": found.first.lane,
                "detail": found.detail,
                "times": found.times,
            })
        });
        let found: Vec<_> = found.collect();
        Ok(json!({ "accesses": found, "unknown": self.unknown }))
    }

    /// For people.
    fn section(&self, results: &Results<'_>) -> Result<Section> {
        let places = self.places(results)?;
        let rows = self.found.iter().map(|((kernel, kind, pc), found)| {
            let name = self.kernel(*kernel);
            let place = places.get(&(*kernel, *pc));
            let place = place.map_or_else(|| format!("{pc:#x}"), by_line::Site::place);
            let Missed {
                address,
                workgroup: [x, y, z],
                wave,
                lane,
                ..
            } = found.first;
            let near = found.nearest.as_ref().map(|(near, position)| match position {
                Position::Inside(bytes) => format!(", {bytes} bytes into {} bytes", near.size),
                Position::Behind(bytes) => format!(", {bytes} bytes behind {} bytes", near.size),
                Position::Before(bytes) => format!(", {bytes} bytes before {} bytes", near.size),
            });
            let more = near.or_else(|| found.detail.as_ref().map(|detail| format!(", {detail}")));
            let text = format!(
                "  {kind} in {}, address {address:#x}, workgroup ({x}, {y}, {z}), wave {wave}, lane {lane}{}, {} times  {place}",
                demangle::readable(name),
                more.unwrap_or_default(),
                found.times
            );
            (found.times as f64, text)
        });
        Ok(Section::sorted("wrong accesses".to_owned(), rows.collect()))
    }
}
