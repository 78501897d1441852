//! Accesses of waves of a program that ran to the same bytes of global memory, in no order.

use crate::code::Code;
use crate::listing::listing;
use crate::memory::{around, hexadecimal};
use crate::{Access, Allocation, Finding, Grade, Kind, Options, Place, Sink, Unshown, fingerprint};
use codeobj::CodeObject;
use isa::Decoder;
use lift::{Function, Module};

/// The thing that two accesses lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing puts them in order.
    Order,
    /// The write was not finished before the word that tells of it.
    Performed,
    /// The read may find an older value in a cache.
    Fresh,
}

/// One of two accesses, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The address of the instruction in the code object.
    pub pc: u64,
    /// The access, in the words of the device.
    pub access: String,
    pub workgroup: [u32; 3],
    pub wave: u32,
}

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalRace {
    pub grade: Grade,
    pub missing: Missing,
    pub before: Side,
    pub after: Side,
    /// The lane of the later access.
    pub lane: u32,
    pub address: u64,
    pub allocation: Option<Allocation>,
    /// How often lanes met so.
    pub times: u64,
}

impl Side {
    fn parse(fields: &[&str]) -> Option<Side> {
        let [pc, access, x, y, z, wave] = fields else {
            return None;
        };
        Some(Side {
            pc: hexadecimal(pc)?,
            access: (*access).to_owned(),
            workgroup: [x.parse().ok()?, y.parse().ok()?, z.parse().ok()?],
            wave: wave.parse().ok()?,
        })
    }

    fn name(&self) -> String {
        let [x, y, z] = self.workgroup;
        format!("wave {} of workgroup ({x}, {y}, {z})", self.wave)
    }

    fn verb(&self) -> &'static str {
        match &*self.access {
            READ => "reads",
            "write" => "writes",
            _ => "changes by an atomic",
        }
    }
}

/// The device's word for an access that changes nothing.
const READ: &str = "read";

impl GlobalRace {
    /// The fields of a line: how often, then grade, what is missing, both sides with instruction, access, three numbers of the
    /// workgroup and wave, then the later lane and the address.
    pub fn parse(times: &str, fields: &[&str]) -> Option<GlobalRace> {
        let [grade, missing, sides @ .., lane, address] = fields else {
            return None;
        };
        let (before, after) = sides.split_at_checked(6)?;
        Some(GlobalRace {
            grade: match *grade {
                "certain" => Grade::Certain,
                "possible" => Grade::Possible,
                _ => return None,
            },
            missing: match *missing {
                "order" => Missing::Order,
                "performed" => Missing::Performed,
                "fresh" => Missing::Fresh,
                _ => return None,
            },
            before: Side::parse(before)?,
            after: Side::parse(after)?,
            lane: lane.parse().ok()?,
            address: hexadecimal(address)?,
            allocation: None,
            times: times.parse().ok()?,
        })
    }

    /// The two instructions; either one may come first.
    fn both(&self) -> (u64, u64) {
        let (before, after) = (self.before.pc, self.after.pc);
        (before.min(after), before.max(after))
    }

    fn message(&self) -> String {
        let (before, after) = (&self.before, &self.after);
        let (first, then) = (before.name(), after.name());
        let (was, is) = (before.verb(), after.verb());
        match self.missing {
            Missing::Order => format!(
                "nothing puts two accesses to global memory in order: {first} {was} what {then} {is}"
            ),
            Missing::Performed => format!(
                "a write to global memory is not finished when another wave is told of it: {first} {was} what {then} {is}"
            ),
            Missing::Fresh => format!(
                "a read of global memory may find an older value in a cache: {first} {was} what {then} {is}"
            ),
        }
    }

    fn remedy(&self) -> &'static str {
        match self.missing {
            Missing::Order if self.before.workgroup == self.after.workgroup => {
                "put a barrier between the two accesses"
            }
            Missing::Order => {
                "use atomics for both accesses, or a flag that is written with release and read with acquire"
            }
            Missing::Performed => {
                "write the flag with release, or put a __threadfence() in front of it"
            }
            Missing::Fresh => {
                "read the flag with acquire, or put a __threadfence() behind that read"
            }
        }
    }
}

/// One finding for each two instructions, which is certain if it is for any two waves.
fn merged(found: Vec<GlobalRace>) -> Vec<GlobalRace> {
    let mut all: Vec<GlobalRace> = Vec::new();
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
    found: Vec<GlobalRace>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<GlobalRace>, lift::Error> {
    let module = Module::lift(object)?;
    let code = Code::new(object, &module);
    let mut lost = Vec::new();
    for one in merged(found) {
        let both = (
            code.find(one.after.pc),
            code.place(one.after.pc),
            code.place(one.before.pc),
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
            one,
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
    one: GlobalRace,
    unshown: Unshown,
    function: &Function,
    (producer, consumer): (Place, Place),
    object: &CodeObject<'_>,
    decoder: &Decoder,
) -> Finding {
    let (was, is) = (&*one.before.access, &*one.after.access);
    let insts = (
        function.inst_at(one.before.pc),
        function.inst_at(one.after.pc),
    );
    let listing = match insts {
        (Some(before), Some(inst)) => listing(function, decoder, (before, was), (inst, is)),
        (None, Some(inst)) => around(function, decoder, inst, is),
        _ => Vec::new(),
    };
    Finding {
        fingerprint: unshown.fingerprint,
        kind: Kind::GlobalRace,
        grade: one.grade,
        message: one.message(),
        remedy: one.remedy().to_owned(),
        object: unshown.object,
        target: object.target().to_string(),
        symbol: function.name.clone(),
        function: unshown.function,
        register: None,
        producer: Some(producer),
        consumer,
        access: Some(Access {
            write: is != READ,
            address: one.address,
            workgroup: one.after.workgroup,
            wave: one.after.wave,
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
    }
}

fn unshown(one: &GlobalRace, code: &Code<'_>, function: &str, place: &str) -> Unshown {
    let target = code.module.target.name;
    let mut both = [code.stable(one.before.pc), code.stable(one.after.pc)];
    // Either wave may come first.
    both.sort();
    let mut sources = code.source(one.after.pc);
    sources.extend(code.source(one.before.pc));
    Unshown {
        fingerprint: fingerprint::of(&[
            Kind::GlobalRace.checker().name(),
            Kind::GlobalRace.name(),
            target,
            fingerprint::stable(function),
            &both[0],
            &both[1],
        ]),
        kind: Kind::GlobalRace,
        grade: one.grade,
        function: function.to_owned(),
        target: target.to_owned(),
        sources,
        object: place.to_owned(),
        times: one.times,
    }
}
