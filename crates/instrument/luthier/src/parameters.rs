//! Checks the values of a hook's parameters: a value that does not fit is an error, and is never cut.

use crate::{
    Argument, Description, Error, Result,
    description::{Expression, expression},
};
use isa::RegKind;
use template::{Bundle, Entry, Port, RegisterFile, Template};
use tool_abi::HookValueRow;

/// Behind the name of a hook that host code inserts: the variant whose parameters all have a value for each lane.
pub const LANES: &str = ":lanes";

/// Message for a hook, after its name, that is given too many arguments or too few.
pub fn wrong_number(wanted: usize, given: usize) -> String {
    let parameters = match wanted {
        1 => "1 parameter".to_owned(),
        count => format!("{count} parameters"),
    };
    match given {
        1 => format!("{parameters}, and 1 argument is given"),
        count => format!("{parameters}, and {count} arguments are given"),
    }
}

/// As wide as the address of a number of a place.
const NUMBER: Argument = Argument::Variable(String::new(), 0);

/// The hook's parameter with this number.
fn port(template: &Template, index: usize) -> Option<&Port> {
    let mut ports = template.ports.iter();
    ports.find(|port| port.parameter() == Some(index))
}

/// How many parameters the hook has.
pub(crate) fn count(template: &Template) -> usize {
    let ports = template.ports.iter();
    ports.filter(|port| port.parameter().is_some()).count()
}

/// Dwords of a parameter.
pub(crate) fn dwords(template: &Template, index: usize) -> Option<usize> {
    port(template, index).map(|port| port.dwords.len())
}

/// The table row of a value of the place.
fn row(argument: &Argument) -> Option<&'static HookValueRow> {
    match argument {
        Argument::Value(value) => value.row(),
        _ => None,
    }
}

/// Returns `true` if lanes have values of their own.
pub(crate) fn is_per_lane(argument: &Argument) -> bool {
    match argument {
        Argument::Register(reg) => matches!(reg.kind, RegKind::Vgpr | RegKind::Agpr),
        _ => row(argument).is_some_and(|row| row.per_lane),
    }
}

/// Dwords that an argument has whatever takes it, in a wave of so many lanes.
fn width(argument: &Argument, wave_size: u8) -> usize {
    match argument {
        Argument::Register(reg) => usize::from(reg.width),
        // (A negative number of 32 bits is one of 64, too.)
        Argument::Constant(value)
            if u32::try_from(*value).is_err() && i32::try_from(*value as i64).is_err() =>
        {
            2
        }
        Argument::Variable(..) | Argument::Counter(_) => 2,
        _ => row(argument).map_or(1, |row| row.least(wave_size).into()),
    }
}

/// Refuses an argument that the parameter would not take whole.
pub(crate) fn fits(
    hook: &str,
    template: &Template,
    index: usize,
    argument: &Argument,
) -> Result<()> {
    let refused = |reason: String| Error::Argument {
        hook: hook.to_owned(),
        index,
        reason,
    };
    let Some(port) = port(template, index) else {
        let known = count(template);
        return Err(refused(format!("the hook has {known} parameters")));
    };
    let (wanted, given) = (port.dwords.len(), width(argument, template.wave_size));
    let is_register = matches!(argument, Argument::Register(_));
    if given > wanted || (is_register && given != wanted) {
        return Err(refused(format!(
            "it has {} bits, and the value given for it has {}",
            wanted * 32,
            given * 32
        )));
    }
    let per_lane = is_per_lane(argument);
    if port.file == RegisterFile::Sgpr && per_lane {
        return Err(refused(
            "it takes one value for all lanes, but its argument has one for each lane; declare it `vector` in `hooks`".to_owned(),
        ));
    }
    if port.written && is_register && (port.file == RegisterFile::Vgpr) != per_lane {
        return Err(refused(
            "the hook changes it, and the register is of the other kind: scalar or vector"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Refuses a description that gives a hook of the bundle too many arguments, too few, or arguments that do not fit. Values that depend on
/// the instruction (`operand.N`) are only known at the place.
pub fn check(bundle: &Bundle, description: &Description) -> Result<()> {
    for insert in &description.insert {
        let entries = bundle.entries.iter();
        let mut entries = entries.filter(|entry| entry.hook == insert.hook);
        let Some(entry) = entries.next() else {
            continue;
        };
        let (wanted, given) = (count(&entry.template), insert.arguments.len());
        if wanted != given {
            return Err(Error::Argument {
                hook: insert.hook.clone(),
                index: wanted.min(given),
                reason: format!("the hook has {}", wrong_number(wanted, given)),
            });
        }
        for (index, text) in insert.arguments.iter().enumerate() {
            let expression = expression(text)?;
            let argument = match &expression {
                Expression::SiteNumber(_) => Some(&NUMBER),
                expression => expression.fixed(),
            };
            let Some(argument) = argument else { continue };
            // Waves of some targets have 32 lanes or 64, which decides about masks.
            let fit = |entry: &Entry| fits(&insert.hook, &entry.template, index, argument);
            if let Err(error) = fit(entry)
                && !entries.clone().any(|entry| fit(entry).is_ok())
            {
                return Err(error);
            }
        }
    }
    Ok(())
}
