//! The first step for a hook: where each dword of its ports comes from or goes to.

use crate::instruction::{EXEC, SourceOperand, VCC};
use crate::ir::Literal;
use crate::lower::{Call, HookSite, Lowering};
use crate::memory::Address;
use crate::registers::Home;
use crate::values::supplied;
use crate::{AddressHalf, HookVariants, Refusal, Value};
use isa::{Reg, RegKind};
use lift::registers::{AGPR_BASE, RegisterSet, Span};
use template::{Port, RegisterFile, Relocation, Template};
use tool_abi::HookValue;

/// The source of one dword of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dword {
    Constant(u32),
    /// Half of the address of a tool's variable, by its number in the plan, plus so many bytes.
    Address(usize, AddressHalf, u32),
    /// A register of the application.
    Application(RegisterFile, u16),
    /// The home of a value from the kernel's entry.
    Kept(Home),
    /// SGPR-like by encoding: EXEC, VCC, M0.
    Special(u16),
    Scc,
    Mode,
    /// Half of the address that each lane accesses.
    Accessed(AddressHalf),
}

impl Dword {
    /// As an operand; those that instructions of their own fetch are none.
    pub fn operand(self) -> SourceOperand {
        match self {
            // These are written by instructions of their own.
            Dword::Address(..)
            | Dword::Accessed(_)
            | Dword::Mode
            | Dword::Kept(Home::Lane(..) | Home::Stored(_)) => SourceOperand::Constant(0),
            Dword::Constant(value) => SourceOperand::Constant(value),
            Dword::Application(RegisterFile::Vgpr | RegisterFile::Agpr, number) => {
                SourceOperand::Vector(number)
            }
            Dword::Application(RegisterFile::Sgpr, number)
            | Dword::Kept(Home::Scalar(number))
            | Dword::Special(number) => SourceOperand::Scalar(number),
            Dword::Scc => SourceOperand::Scc,
        }
    }

    /// The registers that hold it, as far as the application knows of them.
    pub fn add_to(self, set: &mut RegisterSet) {
        match self {
            Dword::Application(RegisterFile::Sgpr, number) | Dword::Special(number) => {
                set.insert(Span::Scalar(number, 1));
            }
            Dword::Application(RegisterFile::Vgpr, number) => set.insert(Span::Vector(number, 1)),
            Dword::Application(RegisterFile::Agpr, number) => {
                set.insert(Span::Vector(AGPR_BASE + number, 1));
            }
            Dword::Constant(_)
            | Dword::Address(..)
            | Dword::Kept(_)
            | Dword::Scc
            | Dword::Mode
            | Dword::Accessed(_) => {}
        }
    }
}

impl Lowering<'_, '_> {
    /// The sources or destinations of a port's dwords.
    pub fn dwords(
        &self,
        hook: &HookVariants<'_>,
        port: &Port,
        arguments: &[(String, Value)],
        place: &HookSite<'_>,
    ) -> Result<Vec<Dword>, Refusal> {
        let refused = |reason: &str| Refusal::NoValue {
            hook: hook.name.clone(),
            port: port.described(),
            pc: place.pc,
            reason: reason.to_owned(),
        };
        if let Some(name) = port.name.strip_prefix("lds:") {
            let first = self.entry.shared.get(name).copied();
            let first = first.ok_or_else(|| refused("the kernel's entry does not keep it"))?;
            return Ok(vec![Dword::Kept(first)]);
        }
        let given = arguments.iter().find(|(name, _)| *name == port.name);
        let value = match given {
            Some((_, value)) => *value,
            None => supplied(&port.name).ok_or_else(|| {
                refused("the insertion gives no value for it, and it is none that every place has")
            })?,
        };
        let count = port.dwords.len();
        self.of_value(value, count, place).map_err(refused)
    }

    /// The values of a template's literals, in the order of its relocations.
    pub fn literals(
        &self,
        call: &Call<'_, '_>,
        template: &Template,
        place: &HookSite<'_>,
    ) -> Result<Vec<Literal>, Refusal> {
        let literal = |relocation: &Relocation| {
            let Some(name) = relocation.value() else {
                return Ok(Literal::Relocated);
            };
            let port = Port {
                name: name.to_owned(),
                file: RegisterFile::Sgpr,
                read: true,
                written: false,
                dwords: vec![None; 2],
            };
            match self.dwords(call.hook, &port, call.arguments, place)?[..] {
                [Dword::Constant(low), Dword::Constant(high)] => {
                    let whole = u64::from(high) << 32 | u64::from(low);
                    let whole = whole.wrapping_add_signed(relocation.addend);
                    Ok(Literal::Number((whole >> relocation.shift()) as u32))
                }
                [Dword::Address(global, _, addend), _] => {
                    let addend = i64::from(addend) + relocation.addend;
                    Ok(Literal::Address(global, half(relocation), addend))
                }
                _ => Err(Refusal::NoValue {
                    hook: call.hook.name.clone(),
                    port: port.described(),
                    pc: place.pc,
                    reason: "it is in registers, and the hook has it as a number".to_owned(),
                }),
            }
        };
        template.relocations.iter().map(literal).collect()
    }

    fn of_value(
        &self,
        value: Value,
        count: usize,
        place: &HookSite<'_>,
    ) -> Result<Vec<Dword>, &'static str> {
        match value {
            Value::Constant(value) => Ok(number(count, value)),
            Value::Register(reg) => {
                application(reg, count).ok_or("it is no register that can be bound, or too narrow")
            }
            Value::ToolAddress { global, addend } => {
                let halves = [AddressHalf::Low, AddressHalf::High];
                let half = |index| Dword::Address(global, halves[usize::from(index)], addend);
                Ok(padded(count, 2, half))
            }
            Value::Supplied(value) => self.of_supplied(value, count, place),
        }
    }

    fn of_supplied(
        &self,
        value: HookValue,
        count: usize,
        place: &HookSite<'_>,
    ) -> Result<Vec<Dword>, &'static str> {
        let entry = self.entry;
        let not_kept = "the kernel's entry does not keep it";
        let kept = |first: Option<Home>, registers| {
            let first = first.ok_or(not_kept)?;
            let dword = |index| Dword::Kept(first.dword(index));
            Ok(padded(count, registers, dword))
        };
        let mask = |first| {
            let wide = u16::from(place.wave_size / 32);
            padded(count, wide, |index| Dword::Special(first + index))
        };
        let accessed = || (place.memory)().ok_or("the instruction accesses no memory");
        Ok(match value {
            HookValue::Site => number(count, place.site as u64),
            HookValue::Pc => number(count, place.pc),
            HookValue::Exec => mask(EXEC),
            HookValue::Vcc => mask(VCC),
            HookValue::Scc => padded(count, 1, |_| Dword::Scc),
            HookValue::Mode => padded(count, 1, |_| Dword::Mode),
            HookValue::M0 => padded(count, 1, |_| Dword::Special(self.codes.m0())),
            HookValue::KernargPointer => return kept(entry.kernarg, 2),
            HookValue::DispatchPointer => return kept(entry.dispatch, 2),
            HookValue::ImplicitArgumentPointer => return kept(entry.implicit, 2),
            HookValue::Stack => return kept(entry.stack, 2),
            HookValue::DispatchId => return kept(entry.dispatch_id, 2),
            HookValue::WorkgroupId(dimension) => {
                let register = entry.workgroup.get(usize::from(dimension)).copied();
                return kept(register.flatten(), 1);
            }
            HookValue::WorkitemId(dimension) => {
                let register = entry.workitem.get(usize::from(dimension)).copied();
                let register = register.flatten().ok_or(not_kept)?;
                padded(count, 1, |_| {
                    Dword::Application(RegisterFile::Vgpr, register)
                })
            }
            HookValue::AccessSize => number(count, accessed()?.size.into()),
            HookValue::AccessKind => number(count, accessed()?.kind.into()),
            HookValue::EffectiveAddress if accessed()?.address.is_none() => {
                return Err(
                    "its address is not a sum of registers, or the instruction has overwritten it and no register is free to keep it in",
                );
            }
            HookValue::EffectiveAddress => effective_address(accessed()?.address.as_ref()),
        })
    }
}

/// The half of an address that a literal of a template holds.
pub(crate) fn half(relocation: &Relocation) -> AddressHalf {
    match relocation.shift() {
        0 => AddressHalf::Low,
        _ => AddressHalf::High,
    }
}

/// The registers of the application that have the address, if no instruction has to compute it.
fn effective_address(address: Option<&Address>) -> Vec<Dword> {
    let alone = address.and_then(Address::vector_alone);
    let half = |half| match (alone, half) {
        (Some(low), AddressHalf::Low) => Dword::Application(RegisterFile::Vgpr, low),
        (Some(low), AddressHalf::High) => Dword::Application(RegisterFile::Vgpr, low + 1),
        (None, half) => Dword::Accessed(half),
    };
    let high = match address {
        Some(address) if !address.wide => Dword::Constant(0),
        _ => half(AddressHalf::High),
    };
    vec![half(AddressHalf::Low), high]
}

/// The dwords of a number.
fn number(count: usize, value: u64) -> Vec<Dword> {
    let shifted = |index: usize| value.checked_shr(32 * index as u32).unwrap_or(0);
    (0..count)
        .map(|index| Dword::Constant(shifted(index) as u32))
        .collect()
}

/// `count` dwords: the first `few` are as `dword` says, the others are zero.
fn padded(count: usize, few: u16, dword: impl Fn(u16) -> Dword) -> Vec<Dword> {
    let one = |index: u16| match index < few {
        true => dword(index),
        false => Dword::Constant(0),
    };
    (0..count as u16).map(one).collect()
}

/// The dwords of an application's register.
fn application(reg: Reg, count: usize) -> Option<Vec<Dword>> {
    if usize::from(reg.width) < count || reg.half.is_some() {
        return None;
    }
    let file = match reg.kind {
        RegKind::Sgpr => Some(RegisterFile::Sgpr),
        RegKind::Vgpr => Some(RegisterFile::Vgpr),
        RegKind::Agpr => Some(RegisterFile::Agpr),
        _ => None,
    };
    let special = match reg.kind {
        RegKind::Vcc => Some(VCC),
        RegKind::Exec => Some(EXEC),
        _ => None,
    };
    (0..count as u16)
        .map(|index| match (file, special) {
            (Some(file), _) => Some(Dword::Application(file, reg.index + index)),
            (_, Some(base)) => Some(Dword::Special(base + reg.index + index)),
            _ => None,
        })
        .collect()
}
