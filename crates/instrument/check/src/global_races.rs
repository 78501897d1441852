//! Accesses of waves of a program that ran to the same bytes of global memory, in no order.

use crate::code::Code;
use crate::memory::hexadecimal;
use crate::pairs::{self, Pair};
use crate::races::{self, READ, either_first, verb};
use crate::{Access, Allocation, Grade, Kind, Options, Sink};
use codeobj::CodeObject;

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

/// The launch of the earlier access, if it is not that of the later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherLaunch {
    pub kernel: String,
    /// The instruction is in the same code object.
    pub is_here: bool,
}

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalRace {
    pub grade: Grade,
    pub missing: Missing,
    /// The earlier access is one of another launch.
    pub other: Option<OtherLaunch>,
    pub before: Side,
    pub after: Side,
    /// The lane of the later access.
    pub lane: u32,
    pub address: u64,
    pub allocation: Option<Allocation>,
    /// How often lanes met so; 0: this was no race.
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
}

impl GlobalRace {
    /// The fields of a line: how often, then grade, what is missing, both sides with instruction, access, three numbers of the
    /// workgroup and wave, then the later lane and the address, and the earlier launch: the place of its kernel's code and
    /// the kernel's name.
    pub fn parse(times: &str, fields: &[&str]) -> Option<GlobalRace> {
        let [grade, missing, sides @ .., lane, address, place, kernel] = fields else {
            return None;
        };
        let (before, after) = sides.split_at_checked(6)?;
        Some(GlobalRace {
            grade: races::grade(grade)?,
            missing: match *missing {
                "order" => Missing::Order,
                "performed" => Missing::Performed,
                "fresh" => Missing::Fresh,
                _ => return None,
            },
            other: match *place {
                "-" => None,
                place => Some(OtherLaunch {
                    kernel: (*kernel).to_owned(),
                    is_here: place == "kernel",
                }),
            },
            before: Side::parse(before)?,
            after: Side::parse(after)?,
            lane: lane.parse().ok()?,
            address: hexadecimal(address)?,
            allocation: None,
            times: times.parse().ok()?,
        })
    }
}

impl Pair for GlobalRace {
    fn kind(&self) -> Kind {
        Kind::GlobalRace
    }

    fn grade(&self) -> Grade {
        self.grade
    }

    fn first(&self) -> Option<u64> {
        let is_here = self.other.as_ref().is_none_or(|other| other.is_here);
        is_here.then_some(self.before.pc)
    }

    fn then(&self) -> u64 {
        self.after.pc
    }

    fn times(&self) -> u64 {
        self.times
    }

    fn identity(&self, code: &Code<'_>) -> [String; 2] {
        match (self.first(), &self.other) {
            (None, Some(other)) => {
                let [after, _] = either_first(code, [self.after.pc; 2]);
                [after, other.kernel.clone()]
            }
            _ => either_first(code, [self.before.pc, self.after.pc]),
        }
    }

    fn message(&self) -> String {
        let (before, after) = (&self.before, &self.after);
        let (first, then) = (before.name(), after.name());
        let (was, is) = (verb(&before.access), verb(&after.access));
        if let (Missing::Order, Some(other)) = (self.missing, &self.other) {
            let kernel = demangle::readable(&other.kernel);
            return format!(
                "nothing puts two launches in order: {first} of a launch of {kernel} {was} what {then} {is}"
            );
        }
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
            Missing::Order if self.other.is_some() => {
                "launch both in one stream, or let the later stream wait for an event of the earlier one"
            }
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

    fn notes(&self) -> [&str; 2] {
        [&self.before.access, &self.after.access]
    }

    fn access(self) -> Option<Access> {
        Some(Access {
            write: self.after.access != READ,
            address: Some(self.address),
            workgroup: self.after.workgroup,
            wave: self.after.wave,
            lane: Some(self.lane),
            allocation: self.allocation,
        })
    }
}

/// Tells of races. Returns those whose instructions are not in the object.
pub fn raced(
    object: &CodeObject<'_>,
    place: &str,
    mut found: Vec<GlobalRace>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<GlobalRace>, lift::Error> {
    // The device has taken these back.
    found.retain(|one| one.times != 0);
    let found = pairs::merged(found, |one| &mut one.times);
    pairs::tell(object, place, found, options, sink, |_, _, _| {})
}
