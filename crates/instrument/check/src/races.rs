//! Accesses of waves of a program that ran to the same bytes of LDS, in no order.

use crate::code::Code;
use crate::listing::listing;
use crate::memory::{around, hexadecimal};
use crate::{Access, Finding, Grade, Kind, Options, Place, Sink, Unshown, fingerprint};
use codeobj::CodeObject;
use isa::Decoder;
use lift::{Function, Module};

/// Two accesses, as the emulated device tells of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raced {
    pub grade: Grade,
    /// Addresses of the earlier and of the later instruction in the code object.
    pub before: u64,
    pub pc: u64,
    /// The accesses, in the words of the device.
    pub was: String,
    pub is: String,
    pub workgroup: [u32; 3],
    /// The wave that was first, and the other one with its lane.
    pub wave_before: u32,
    pub wave: u32,
    pub lane: u32,
    /// In bytes from the start of LDS.
    pub address: u64,
    /// How often two waves met so.
    pub times: u64,
}

impl Raced {
    /// The fields of a line: how often, then grade, addresses of the earlier and the later instruction, both accesses, three numbers of the
    /// workgroup, the earlier wave, the later wave, its lane, and the address in LDS.
    pub fn parse(times: &str, fields: &[&str]) -> Option<Raced> {
        let [
            grade,
            before,
            pc,
            was,
            is,
            x,
            y,
            z,
            first,
            wave,
            lane,
            address,
        ] = fields
        else {
            return None;
        };
        Some(Raced {
            grade: match *grade {
                "certain" => Grade::Certain,
                "possible" => Grade::Possible,
                _ => return None,
            },
            before: hexadecimal(before)?,
            pc: hexadecimal(pc)?,
            was: (*was).to_owned(),
            is: (*is).to_owned(),
            workgroup: [x.parse().ok()?, y.parse().ok()?, z.parse().ok()?],
            wave_before: first.parse().ok()?,
            wave: wave.parse().ok()?,
            lane: lane.parse().ok()?,
            address: hexadecimal(address)?,
            times: times.parse().ok()?,
        })
    }

    /// The two instructions; either one may come first.
    fn both(&self) -> (u64, u64) {
        (self.before.min(self.pc), self.before.max(self.pc))
    }
}

/// One finding for each two instructions, which is certain if it is for any two waves.
fn merged(found: Vec<Raced>) -> Vec<Raced> {
    let mut all: Vec<Raced> = Vec::new();
    for one in found {
        match all.iter_mut().find(|known| known.both() == one.both()) {
            Some(known) => {
                let times = known.times + one.times;
                if one.grade < known.grade {
                    *known = one;
                }
                known.times = times;
            }
            None => all.push(one),
        }
    }
    all
}

/// Tells of races. Returns those whose instructions are not in the object.
pub fn raced(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Raced>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Raced>, lift::Error> {
    let module = Module::lift(object)?;
    let code = Code::new(object, &module);
    let mut lost = Vec::new();
    for one in merged(found) {
        let both = (
            code.find(one.pc),
            code.place(one.pc),
            code.place(one.before),
        );
        let (Some((function, _)), Some(consumer), Some(producer)) = both else {
            lost.push(one);
            continue;
        };
        let readable = demangle::readable(&function.name);
        if !(options.selects)(&function.name) && !(options.selects)(&readable) {
            continue;
        }
        let unshown = unshown(&one, &code, &readable, place);
        if !sink.count(&unshown) {
            continue;
        }
        let decoder = Decoder::with_features(module.target, function.wave_size, "")?;
        sink.show(finding(
            &one,
            unshown,
            function,
            (producer, consumer),
            object,
            &decoder,
        ));
    }
    Ok(lost)
}

fn finding(
    one: &Raced,
    unshown: Unshown,
    function: &Function,
    (producer, consumer): (Place, Place),
    object: &CodeObject<'_>,
    decoder: &Decoder,
) -> Finding {
    let insts = (function.inst_at(one.before), function.inst_at(one.pc));
    let listing = match insts {
        (Some(before), Some(inst)) => {
            listing(function, decoder, (before, &one.was), (inst, &one.is))
        }
        (None, Some(inst)) => around(function, decoder, inst, &one.is),
        _ => Vec::new(),
    };
    Finding {
        fingerprint: unshown.fingerprint,
        kind: Kind::LdsRace,
        grade: one.grade,
        message: message(one),
        remedy: "put a barrier between the two accesses".to_owned(),
        object: unshown.object,
        target: object.target().to_string(),
        symbol: function.name.clone(),
        function: unshown.function,
        register: None,
        producer: Some(producer),
        consumer,
        access: Some(Access {
            write: one.is != READ,
            address: one.address,
            workgroup: one.workgroup,
            wave: one.wave,
            lane: Some(one.lane),
            allocation: None,
        }),
        meeting: None,
        free: None,
        read: None,
        leak: None,
        further: 0,
        path: Vec::new(),
        listing,
    }
}

/// The device's word for an access that changes nothing.
const READ: &str = "read";

fn message(one: &Raced) -> String {
    let what = |access: &str| match access {
        READ => "reads",
        "write" => "writes",
        _ => "changes by an atomic",
    };
    format!(
        "nothing puts two accesses to LDS in order: wave {} {} what wave {} {}",
        one.wave_before,
        what(&one.was),
        one.wave,
        what(&one.is)
    )
}

fn unshown(one: &Raced, code: &Code<'_>, function: &str, place: &str) -> Unshown {
    let target = code.module.target.name;
    let mut both = [code.stable(one.before), code.stable(one.pc)];
    // Either wave may come first.
    both.sort();
    let mut sources = code.source(one.pc);
    sources.extend(code.source(one.before));
    Unshown {
        fingerprint: fingerprint::of(&[
            Kind::LdsRace.checker().name(),
            Kind::LdsRace.name(),
            target,
            fingerprint::stable(function),
            &both[0],
            &both[1],
        ]),
        kind: Kind::LdsRace,
        grade: one.grade,
        function: function.to_owned(),
        target: target.to_owned(),
        sources,
        object: place.to_owned(),
        times: one.times,
    }
}
