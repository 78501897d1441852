//! Wrong accesses of memory by a program that ran.

use crate::{Access, Allocation, Finding, Free, Grade, Kind, Line, Options, Place, Sink, Unshown};
use crate::{code::Code, fingerprint};
use codeobj::CodeObject;
use isa::{Decoder, Effects};
use lift::{Function, InstIndex, Module};

/// An access or a call of `free` that stopped a kernel, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accessed {
    pub kind: Kind,
    /// Address of the instruction in the code object.
    pub pc: u64,
    pub access: Access,
    /// In the words of the device, if it knows more than an address.
    pub detail: Option<String>,
    /// How often kernels came there.
    pub times: u64,
}

impl Accessed {
    /// The fields of a line: how often, then kind, addresses of the instruction and of what it accesses, three numbers of the
    /// workgroup, wave, lane or `-`, and what else the device says or `-`.
    pub fn parse(times: &str, fields: &[&str]) -> Option<Accessed> {
        let [kind, pc, address, x, y, z, wave, lane, detail] = fields else {
            return None;
        };
        let given = |text: &str| (text != "-").then(|| text.to_owned());
        Some(Accessed {
            kind: Kind::ALL.into_iter().find(|one| one.name() == *kind)?,
            pc: hexadecimal(pc)?,
            access: Access {
                write: false,
                address: Some(hexadecimal(address)?),
                workgroup: [x.parse().ok()?, y.parse().ok()?, z.parse().ok()?],
                wave: wave.parse().ok()?,
                lane: match given(lane) {
                    Some(lane) => Some(lane.parse().ok()?),
                    None => None,
                },
                allocation: None,
            },
            detail: given(detail),
            times: times.parse().ok()?,
        })
    }
}

impl Allocation {
    /// The fields of a line: address, size, bytes from it to the accessed address, `into`, `behind` or `before`, kind of memory,
    /// what allocated it, and a name or `-`.
    pub fn parse(fields: &[&str]) -> Option<Allocation> {
        let [address, size, bytes, side, kind, with, name] = fields else {
            return None;
        };
        let bytes: u64 = bytes.parse().ok()?;
        Some(Allocation {
            address: hexadecimal(address)?,
            size: size.parse().ok()?,
            position: format!("{bytes} bytes {side}"),
            kind: (*kind).to_owned(),
            with: (*with).to_owned(),
            name: (*name != "-").then(|| (*name).to_owned()),
            allocated_by: Vec::new(),
            freed_by: Vec::new(),
        })
    }

    /// A kernel has allocated it. Calls in kernels have no known stack.
    pub(crate) fn is_of_kernels(&self) -> bool {
        self.kind == HEAP
    }

    /// Words for an access that begins inside and ends outside. The memory's name follows them.
    fn crossed(&self) -> Option<&'static str> {
        let inside = self.position.strip_suffix(INSIDE)?;
        let inside: u64 = inside.strip_suffix(" bytes")?.parse().ok()?;
        match self.kind.as_str() {
            ROWS => Some("across the end of a row of"),
            _ => (self.size.saturating_sub(inside) < WIDEST).then_some("across the end of"),
        }
    }

    /// The accessed address, in front of words for the memory. A number of bytes alone would read as the size of the access.
    fn reached(&self) -> String {
        match self.position.as_str() {
            AT_START => "the first byte of".to_owned(),
            AT_END => "right behind".to_owned(),
            AT_END_OF_ROW => "right behind a row of".to_owned(),
            position => format!("at an address {position}"),
        }
    }

    /// The memory in a few words.
    pub(crate) fn named(&self) -> String {
        let size = self.size;
        match &self.name {
            Some(name) => format!("the variable {} of {size} bytes", demangle::readable(name)),
            None => format!("an allocation of {size} bytes"),
        }
    }
}

/// A call that frees what it may not free, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    pub kind: Kind,
    /// Functions that have called, innermost first.
    pub free: Free,
    pub times: u64,
}

impl Freed {
    /// The fields of a line: how often, then kind, function of HIP and address. The allocation comes behind it.
    pub fn parse(times: &str, fields: &[&str]) -> Option<Freed> {
        let [kind, with, address] = fields else {
            return None;
        };
        Some(Freed {
            kind: Kind::ALL.into_iter().find(|one| one.name() == *kind)?,
            times: times.parse().ok()?,
            free: Free {
                address: hexadecimal(address)?,
                with: (*with).to_owned(),
                called_by: Vec::new(),
                allocation: Allocation::default(),
            },
        })
    }
}

/// Tells of wrong frees.
pub fn freed(found: Vec<Freed>, sink: &mut dyn Sink) {
    for Freed { kind, free, times } in found {
        let caller = free.called_by.first().cloned();
        let function = caller.unwrap_or_else(|| "the program".to_owned());
        let stable = fingerprint::without_place(&function);
        let unshown = Unshown {
            fingerprint: fingerprint::of(&[kind.checker().name(), kind.name(), &free.with, stable]),
            kind,
            grade: Grade::Certain,
            function: stable.to_owned(),
            target: HOST.to_owned(),
            sources: Vec::new(),
            object: String::new(),
            times,
        };
        if !sink.count(&unshown) {
            continue;
        }
        let near = &free.allocation;
        let what = match kind {
            Kind::FreedTwice => format!("{} bytes that it has freed before", near.size),
            _ if near.position == AT_START => {
                format!(
                    "{}, made with {}, with {}",
                    near.named(),
                    near.with,
                    free.with
                )
            }
            _ => format!("an address {} {}", near.position, near.named()),
        };
        sink.show(Finding {
            fingerprint: unshown.fingerprint,
            kind,
            grade: Grade::Certain,
            message: format!("the program frees {what}"),
            remedy: remedy(kind).to_owned(),
            object: String::new(),
            target: HOST.to_owned(),
            symbol: free.with.clone(),
            function: stable.to_owned(),
            register: None,
            producer: None,
            consumer: Place {
                offset: 0,
                address: free.address,
                text: free.with.clone(),
                source: Vec::new(),
            },
            access: None,
            meeting: None,
            free: Some(free),
            read: None,
            leak: None,
            copies: None,
            further: 0,
            path: Vec::new(),
            listing: Vec::new(),
        });
    }
}

/// The position of the first byte, in words.
const AT_START: &str = "0 bytes into";
/// The end of a position inside.
const INSIDE: &str = " into";
/// The kind of memory that kernels allocate.
const HEAP: &str = "heap";
/// The kind of memory that graphs allocate when they are launched.
const OF_GRAPH: &str = "graph-node";
/// The kind of memory that consists of rows.
const ROWS: &str = "pitched";
/// More bytes than a lane accesses at once.
const WIDEST: u64 = 65;
/// The position of the byte behind the last one.
const AT_END: &str = "0 bytes behind";
/// The position of the byte behind the last one of a row.
const AT_END_OF_ROW: &str = "0 bytes behind a row of";

/// The target of findings in the program itself.
pub(crate) const HOST: &str = "host";

pub(crate) fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// Instructions shown on either side of the one.
const AROUND: usize = 3;

/// Tells of wrong accesses. Returns those whose instructions are not in the object.
pub fn accessed(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Accessed>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Accessed>, lift::Error> {
    if found.is_empty() {
        return Ok(found);
    }
    let addresses = found.iter().map(|one| one.pc).collect();
    let module = Module::lift_around(object, &addresses)?;
    let code = Code::new(object, &module);
    let mut lost = Vec::new();
    for mut one in found {
        let Some((function, inst)) = code.find(one.pc) else {
            lost.push(one);
            continue;
        };
        let effects = function.insts.at(inst).effects;
        one.access.write = effects.intersects(Effects::STORE | Effects::ATOMIC);
        let readable = demangle::readable(&function.name);
        if !(options.selects)(&function.name) && !(options.selects)(&readable) {
            continue;
        }
        let (sources, stable) = (code.source(one.pc), code.stable(one.pc));
        let unshown = unshown(
            &one,
            readable,
            module.target.name,
            (sources, &stable),
            place,
        );
        if !sink.count(&unshown) {
            continue;
        }
        let decoder = Decoder::with_features(module.target, function.wave_size, "")?;
        let consumer = Place {
            offset: one.pc - function.entry,
            address: one.pc,
            text: decoder.print(&function.insts.at(inst)),
            source: unshown.sources,
        };
        sink.show(Finding {
            fingerprint: unshown.fingerprint,
            kind: one.kind,
            grade: Grade::Certain,
            message: message(&one),
            remedy: remedy_of_access(&one).to_owned(),
            object: place.to_owned(),
            target: object.target().to_string(),
            symbol: function.name.clone(),
            function: unshown.function,
            register: None,
            producer: None,
            consumer,
            access: Some(one.access),
            meeting: None,
            free: None,
            read: None,
            leak: None,
            copies: None,
            further: 0,
            path: Vec::new(),
            listing: around(function, &decoder, inst, note(one.kind)),
        });
    }
    Ok(lost)
}

/// The words that tell a wrong access in the function of that `readable` name from others.
fn unshown(
    one: &Accessed,
    readable: String,
    target: &str,
    (sources, stable): (Vec<String>, &str),
    place: &str,
) -> Unshown {
    Unshown {
        fingerprint: fingerprint::of(&[
            one.kind.checker().name(),
            one.kind.name(),
            target,
            fingerprint::stable(&readable),
            stable,
        ]),
        kind: one.kind,
        grade: Grade::Certain,
        function: readable,
        target: target.to_owned(),
        sources,
        object: place.to_owned(),
        times: one.times,
    }
}

fn message(one: &Accessed) -> String {
    let Access {
        write, allocation, ..
    } = &one.access;
    let does = if *write { "writes" } else { "reads" };
    match (one.kind, allocation, &one.detail) {
        (Kind::Misaligned, ..) => {
            format!(
                "the kernel {does} at an address that is not aligned as the instruction demands"
            )
        }
        (Kind::AfterFree, Some(near), _) => format!(
            "the kernel {does} {} {} bytes that {}",
            near.reached(),
            near.size,
            match near.kind.as_str() {
                HEAP => "a kernel has freed",
                OF_GRAPH => "its graph has freed, or has not allocated yet",
                _ => "the program has freed",
            }
        ),
        (Kind::FreedTwice, Some(near), _) => {
            format!(
                "the kernel frees {} bytes that a kernel has freed before",
                near.size
            )
        }
        (Kind::WrongFree, near, _) => match near {
            Some(near) if near.position == AT_START => {
                format!("the kernel frees {}, made with {}", near.named(), near.with)
            }
            Some(near) if near.position.ends_with(INSIDE) => {
                format!(
                    "the kernel frees an address {} {}",
                    near.position,
                    near.named()
                )
            }
            _ => "the kernel frees an address that no `malloc` in a kernel has returned".to_owned(),
        },
        (Kind::ReadOnly, Some(near), _) => {
            format!("the kernel writes {}, which is constant", near.named())
        }
        (Kind::ReadOnly, None, _) => {
            "the kernel writes a constant or code of its module".to_owned()
        }
        (_, Some(near), _) => {
            let crossed = near.crossed().map(str::to_owned);
            let reached = crossed.unwrap_or_else(|| near.reached());
            format!("the kernel {does} {reached} {}", near.named())
        }
        (_, None, Some(detail)) => {
            format!("the kernel {does} memory that it does not have: {detail}")
        }
        (_, None, None) => {
            format!("the kernel {does} memory that is no allocation of the program's")
        }
    }
}

/// The word for the instruction in listings.
fn note(kind: Kind) -> &'static str {
    match kind {
        Kind::WrongFree | Kind::FreedTwice => "the free",
        _ => "the access",
    }
}

fn remedy_of_access(one: &Accessed) -> &'static str {
    let near = one.access.allocation.as_ref();
    match one.kind {
        Kind::AfterFree if near.is_some_and(Allocation::is_of_kernels) => {
            "free it when no work-item uses it any more"
        }
        Kind::AfterFree if near.is_some_and(|one| one.kind == OF_GRAPH) => {
            "let the kernel's node depend on the one that allocates, and the one that frees on the kernel's"
        }
        kind => remedy(kind),
    }
}

fn remedy(kind: Kind) -> &'static str {
    match kind {
        Kind::AfterFree => "the kernel has to end before the program frees what it uses",
        Kind::Misaligned => "align the address, or use a narrower type",
        Kind::ReadOnly => "declare the variable as __device__ if kernels are to write it",
        Kind::WrongFree => {
            "free the address that the allocation returned, with the function that belongs to the one that made it"
        }
        Kind::FreedTwice => "free it once",
        _ => "compare the index with the size, or allocate more",
    }
}

/// The instructions around one.
pub(crate) fn around(
    function: &Function,
    decoder: &Decoder,
    inst: InstIndex,
    note: &str,
) -> Vec<Line> {
    let block = function.block_of(inst);
    let of_block = &function.blocks[block];
    let first = inst.saturating_sub(AROUND).max(of_block.first);
    let end = (inst + AROUND + 1).min(of_block.end);
    let lines = (first..end).map(|at| {
        let decoded = function.insts.at(at);
        Line {
            offset: decoded.pc - function.entry,
            block,
            text: decoder.print(&decoded),
            note: (at == inst).then(|| note.to_owned()),
        }
    });
    lines.collect()
}
