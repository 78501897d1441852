//! NaN and infinity that kernels of a program made of numbers.

use std::collections::BTreeMap;

use crate::code::Code;
use crate::memory::hexadecimal;
use crate::pairs::{self, Pair};
use crate::{Access, Allocation, Grade, Kind, Options, Sink};
use codeobj::CodeObject;
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
                ("made", "saturated") => Kind::Saturated,
                ("made", "denormal") => Kind::Denormal,
                ("made", "underflow") => Kind::Underflow,
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

    /// One instruction alone is the finding.
    fn is_at_limit(&self) -> bool {
        matches!(
            self.kind,
            Kind::Saturated | Kind::Denormal | Kind::Underflow
        )
    }

    fn value(&self) -> &'static str {
        match self.kind {
            Kind::InfinityStored => "infinity",
            Kind::Saturated => "the limit of a format",
            Kind::Denormal => "a denormal",
            Kind::Underflow => "zero",
            _ => "NaN",
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

impl Pair for Made {
    fn kind(&self) -> Kind {
        self.kind
    }

    /// To be stored is certain to matter; a comparison may be made to sort such values out.
    fn grade(&self) -> Grade {
        match self.kind {
            Kind::NanCompared => Grade::Possible,
            _ => Grade::Certain,
        }
    }

    fn first(&self) -> Option<u64> {
        (!self.is_at_limit()).then_some(self.made)
    }

    // A function that was called may have made it.
    fn is_shown_alone(&self) -> bool {
        self.is_at_limit()
    }

    fn then(&self) -> u64 {
        self.pc
    }

    fn times(&self) -> u64 {
        self.times
    }

    fn identity(&self, code: &Code<'_>) -> [String; 2] {
        [self.made, self.pc].map(|pc| code.stable(pc))
    }

    fn message(&self) -> String {
        let (value, [x, y, z]) = (self.value(), self.workgroup);
        let what = match (self.kind, self.address) {
            (Kind::Saturated, _) => {
                "an instruction converts a number that is out of range to the limit of a format"
                    .into()
            }
            (Kind::Denormal, _) => {
                "an instruction makes a denormal of numbers that are none".into()
            }
            (Kind::Underflow, _) => {
                "an instruction makes zero of numbers whose result is too small".into()
            }
            (_, Some(_)) => {
                return format!("the kernel stores {value} that an instruction made of numbers");
            }
            (_, None) => format!(
                "{value} that an instruction made of numbers is {}",
                self.verb()
            ),
        };
        let (wave, lane) = (self.wave, self.lane);
        format!("{what}, first in workgroup ({x}, {y}, {z}), wave {wave}, lane {lane}")
    }

    fn remedy(&self) -> &'static str {
        "keep the operands in the range of the operation, or choose another value before it is used"
    }

    fn notes(&self) -> [&str; 2] {
        match self.kind {
            _ if self.is_at_limit() => ["", self.value()],
            Kind::InfinityStored => [self.value(), self.verb()],
            // A NaN may come of an infinity that an instruction has made.
            _ => ["NaN or infinity", self.verb()],
        }
    }

    fn access(self) -> Option<Access> {
        Some(Access {
            write: true,
            address: Some(self.address?),
            workgroup: self.workgroup,
            wave: self.wave,
            lane: Some(self.lane),
            allocation: self.allocation,
        })
    }
}

/// Tells of values. Returns those whose instructions are not in the object.
pub fn made(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Made>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
    makers: &mut Makers,
) -> Result<Vec<Made>, lift::Error> {
    let count = |one: &Made, code: &Code<'_>, function: &str| {
        let maker = Maker {
            place: maker(code, one.made, function),
            kind: one.kind,
        };
        *makers.entry(maker).or_default() += one.times;
    };
    pairs::tell(object, place, found, options, sink, count)
}

fn maker(code: &Code<'_>, pc: u64, function: &str) -> String {
    match &*code.source(pc) {
        [] => format!("{function} {}", code.stable(pc)),
        lines => lines.join(", inlined at "),
    }
}
