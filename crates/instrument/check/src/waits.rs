//! Missing waits and wait states in one code object.

use crate::fingerprint;
use crate::listing::listing;
use crate::{Finding, Grade, Kind, Place, Sink, Unshown};
use codeobj::{CodeObject, SourceLines};
use gfx::{Family, Target};
use hazard::{Conflict, Scoreboard, StaleScalar, Violation};
use isa::Decoder;
use lift::{
    BlockIndex, Counter, EdgeKind, Function, FunctionIndex, FunctionKind, InstFlags, InstIndex,
    Module, Reason,
};
use serde::Serialize;

/// The code to look at.
pub struct Options<'o> {
    /// Whether a kernel or function of that name is looked at.
    pub selects: &'o dyn Fn(&str) -> bool,
}

/// How much of a code object was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// Kernels that were looked at.
    pub kernels: u64,
    /// Device functions that were looked at.
    pub functions: u64,
    /// All instructions of both.
    pub instructions: u64,
    /// Kernels and functions with jumps to places that are not known.
    pub with_unknown_jumps: u64,
    /// Instructions of those, which were compared along known ways only.
    pub instructions_with_unknown_jumps: u64,
    /// Kernels and functions whose code ends without an end: their authors, or the compiler, took that for impossible.
    pub run_off: u64,
    /// Kernels and functions that call places that are not known.
    pub with_unknown_calls: u64,
    /// Instructions that reach vector registers by an index.
    pub indexed_instructions: u64,
    /// Dwords that are no instructions.
    pub undecodable: u64,
}

impl Covered {
    /// Adds what was looked at elsewhere.
    pub fn add(&mut self, other: Covered) {
        self.kernels += other.kernels;
        self.functions += other.functions;
        self.instructions += other.instructions;
        self.with_unknown_jumps += other.with_unknown_jumps;
        self.instructions_with_unknown_jumps += other.instructions_with_unknown_jumps;
        self.run_off += other.run_off;
        self.with_unknown_calls += other.with_unknown_calls;
        self.indexed_instructions += other.indexed_instructions;
        self.undecodable += other.undecodable;
    }

    /// Returns `true` if every instruction was compared along every way.
    pub fn is_complete(&self) -> bool {
        self.with_unknown_jumps == 0 && self.indexed_instructions == 0 && self.undecodable == 0
    }
}

/// Looks for missing waits in all selected kernels and functions. `place`: where the object lies in its file.
pub fn object(
    object: &CodeObject<'_>,
    place: &str,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Covered, lift::Error> {
    let module = Module::lift(object)?;
    let mut check = Check {
        object,
        place,
        module: &module,
        id: object.target().to_string(),
        lines: None,
        decoder: None,
    };
    let mut board = Scoreboard::new(&module);
    let mut covered = Covered::default();
    for (index, function) in module.functions.iter().enumerate() {
        let readable = demangle::readable(&function.name);
        if !(options.selects)(&function.name) && !(options.selects)(&readable) {
            continue;
        }
        covered.add(coverage(function));
        for suspect in suspects(&module, index, &mut board) {
            check.tell(function, &readable, suspect, 1, sink)?;
        }
    }
    Ok(covered)
}

/// A wait that was missing when a program ran, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    conflict: Conflict,
    counter: Counter,
    /// Addresses in the code object.
    producer: u64,
    pub consumer: u64,
    register: Option<String>,
    /// How often waves came there.
    times: u64,
}

impl Executed {
    /// The fields of a line: how often, then conflict, counter, both addresses, register or `-`.
    pub fn parse(times: &str, fields: &[&str]) -> Option<Executed> {
        const CONFLICTS: [Conflict; 5] = [
            Conflict::Read,
            Conflict::Overwrite,
            Conflict::OverwriteSource,
            Conflict::Barrier,
            Conflict::BarrierLoad,
        ];
        let [conflict, counter, producer, consumer, register] = fields else {
            return None;
        };
        let address = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        Some(Executed {
            conflict: CONFLICTS
                .into_iter()
                .find(|one| format!("{one:?}") == *conflict)?,
            counter: lift::COUNTERS
                .into_iter()
                .find(|one| format!("{one:?}") == *counter)?,
            producer: address(producer)?,
            consumer: address(consumer)?,
            register: (*register != "-").then(|| (*register).to_owned()),
            times: times.parse().ok()?,
        })
    }
}

/// Tells of waits that were missing when a program ran. Returns the ones whose instructions the object does not have.
pub fn executed(
    object: &CodeObject<'_>,
    place: &str,
    found: &[Executed],
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Executed>, lift::Error> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let addresses = found.iter().flat_map(|one| [one.producer, one.consumer]);
    let module = Module::lift_around(object, &addresses.collect())?;
    let mut check = Check {
        object,
        place,
        module: &module,
        id: object.target().to_string(),
        lines: None,
        decoder: None,
    };
    let mut lost = Vec::new();
    for one in found {
        let consumer = |function: &Function| function.inst_at(one.consumer);
        let of = module
            .functions
            .iter()
            .find(|function| consumer(function).is_some());
        let Some((function, consumer)) = of.and_then(|of| Some((of, consumer(of)?))) else {
            lost.push(one.clone());
            continue;
        };
        let readable = demangle::readable(&function.name);
        if !(options.selects)(&function.name) && !(options.selects)(&readable) {
            continue;
        }
        let producer = function.inst_at(one.producer);
        let mut suspect = unwaited(
            Unwaited {
                conflict: one.conflict,
                grade: Grade::Certain,
                producer: producer.unwrap_or(consumer),
                consumer,
                counter: one.counter,
                register: one.register.clone(),
                others: 0,
            },
            Vec::new(),
            module.target,
        );
        if producer.is_none() {
            let address = one.producer;
            let mut functions = module.functions.iter();
            let other = functions.find(|function| function.inst_at(address).is_some());
            let name = other.map_or("another function", |other| other.name.as_str());
            suspect.message += &format!("; it was issued at {address:#x} in {name}");
        }
        check.tell(function, &readable, suspect, one.times, sink)?;
    }
    Ok(lost)
}

fn coverage(function: &Function) -> Covered {
    let is_kernel = function.kind == FunctionKind::Kernel;
    let instructions = function.insts.len() as u64;
    let unknown = function.jumps_to_unknown_places();
    let calls = |reason: Reason| reason == Reason::IndirectCall;
    let indexed = match function.has(InstFlags::INDEXING) {
        true => (0..function.insts.len())
            .filter(|inst| function.access(*inst).indexed.vectors)
            .count(),
        false => 0,
    };
    Covered {
        kernels: u64::from(is_kernel),
        functions: u64::from(!is_kernel),
        instructions,
        with_unknown_jumps: u64::from(unknown),
        instructions_with_unknown_jumps: if unknown { instructions } else { 0 },
        run_off: u64::from(function.runs_off()),
        with_unknown_calls: u64::from(function.unresolved.iter().any(|one| calls(one.reason))),
        indexed_instructions: indexed as u64,
        undecodable: function.undecodable.len() as u64,
    }
}

/// Two instructions that conflict, before anything is said of them.
struct Suspect {
    kind: Kind,
    grade: Grade,
    producer: InstIndex,
    consumer: InstIndex,
    register: Option<String>,
    further: usize,
    path: Vec<BlockIndex>,
    message: String,
    remedy: String,
    /// The two instructions of the listing.
    notes: [String; 2],
}

fn grade(grade: hazard::Grade) -> Grade {
    match grade {
        hazard::Grade::Certain => Grade::Certain,
        hazard::Grade::Possible => Grade::Possible,
    }
}

fn suspects(module: &Module, index: FunctionIndex, board: &mut Scoreboard<'_>) -> Vec<Suspect> {
    let function = &module.functions[index];
    let target = module.target;
    let mut suspects: Vec<Suspect> = Vec::new();
    for missing in board.check(index) {
        let path = board.path(index, &missing);
        suspects.push(unwaited(Unwaited::new(&missing), path, target));
    }
    let violations = hazard::check(function, target);
    suspects.extend(violations.iter().filter_map(|one| too_close(function, one)));
    let stale = hazard::check_scalars(module, function);
    suspects.extend(stale.into_iter().map(|one| too_early(one, target.family)));
    suspects.sort_by_key(|suspect| (suspect.consumer, suspect.producer, suspect.kind));
    suspects
}

/// An operation that is not waited for, however that was found.
struct Unwaited {
    conflict: Conflict,
    grade: Grade,
    producer: InstIndex,
    consumer: InstIndex,
    counter: Counter,
    register: Option<String>,
    others: usize,
}

impl Unwaited {
    fn new(missing: &hazard::MissingWait) -> Unwaited {
        Unwaited {
            conflict: missing.conflict,
            grade: grade(missing.grade),
            producer: missing.producer,
            consumer: missing.consumer,
            counter: missing.counter,
            register: missing.register.map(|register| register.to_string()),
            others: missing.others,
        }
    }
}

fn unwaited(missing: Unwaited, path: Vec<BlockIndex>, target: &Target) -> Suspect {
    let counter = missing.counter.name(target.family);
    let register = missing.register;
    let name = register.as_deref().unwrap_or("LDS");
    let (kind, message, early) = match missing.conflict {
        Conflict::Read => (
            Kind::ReadEarly,
            format!("{name} is read before the load or the operation that writes it is waited for"),
            format!("reads {name} too early"),
        ),
        Conflict::Overwrite => (
            Kind::WriteEarly,
            format!("{name} is written while an operation that also writes it is outstanding"),
            format!("writes {name} too early"),
        ),
        Conflict::OverwriteSource => (
            Kind::SourceOverwritten,
            format!("{name} is overwritten while an operation that reads it is outstanding"),
            format!("overwrites {name} too early"),
        ),
        Conflict::Barrier => (
            Kind::LdsBarrier,
            "a store to LDS is outstanding at a barrier, so that other waves may read old data behind it".to_owned(),
            "LDS is not waited for".to_owned(),
        ),
        Conflict::BarrierLoad => (
            Kind::LdsLoadBarrier,
            "a load to LDS is outstanding at a barrier, so that other waves may read old data behind it".to_owned(),
            "the load to LDS is not waited for".to_owned(),
        ),
    };
    Suspect {
        kind,
        grade: missing.grade,
        producer: missing.producer,
        consumer: missing.consumer,
        register,
        further: missing.others,
        path,
        message,
        remedy: format!("a wait for {counter} is missing between the two"),
        notes: [format!("issued, raises {counter}"), early],
    }
}

fn too_close(function: &Function, violation: &Violation) -> Option<Suspect> {
    let producer = function.inst_at(violation.producer)?;
    let consumer = function.inst_at(violation.consumer)?;
    let Violation {
        rule,
        distance,
        needed,
        remedy,
        ..
    } = violation;
    let more = needed - distance;
    let (message, remedy) = match remedy {
        None => (
            format!("{rule}: {distance} wait states of {needed} lie between the two"),
            format!("{more} more wait states are needed (s_nop, or other instructions)"),
        ),
        Some(remedy) => (
            format!("{rule}: nothing lies between the two that keeps them apart"),
            format!("{remedy} is missing between the two"),
        ),
    };
    Some(Suspect {
        kind: Kind::WaitStates,
        grade: match violation.remedy.is_some() || falls(function, &violation.path) {
            true => grade(violation.grade(function)),
            false => Grade::Possible,
        },
        producer,
        consumer,
        register: None,
        further: 0,
        path: violation.path.clone(),
        message,
        remedy,
        notes: ["the first".to_owned(), "comes too early".to_owned()],
    })
}

/// Returns `true` if control runs along a path without a jump. A jump that is taken counts as one wait state, as LLVM has it, and
/// takes longer; compilers leave some hazards behind one.
fn falls(function: &Function, path: &[BlockIndex]) -> bool {
    path.windows(2).all(|pair| {
        let mut edges = function.blocks[pair[0]].successors.iter();
        edges.any(|edge| edge.to == pair[1] && edge.kind == EdgeKind::Fall)
    })
}

fn too_early(stale: StaleScalar, family: Family) -> Suspect {
    let wait = match family >= Family::Gfx12 {
        true => "s_wait_alu",
        false => "s_waitcnt_depctr",
    };
    let span = lift::Span::from_register(stale.register);
    let register = span.map_or_else(
        || "a register".to_owned(),
        |span| hazard::Halves::of_span(span).to_string(),
    );
    let unit = match stale.writer {
        hazard::Writer::Scalar => "scalar",
        hazard::Writer::Vector | hazard::Writer::VectorVcc => "vector",
    };
    Suspect {
        kind: Kind::ScalarReadEarly,
        grade: grade(stale.grade),
        producer: stale.producer,
        consumer: stale.consumer,
        message: format!(
            "{register} is read before what the {unit} unit wrote to it is seen: a VALU instruction has read it, or its pair, before"
        ),
        remedy: format!("{wait} {} is missing between the two", stale.writer.field()),
        notes: [
            format!("writes {register}"),
            format!("reads {register} too early"),
        ],
        register: Some(register),
        further: 0,
        path: stale.path,
    }
}

/// One object while it is looked at.
struct Check<'c, 'a> {
    object: &'c CodeObject<'a>,
    place: &'c str,
    module: &'c Module,
    id: String,
    /// Read when they are first needed.
    lines: Option<Option<SourceLines>>,
    decoder: Option<(u8, Decoder)>,
}

impl Check<'_, '_> {
    fn tell(
        &mut self,
        function: &Function,
        readable: &str,
        suspect: Suspect,
        times: u64,
        sink: &mut dyn Sink,
    ) -> Result<(), lift::Error> {
        let sources = [suspect.producer, suspect.consumer].map(|inst| self.source(function, inst));
        let offset = |inst: InstIndex| function.insts.pc(inst) - function.entry;
        // The line survives other changes to the kernel, the offset does not.
        let stable = |inst: InstIndex, source: &[String]| match source.first() {
            Some(source) => {
                let file = source.rsplit('/').next().unwrap_or(source);
                format!("{file} {}", function.insts.at(inst).mnemonic())
            }
            None => format!("+{:#x}", offset(inst)),
        };
        let target = self.module.target.name;
        let unshown = Unshown {
            fingerprint: fingerprint::of(&[
                "waits",
                suspect.kind.name(),
                target,
                fingerprint::stable(readable),
                &stable(suspect.producer, &sources[0]),
                &stable(suspect.consumer, &sources[1]),
            ]),
            kind: suspect.kind,
            grade: suspect.grade,
            function: readable.to_owned(),
            target: target.to_owned(),
            sources: sources.iter().flatten().cloned().collect(),
            object: self.place.to_owned(),
            times,
        };
        if !sink.count(&unshown) {
            return Ok(());
        }
        let [produced, consumed] = sources;
        let decoder = self.decoder(function.wave_size)?;
        let place = |inst: InstIndex, source: Vec<String>| Place {
            offset: offset(inst),
            address: function.insts.pc(inst),
            text: decoder.print(&function.insts.at(inst)),
            source,
        };
        let listing = listing(
            function,
            decoder,
            (suspect.producer, &suspect.notes[0]),
            (suspect.consumer, &suspect.notes[1]),
        );
        let finding = Finding {
            fingerprint: unshown.fingerprint,
            kind: suspect.kind,
            grade: suspect.grade,
            message: suspect.message,
            remedy: suspect.remedy,
            producer: Some(place(suspect.producer, produced)),
            consumer: place(suspect.consumer, consumed),
            access: None,
            meeting: None,
            free: None,
            read: None,
            leak: None,
            copies: None,
            object: self.place.to_owned(),
            target: self.id.clone(),
            symbol: function.name.clone(),
            function: readable.to_owned(),
            register: suspect.register,
            further: suspect.further,
            path: suspect.path,
            listing,
        };
        sink.show(finding);
        Ok(())
    }

    /// Files and lines of an instruction, innermost inlined function first.
    fn source(&mut self, function: &Function, inst: InstIndex) -> Vec<String> {
        // Damaged line tables cost the lines, not the finding.
        let read = || SourceLines::read(self.object).ok().flatten();
        let lines = self.lines.get_or_insert_with(read).as_ref();
        let frames = lines.and_then(|lines| lines.frames(function.insts.pc(inst)).ok());
        let frames = frames.into_iter().flatten();
        frames
            .filter_map(|frame| Some(format!("{}:{}", frame.file?, frame.line?)))
            .collect()
    }

    fn decoder(&mut self, wave_size: u8) -> Result<&Decoder, lift::Error> {
        let fits = matches!(&self.decoder, Some((size, _)) if *size == wave_size);
        if !fits {
            let decoder = Decoder::with_features(self.module.target, wave_size, "")?;
            self.decoder = Some((wave_size, decoder));
        }
        match &self.decoder {
            Some((_, decoder)) => Ok(decoder),
            None => unreachable!("it was made above"),
        }
    }
}
