//! Uses of values in a program that ran which nothing has set.

use crate::code::Code;
use crate::listing::listing;
use crate::memory::{around, hexadecimal};
use crate::{Access, Allocation, Finding, Grade, Kind, Options, Place, Sink, Unshown, fingerprint};
use codeobj::CodeObject;
use isa::Decoder;
use lift::{Function, Module};

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

    fn kind(&self) -> Kind {
        match self.is_address {
            true => Kind::UndefinedAddress,
            false => Kind::UndefinedCondition,
        }
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

/// Tells of uses. Returns those whose instructions are not in the object.
pub fn used(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<Used>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Used>, lift::Error> {
    let module = Module::lift(object)?;
    let code = Code::new(object, &module);
    let mut lost = Vec::new();
    for one in found {
        let (Some((function, _)), Some(consumer)) = (code.find(one.pc), code.place(one.pc)) else {
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
        let producer = one.brought.and_then(|pc| code.place(pc));
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
    one: Used,
    unshown: Unshown,
    function: &Function,
    (producer, consumer): (Option<Place>, Place),
    object: &CodeObject<'_>,
    decoder: &Decoder,
) -> Finding {
    let note = if one.is_address {
        "address"
    } else {
        "condition"
    };
    let brought = one.brought.and_then(|pc| function.inst_at(pc));
    let listing = match (brought, function.inst_at(one.pc)) {
        (Some(before), Some(inst)) => {
            listing(function, decoder, (before, "undefined"), (inst, note))
        }
        (None, Some(inst)) => around(function, decoder, inst, note),
        _ => Vec::new(),
    };
    let what = match one.is_address {
        true => "an address comes from",
        false => "a branch depends on",
    };
    Finding {
        fingerprint: unshown.fingerprint,
        kind: one.kind(),
        grade: Grade::Certain,
        message: format!("{what} {}", one.origin()),
        remedy: "set the value before it is used".to_owned(),
        object: unshown.object,
        target: object.target().to_string(),
        symbol: function.name.clone(),
        function: unshown.function,
        register: None,
        producer,
        consumer,
        access: Some(Access {
            write: false,
            address: one.address,
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
    }
}

fn unshown(one: &Used, code: &Code<'_>, function: &str, place: &str) -> Unshown {
    let target = code.module.target.name;
    let kind = one.kind();
    let mut sources = code.source(one.pc);
    sources.extend(one.brought.into_iter().flat_map(|pc| code.source(pc)));
    let brought = one
        .brought
        .map_or_else(|| one.from.clone(), |pc| code.stable(pc));
    Unshown {
        fingerprint: fingerprint::of(&[
            kind.checker().name(),
            kind.name(),
            target,
            fingerprint::stable(function),
            &code.stable(one.pc),
            &brought,
        ]),
        kind,
        grade: Grade::Certain,
        function: function.to_owned(),
        target: target.to_owned(),
        sources,
        object: place.to_owned(),
        times: one.times,
    }
}
