//! NaN and infinity that kernels of a program made of numbers.

use std::collections::BTreeMap;

use crate::code::Code;
use crate::listing::listing;
use crate::memory::hexadecimal;
use crate::{Access, Allocation, Finding, Grade, Kind, Options, Sink, Unshown, fingerprint};
use codeobj::CodeObject;
use isa::Decoder;
use lift::{Function, Module};
use serde::Serialize;

/// A value that an instruction made of numbers, and its use, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    kind: Kind,
    /// The addresses in the code object of the instruction that made it, and of the one that uses it.
    made: u64,
    pub pc: u64,
    /// The address that it is stored to.
    address: Option<u64>,
    workgroup: [u32; 3],
    wave: u32,
    lane: u32,
    /// The allocation that it is stored to.
    pub allocation: Option<Allocation>,
    /// Lanes, of all waves.
    times: u64,
}

impl Made {
    /// The fields of a line: how often, then use, value, the instruction that made it, the one that uses it, address, three numbers of the
    /// workgroup, wave and lane.
    pub fn parse(times: &str, fields: &[&str]) -> Option<Made> {
        let [used, value, made, pc, address, x, y, z, wave, lane] = fields else {
            return None;
        };
        Some(Made {
            kind: match (*used, *value) {
                ("stored", "nan") => Kind::NanStored,
                ("stored", "infinity") => Kind::InfinityStored,
                ("compared", "nan") => Kind::NanCompared,
                _ => return None,
            },
            made: hexadecimal(made)?,
            pc: hexadecimal(pc)?,
            address: match *address {
                "-" => None,
                address => Some(hexadecimal(address)?),
            },
            workgroup: [x.parse().ok()?, y.parse().ok()?, z.parse().ok()?],
            wave: wave.parse().ok()?,
            lane: lane.parse().ok()?,
            allocation: None,
            times: times.parse().ok()?,
        })
    }

    /// To be stored is certain to matter; a comparison may be made to sort such values out.
    fn grade(&self) -> Grade {
        match self.kind {
            Kind::NanCompared => Grade::Possible,
            _ => Grade::Certain,
        }
    }

    fn value(&self) -> &'static str {
        match self.kind {
            Kind::InfinityStored => "infinity",
            _ => "NaN",
        }
    }

    fn message(&self) -> String {
        let (value, [x, y, z]) = (self.value(), self.workgroup);
        match self.address {
            Some(_) => format!("the kernel stores {value} that an instruction made of numbers"),
            None => format!(
                "{value} that an instruction made of numbers is {}, first in workgroup ({x}, {y}, {z}), wave {}, lane {}",
                self.verb(),
                self.wave,
                self.lane
            ),
        }
    }

    fn verb(&self) -> &'static str {
        match self.kind {
            Kind::NanCompared => "compared",
            _ => "stored",
        }
    }
}

/// A line of the source that makes NaN or infinity, or an instruction if there are no lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Maker {
    pub place: String,
    pub kind: Kind,
}

/// For each, the number of lanes.
pub type Makers = BTreeMap<Maker, u64>;

/// Tells of values. Returns those whose instructions are not in the object.
pub fn made(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Made>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
    makers: &mut Makers,
) -> Result<Vec<Made>, lift::Error> {
    let module = Module::lift(object)?;
    let code = Code::new(object, &module);
    let mut lost = Vec::new();
    for one in found {
        let (Some((function, _)), Some(_)) = (code.find(one.pc), code.find(one.made)) else {
            lost.push(one);
            continue;
        };
        let readable = demangle::readable(&function.name);
        if !(options.selects)(&function.name) && !(options.selects)(&readable) {
            continue;
        }
        let maker = Maker {
            place: maker(&code, one.made, &readable),
            kind: one.kind,
        };
        *makers.entry(maker).or_default() += one.times;
        let unshown = unshown(&one, &code, &readable, place);
        if !sink.count(&unshown) {
            continue;
        }
        let decoder = Decoder::with_features(module.target, function.wave_size, "")?;
        if let Some(finding) = finding(one, unshown, function, &code, object, &decoder) {
            sink.show(finding);
        }
    }
    Ok(lost)
}

fn maker(code: &Code<'_>, pc: u64, function: &str) -> String {
    match code.source(pc).into_iter().next() {
        Some(source) => source,
        None => format!("{function} {}", code.stable(pc)),
    }
}

fn finding(
    one: Made,
    unshown: Unshown,
    function: &Function,
    code: &Code<'_>,
    object: &CodeObject<'_>,
    decoder: &Decoder,
) -> Option<Finding> {
    let listing = match (function.inst_at(one.made), function.inst_at(one.pc)) {
        (Some(made), Some(used)) => {
            listing(function, decoder, (made, one.value()), (used, one.verb()))
        }
        // A function that was called made it.
        _ => Vec::new(),
    };
    Some(Finding {
        fingerprint: unshown.fingerprint,
        kind: one.kind,
        grade: one.grade(),
        message: one.message(),
        remedy: "keep the operands in the range of the operation, or choose another value before it is used"
            .to_owned(),
        object: unshown.object,
        target: object.target().to_string(),
        symbol: function.name.clone(),
        function: unshown.function,
        register: None,
        producer: code.place(one.made),
        consumer: code.place(one.pc)?,
        access: one.address.map(|address| Access {
            write: true,
            address,
            workgroup: one.workgroup,
            wave: one.wave,
            lane: Some(one.lane),
            allocation: one.allocation,
        }),
        meeting: None,
        free: None,
        read: None,
        leak: None,
        further: 0,
        path: Vec::new(),
        listing,
    })
}

fn unshown(one: &Made, code: &Code<'_>, function: &str, place: &str) -> Unshown {
    let target = code.module.target.name;
    let mut sources = code.source(one.pc);
    sources.extend(code.source(one.made));
    Unshown {
        fingerprint: fingerprint::of(&[
            one.kind.checker().name(),
            one.kind.name(),
            target,
            fingerprint::stable(function),
            &code.stable(one.made),
            &code.stable(one.pc),
        ]),
        kind: one.kind,
        grade: one.grade(),
        function: function.to_owned(),
        target: target.to_owned(),
        sources,
        object: place.to_owned(),
        times: one.times,
    }
}
