//! Waves and lanes of a program that ran, and that did not meet at barriers.

use crate::code::Code;
use crate::memory::{around, hexadecimal};
use crate::{Finding, Grade, Kind, Meeting, Options, Place, Sink, Unshown, WaveThere, fingerprint};
use codeobj::CodeObject;
use isa::Decoder;
use lift::Module;
use std::collections::BTreeSet;

/// A meeting of waves at a barrier, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    pub kind: Kind,
    pub grade: Grade,
    /// Address of the barrier's instruction in the code object.
    pub pc: u64,
    /// Address of the other instruction that it has to do with.
    pub other: Option<u64>,
    pub workgroup: [u32; 3],
    pub waves: Vec<Wave>,
    /// How often workgroups came there.
    pub times: u64,
}

/// One wave, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    pub wave: u32,
    /// In the words of the device.
    pub state: String,
    /// Address in the code object.
    pub pc: Option<u64>,
    pub exec: u64,
    pub absent: u64,
    /// Lanes that are on and were off at the barrier before.
    pub returned: u64,
}

impl Met {
    /// The fields of a line: how often, then kind, grade, addresses of the barrier and of the other instruction or `-`, and three
    /// numbers of the workgroup. Its waves come behind it.
    pub fn parse(times: &str, fields: &[&str]) -> Option<Met> {
        let [kind, grade, pc, other, x, y, z] = fields else {
            return None;
        };
        Some(Met {
            kind: Kind::ALL.into_iter().find(|one| one.name() == *kind)?,
            grade: match *grade {
                "certain" => Grade::Certain,
                "possible" => Grade::Possible,
                _ => return None,
            },
            pc: hexadecimal(pc)?,
            other: optional(other)?,
            workgroup: [x.parse().ok()?, y.parse().ok()?, z.parse().ok()?],
            waves: Vec::new(),
            times: times.parse().ok()?,
        })
    }
}

impl Wave {
    /// The fields of a line: number, state, address or `-`, and three masks of lanes.
    pub fn parse(fields: &[&str]) -> Option<Wave> {
        let [wave, state, pc, exec, absent, returned] = fields else {
            return None;
        };
        Some(Wave {
            wave: wave.parse().ok()?,
            state: (*state).to_owned(),
            pc: optional(pc)?,
            exec: hexadecimal(exec)?,
            absent: hexadecimal(absent)?,
            returned: hexadecimal(returned)?,
        })
    }

    fn says(&self) -> String {
        let lanes = |mask: u64| match mask.count_ones() {
            1 => format!("lane {}", mask.trailing_zeros()),
            count => format!("{count} lanes"),
        };
        let mut said = match self.state.as_str() {
            "at-barrier" => "at the barrier",
            "arrived-again" => "arrives again",
            "waits-only" => "waits without having arrived",
            "polls" => "reads LDS until that changes",
            "polls-memory" => "reads memory until that changes",
            "ended" => "has ended",
            _ => "has not come to it",
        }
        .to_owned();
        if self.absent != 0 && matches!(self.state.as_str(), "at-barrier" | "arrived-again") {
            said += &format!(", without {}", lanes(self.absent));
        }
        if self.returned != 0 {
            said += &format!(", with {} that missed the one before", lanes(self.returned));
        }
        said
    }
}

fn optional(text: &str) -> Option<Option<u64>> {
    match text {
        "-" => Some(None),
        text => Some(Some(hexadecimal(text)?)),
    }
}

/// All addresses that these name.
fn addresses(found: &[Met]) -> BTreeSet<u64> {
    let all = found.iter().flat_map(|one| {
        let waves = one.waves.iter().map(|wave| wave.pc);
        [Some(one.pc), one.other].into_iter().chain(waves)
    });
    all.flatten().collect()
}

/// Tells of barriers that waves met. Returns the ones whose instructions the object does not have.
pub fn met(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Met>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Met>, lift::Error> {
    if found.is_empty() {
        return Ok(found);
    }
    let module = Module::lift_around(object, &addresses(&found))?;
    let code = Code::new(object, &module);
    let mut lost = Vec::new();
    for one in found {
        let Some((function, inst)) = code.find(one.pc) else {
            lost.push(one);
            continue;
        };
        let readable = demangle::readable(&function.name);
        if !(options.selects)(&function.name) && !(options.selects)(&readable) {
            continue;
        }
        let other = one.other.and_then(|pc| code.place(pc));
        // A compiler may make two instructions of one barrier in the source; its author wrote no second one.
        let doubled = one.other.is_some_and(|pc| code.is_one_place(one.pc, pc));
        if one.kind == Kind::DifferentBarriers && doubled {
            continue;
        }
        let unshown = unshown(&one, &code, &readable, place);
        if !sink.count(&unshown) {
            continue;
        }
        let decoder = Decoder::with_features(module.target, function.wave_size, "")?;
        let Some(consumer) = code.place(one.pc) else {
            lost.push(one);
            continue;
        };
        let waves = one.waves.iter().map(|wave| WaveThere {
            wave: wave.wave,
            state: wave.says(),
            place: wave.pc.and_then(|pc| code.place(pc)),
            exec: wave.exec,
            absent: wave.absent,
        });
        sink.show(Finding {
            fingerprint: unshown.fingerprint,
            kind: one.kind,
            grade: one.grade,
            message: message(&one, &other),
            remedy: remedy(one.kind).to_owned(),
            object: place.to_owned(),
            target: object.target().to_string(),
            symbol: function.name.clone(),
            function: readable,
            register: None,
            producer: None,
            consumer,
            access: None,
            meeting: Some(Meeting {
                workgroup: one.workgroup,
                waves: waves.collect(),
            }),
            free: None,
            read: None,
            leak: None,
            copies: None,
            further: 0,
            path: Vec::new(),
            listing: around(function, &decoder, inst, "the barrier"),
        });
    }
    Ok(lost)
}

fn unshown(one: &Met, code: &Code<'_>, function: &str, place: &str) -> Unshown {
    let target = code.module.target.name;
    let other = one.other.map_or_else(String::new, |pc| code.stable(pc));
    Unshown {
        fingerprint: fingerprint::of(&[
            one.kind.checker().name(),
            one.kind.name(),
            target,
            fingerprint::stable(function),
            &code.stable(one.pc),
            &other,
        ]),
        kind: one.kind,
        grade: one.grade,
        function: function.to_owned(),
        target: target.to_owned(),
        sources: code.source(one.pc),
        object: place.to_owned(),
        times: one.times,
    }
}

fn message(one: &Met, other: &Option<Place>) -> String {
    let other = other.as_ref().map(|other| match other.source.first() {
        Some(source) => format!(" ({source})"),
        None => format!(" (+{:#x})", other.offset),
    });
    let other = other.unwrap_or_default();
    match (one.kind, one.grade) {
        (Kind::Deadlock, Grade::Certain) => {
            "waves wait for each other, and no wave of the workgroup can go on".to_owned()
        }
        (Kind::Deadlock, Grade::Possible) => format!(
            "waves wait at this barrier, and the others{other} have long waited, in a loop, for a change of memory"
        ),
        (Kind::DifferentBarriers, _) => format!(
            "waves of one workgroup meet here and at another barrier{other}: the hardware lets both pass"
        ),
        (Kind::MissedByLanes, Grade::Certain) => {
            format!("lanes of a wave miss this barrier and take part in the next one{other}")
        }
        (Kind::MissedByLanes, Grade::Possible) => {
            "lanes are off at this barrier; they may have ended before".to_owned()
        }
        (Kind::MissedByEnded, _) => {
            format!("waves have ended{other} before this barrier, which does not wait for them")
        }
        _ => "a wave arrives twice before the barrier opens, so that it opens too early".to_owned(),
    }
}

fn remedy(kind: Kind) -> &'static str {
    match kind {
        Kind::Deadlock => "each wave has to arrive at a barrier before any wave waits there",
        Kind::ArrivedTwice => "wait at the barrier between two arrivals",
        _ => {
            "take the barrier out of the branch, so that all work-items of the workgroup come to it"
        }
    }
}
