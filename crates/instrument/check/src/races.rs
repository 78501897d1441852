//! Accesses of waves of a program that ran to the same bytes of LDS, in no order.

use crate::code::Code;
use crate::memory::hexadecimal;
use crate::pairs::{self, Pair};
use crate::{Access, Grade, Kind, Options, Sink};
use codeobj::CodeObject;

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
            grade: self::grade(grade)?,
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
}

/// The device's word for an access that changes nothing.
pub(crate) const READ: &str = "read";

/// The device's word for an access as a verb.
pub(crate) fn verb(access: &str) -> &'static str {
    match access {
        READ => "reads",
        "write" => "writes",
        _ => "changes by an atomic",
    }
}

/// The device's word for a grade.
pub(crate) fn grade(word: &str) -> Option<Grade> {
    match word {
        "certain" => Some(Grade::Certain),
        "possible" => Some(Grade::Possible),
        _ => None,
    }
}

/// Two instructions as fingerprints have them, either of which may come first.
pub(crate) fn either_first(code: &Code<'_>, both: [u64; 2]) -> [String; 2] {
    let mut both = both.map(|pc| code.stable(pc));
    both.sort();
    both
}

impl Pair for Raced {
    fn kind(&self) -> Kind {
        Kind::LdsRace
    }

    fn grade(&self) -> Grade {
        self.grade
    }

    fn first(&self) -> Option<u64> {
        Some(self.before)
    }

    fn then(&self) -> u64 {
        self.pc
    }

    fn times(&self) -> u64 {
        self.times
    }

    fn identity(&self, code: &Code<'_>) -> [String; 2] {
        either_first(code, [self.before, self.pc])
    }

    fn message(&self) -> String {
        format!(
            "nothing puts two accesses to LDS in order: wave {} {} what wave {} {}",
            self.wave_before,
            verb(&self.was),
            self.wave,
            verb(&self.is)
        )
    }

    fn remedy(&self) -> &'static str {
        "put a barrier between the two accesses"
    }

    fn notes(&self) -> [&str; 2] {
        [&self.was, &self.is]
    }

    fn access(self) -> Option<Access> {
        Some(Access {
            write: self.is != READ,
            address: Some(self.address),
            workgroup: self.workgroup,
            wave: self.wave,
            lane: Some(self.lane),
            allocation: None,
        })
    }
}

/// Tells of races. Returns those whose instructions are not in the object.
pub fn raced(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Raced>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Raced>, lift::Error> {
    let found = pairs::merged(found, |one| &mut one.times);
    pairs::tell(object, place, found, options, sink, |_, _, _| {})
}
