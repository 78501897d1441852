//! Accesses of waves and copies of a program that ran to the same bytes of global memory, in no order.

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

/// The remedy for copies.
pub(crate) const PUT_COPIES_IN_ORDER: &str = "use one stream, let the later stream wait for an event of the earlier one, or let the host wait in between";

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

/// The launch of the earlier access, if it is not that of the later one, or a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherLaunch {
    Kernel {
        name: String,
        /// The instruction is in the same code object.
        is_here: bool,
    },
    /// A copy by an engine of the device, which may have come last nevertheless.
    Copy { what: String, is_later: bool },
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
    /// The lane of the later access, if that is not a copy.
    pub lane: Option<u32>,
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
    /// The fields of a line: how often, grade, what is missing, both sides, the later lane or `-`, the address, and the other launch. A
    /// side has its instruction, its access, three numbers of the workgroup, and its wave. The other launch has the place of its kernel's
    /// code and the kernel's name, or which one comes last and what is copied.
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
                "kernel" | "elsewhere" => Some(OtherLaunch::Kernel {
                    name: (*kernel).to_owned(),
                    is_here: *place == "kernel",
                }),
                "copy" | "copy-later" => Some(OtherLaunch::Copy {
                    what: (*kernel).to_owned(),
                    is_later: *place == "copy-later",
                }),
                _ => return None,
            },
            before: Side::parse(before)?,
            after: Side::parse(after)?,
            lane: match *lane {
                "-" => None,
                lane => Some(lane.parse().ok()?),
            },
            address: hexadecimal(address)?,
            allocation: None,
            times: times.parse().ok()?,
        })
    }
}

impl GlobalRace {
    fn is_with_copy(&self) -> bool {
        matches!(self.other, Some(OtherLaunch::Copy { .. }))
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
        let is_here = match &self.other {
            None => true,
            Some(OtherLaunch::Kernel { is_here, .. }) => *is_here,
            Some(OtherLaunch::Copy { .. }) => false,
        };
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
            (None, Some(OtherLaunch::Kernel { name, .. })) => {
                [code.stable(self.after.pc), name.clone()]
            }
            (None, Some(OtherLaunch::Copy { .. })) => [
                code.stable(self.after.pc),
                verb(&self.before.access).to_owned(),
            ],
            _ => either_first(code, [self.before.pc, self.after.pc]),
        }
    }

    fn message(&self) -> String {
        let (before, after) = (&self.before, &self.after);
        let (first, then) = (before.name(), after.name());
        let (was, is) = (verb(&before.access), verb(&after.access));
        match (self.missing, &self.other) {
            (Missing::Order, Some(OtherLaunch::Kernel { name, .. })) => {
                let kernel = demangle::readable(name);
                return format!(
                    "nothing puts two launches in order: {first} of a launch of {kernel} {was} what {then} {is}"
                );
            }
            (Missing::Order, Some(OtherLaunch::Copy { what, is_later })) => {
                let copy = format!("a {what} {was}");
                let wave = format!("{then} {is}");
                let (first, then) = if *is_later {
                    (wave, copy)
                } else {
                    (copy, wave)
                };
                return format!("nothing puts a launch and a copy in order: {first} what {then}");
            }
            _ => {}
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
            Missing::Order if self.is_with_copy() => PUT_COPIES_IN_ORDER,
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
            lane: self.lane,
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
    // An instruction that races with copies is another bug than one that races with itself.
    let (with_copies, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(GlobalRace::is_with_copy);
    let (read, written): (Vec<_>, Vec<_>) = with_copies
        .into_iter()
        .partition(|one| one.before.access == READ);
    let alike = [others, read, written].map(|found| pairs::merged(found, |one| &mut one.times));
    let found = alike.into_iter().flatten().collect();
    pairs::tell(object, place, found, options, sink, |_, _, _| {})
}
