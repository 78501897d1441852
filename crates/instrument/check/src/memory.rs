//! Wrong accesses of memory by a program that ran.

use crate::fingerprint;
use crate::{Access, Allocation, Finding, Grade, Kind, Line, Options, Place, Sink, Unshown};
use codeobj::{CodeObject, SourceLines};
use isa::{Decoder, Effects};
use lift::{Function, InstIndex, Module};

/// An access that stopped a kernel, as the emulated device tells of it.
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
                address: hexadecimal(address)?,
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
    /// The fields of a line: address, size, bytes from it to the accessed address, and `into`, `behind` or `before`.
    pub fn parse(fields: &[&str]) -> Option<Allocation> {
        let [address, size, bytes, side] = fields else {
            return None;
        };
        let bytes: u64 = bytes.parse().ok()?;
        Some(Allocation {
            address: hexadecimal(address)?,
            size: size.parse().ok()?,
            position: format!("{bytes} bytes {side}"),
            allocated_by: Vec::new(),
            freed_by: Vec::new(),
        })
    }
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// Instructions shown on either side of the one.
const AROUND: usize = 3;

/// Tells of wrong accesses. Those whose instructions are not found in the object are returned.
pub fn accessed(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Accessed>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Accessed>, lift::Error> {
    let module = Module::lift(object)?;
    // Damaged line tables cost the lines, not the finding.
    let lines = SourceLines::read(object).ok().flatten();
    let mut lost = Vec::new();
    for mut one in found {
        let mut functions = module.functions.iter();
        let place_of = |function: &'_ Function| function.inst_at(one.pc);
        let of = functions.find(|function| place_of(function).is_some());
        let Some((function, inst)) = of.and_then(|of| Some((of, place_of(of)?))) else {
            lost.push(one);
            continue;
        };
        let effects = function.insts.at(inst).effects;
        one.access.write = effects.intersects(Effects::STORE | Effects::ATOMIC);
        let readable = demangle::readable(&function.name);
        if !(options.selects)(&function.name) && !(options.selects)(&readable) {
            continue;
        }
        let frames = lines.as_ref().and_then(|lines| lines.frames(one.pc).ok());
        let source: Vec<String> = frames
            .into_iter()
            .flatten()
            .filter_map(|frame| Some(format!("{}:{}", frame.file?, frame.line?)))
            .collect();
        let offset = one.pc - function.entry;
        let stable = match source.first() {
            Some(source) => source.rsplit('/').next().unwrap_or(source).to_owned(),
            None => format!("+{offset:#x}"),
        };
        let target = module.target.name;
        let unshown = Unshown {
            fingerprint: fingerprint::of(&[
                one.kind.checker().name(),
                one.kind.name(),
                target,
                fingerprint::stable(&readable),
                &stable,
            ]),
            kind: one.kind,
            grade: Grade::Certain,
            function: readable.clone(),
            target: target.to_owned(),
            sources: source.clone(),
            object: place.to_owned(),
            times: one.times,
        };
        if !sink.count(&unshown) {
            continue;
        }
        let decoder = Decoder::with_features(module.target, function.wave_size, "")?;
        let consumer = Place {
            offset,
            address: one.pc,
            text: decoder.print(&function.insts.at(inst)),
            source,
        };
        sink.show(Finding {
            fingerprint: unshown.fingerprint,
            kind: one.kind,
            grade: Grade::Certain,
            message: message(&one),
            remedy: remedy(one.kind).to_owned(),
            object: place.to_owned(),
            target: object.target().to_string(),
            symbol: function.name.clone(),
            function: readable,
            register: None,
            producer: None,
            consumer,
            access: Some(one.access),
            further: 0,
            path: Vec::new(),
            listing: around(function, &decoder, inst),
        });
    }
    Ok(lost)
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
            "the kernel {does} {} {} bytes that the program has freed",
            near.position, near.size
        ),
        (_, Some(near), _) => format!(
            "the kernel {does} {} an allocation of {} bytes",
            near.position, near.size
        ),
        (_, None, Some(detail)) => {
            format!("the kernel {does} memory that it does not have: {detail}")
        }
        (_, None, None) => {
            format!("the kernel {does} memory that is no allocation of the program's")
        }
    }
}

fn remedy(kind: Kind) -> &'static str {
    match kind {
        Kind::AfterFree => "the kernel has to end before the program frees what it uses",
        Kind::Misaligned => "align the address, or use a narrower type",
        _ => "compare the index with the size, or allocate more",
    }
}

/// The instructions around one.
fn around(function: &Function, decoder: &Decoder, inst: InstIndex) -> Vec<Line> {
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
            note: (at == inst).then(|| "the access".to_owned()),
        }
    });
    lines.collect()
}
