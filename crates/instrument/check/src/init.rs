//! Uses of values in a program that ran which nothing has set.

use crate::code::Code;
use crate::memory::hexadecimal;
use crate::pairs::{self, Pair};
use crate::{Access, Allocation, Grade, Kind, Options, Sink};
use codeobj::CodeObject;

/// A use, as the emulated device tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// The value is an address; else it is a condition.
    pub is_address: bool,
    /// The address of the instruction in the code object.
    pub pc: u64,
    /// Where the value comes from, in the words of the device, and the address there or the number of the register.
    pub from: String,
    pub address: u64,
    /// The address of the instruction that brought it into a register.
    pub brought: Option<u64>,
    pub workgroup: [u32; 3],
    pub wave: u32,
    pub lane: u32,
    /// The allocation that was not written.
    pub allocation: Option<Allocation>,
    pub times: u64,
}

impl Used {
    /// The fields of a line: how often, then use, instruction, origin, address there, the instruction that brought it, three numbers of the
    /// workgroup, wave and lane.
    pub fn parse(times: &str, fields: &[&str]) -> Option<Used> {
        let [used, pc, from, address, brought, x, y, z, wave, lane] = fields else {
            return None;
        };
        Some(Used {
            is_address: match *used {
                "address" => true,
                "condition" => false,
                _ => return None,
            },
            pc: hexadecimal(pc)?,
            from: (*from).to_owned(),
            address: hexadecimal(address)?,
            brought: match *brought {
                "-" => None,
                pc => Some(hexadecimal(pc)?),
            },
            workgroup: [x.parse().ok()?, y.parse().ok()?, z.parse().ok()?],
            wave: wave.parse().ok()?,
            lane: lane.parse().ok()?,
            allocation: None,
            times: times.parse().ok()?,
        })
    }

    /// Nothing has brought the value there, so it has no address.
    fn is_in_register(&self) -> bool {
        matches!(&*self.from, "vector" | "scalar")
    }

    fn origin(&self) -> String {
        match &*self.from {
            "memory" => "memory that nothing has written".to_owned(),
            "lds" => "LDS that nothing has written".to_owned(),
            "private" => "a local variable that nothing has set".to_owned(),
            "vector" => format!("v{}, which nothing has set", self.address),
            _ => format!("s{}, which nothing has set", self.address),
        }
    }
}

impl Pair for Used {
    fn kind(&self) -> Kind {
        match self.is_address {
            true => Kind::UndefinedAddress,
            false => Kind::UndefinedCondition,
        }
    }

    fn grade(&self) -> Grade {
        Grade::Certain
    }

    fn first(&self) -> Option<u64> {
        self.brought
    }

    fn then(&self) -> u64 {
        self.pc
    }

    fn times(&self) -> u64 {
        self.times
    }

    fn identity(&self, code: &Code<'_>) -> [String; 2] {
        let brought = self.brought.map(|pc| code.stable(pc));
        [
            code.stable(self.pc),
            brought.unwrap_or_else(|| self.from.clone()),
        ]
    }

    fn message(&self) -> String {
        let what = match self.is_address {
            true => "an address comes from",
            false => "a branch depends on",
        };
        format!("{what} {}", self.origin())
    }

    fn remedy(&self) -> &'static str {
        "set the value before it is used"
    }

    fn notes(&self) -> [&str; 2] {
        let note = match self.is_address {
            true => "address",
            false => "condition",
        };
        ["undefined", note]
    }

    fn access(self) -> Option<Access> {
        Some(Access {
            write: false,
            address: (!self.is_in_register()).then_some(self.address),
            workgroup: self.workgroup,
            wave: self.wave,
            lane: Some(self.lane),
            allocation: self.allocation,
        })
    }

    /// The use is enough: code of another object may have brought the value.
    fn is_in(&self, _: &Code<'_>) -> bool {
        true
    }
}

/// Tells of uses. Returns those whose instructions are not in the object.
pub fn used(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Used>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Used>, lift::Error> {
    pairs::tell(object, place, found, options, sink, |_, _, _| {})
}
