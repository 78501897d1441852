//! Names and types of functions' parameters, which compilers keep in debug information and leave out of metadata.

use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, Reader, UnitOffset, UnitRef};
use std::collections::HashMap;

/// Types that are named through more steps than this one are unknown: debug information may be damaged and lead in circles.
const DEEPEST: usize = 16;

/// A parameter as the source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceParameter {
    /// Empty for a parameter without a name.
    pub name: String,
    /// Spelled as demanglers spell types (`float const*`), typedefs of numbers replaced by the numbers; empty if unknown.
    pub type_name: String,
}

/// By the address where a function begins, in order.
pub(crate) type Parameters = HashMap<u64, Vec<SourceParameter>>;

/// The parameters of all functions that have code.
pub(crate) fn read<R: Reader<Offset = usize>>(dwarf: &Dwarf<R>) -> gimli::Result<Parameters> {
    let mut all = HashMap::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        of_unit(UnitRef::new(dwarf, &unit), &mut all)?;
    }
    Ok(all)
}

fn of_unit<R: Reader<Offset = usize>>(
    unit: UnitRef<'_, R>,
    all: &mut Parameters,
) -> gimli::Result<()> {
    let mut entries = unit.entries();
    // The function that the entries are in, by its depth and address.
    let mut around: Option<(isize, u64)> = None;
    while let Some(entry) = entries.next_dfs()? {
        around = around.filter(|(depth, _)| *depth < entry.depth());
        match (entry.tag(), around) {
            (gimli::DW_TAG_subprogram, _) => {
                let start = entry.attr_value(gimli::DW_AT_low_pc);
                let start = start.map(|value| unit.attr_address(value)).transpose()?;
                around = start.flatten().map(|start| (entry.depth(), start));
            }
            (gimli::DW_TAG_formal_parameter, Some((depth, start)))
                if entry.depth() == depth + 1 =>
            {
                let parameter = SourceParameter {
                    name: name(unit, entry)?,
                    type_name: type_of(unit, entry, DEEPEST)?.unwrap_or_default(),
                };
                all.entry(start).or_default().push(parameter);
            }
            _ => {}
        }
    }
    Ok(())
}

/// An attribute of the entry, or of the declaration of which it is an instance.
fn inherited<R: Reader<Offset = usize>>(
    unit: UnitRef<'_, R>,
    entry: &DebuggingInformationEntry<R>,
    attribute: gimli::DwAt,
) -> gimli::Result<Option<AttributeValue<R>>> {
    match (
        entry.attr_value(attribute),
        entry.attr_value(gimli::DW_AT_abstract_origin),
    ) {
        (None, Some(AttributeValue::UnitRef(origin))) => {
            Ok(unit.entry(origin)?.attr_value(attribute))
        }
        (own, _) => Ok(own),
    }
}

fn name<R: Reader<Offset = usize>>(
    unit: UnitRef<'_, R>,
    entry: &DebuggingInformationEntry<R>,
) -> gimli::Result<String> {
    let value = inherited(unit, entry, gimli::DW_AT_name)?;
    let text = value.map(|value| unit.attr_string(value)).transpose()?;
    let text = text.as_ref().map(Reader::to_string_lossy).transpose()?;
    Ok(text.unwrap_or_default().into_owned())
}

/// The type that an entry refers to, if it refers to a known one.
fn type_of<R: Reader<Offset = usize>>(
    unit: UnitRef<'_, R>,
    entry: &DebuggingInformationEntry<R>,
    steps: usize,
) -> gimli::Result<Option<String>> {
    match inherited(unit, entry, gimli::DW_AT_type)? {
        Some(AttributeValue::UnitRef(offset)) if steps > 0 => spelled(unit, offset, steps - 1),
        _ => Ok(None),
    }
}

fn spelled<R: Reader<Offset = usize>>(
    unit: UnitRef<'_, R>,
    offset: UnitOffset,
    steps: usize,
) -> gimli::Result<Option<String>> {
    let entry = unit.entry(offset)?;
    let has_type = entry.attr_value(gimli::DW_AT_type).is_some();
    let below = |suffix: &str| -> gimli::Result<Option<String>> {
        let text = match has_type {
            true => type_of(unit, &entry, steps)?,
            false => Some("void".to_owned()),
        };
        Ok(text.map(|text| format!("{text}{suffix}")))
    };
    match entry.tag() {
        gimli::DW_TAG_pointer_type => below("*"),
        gimli::DW_TAG_reference_type => below("&"),
        gimli::DW_TAG_const_type => below(" const"),
        gimli::DW_TAG_volatile_type => below(" volatile"),
        gimli::DW_TAG_restrict_type | gimli::DW_TAG_atomic_type => below(""),
        // An enumeration is the number that it is stored as, a typedef the type that it names.
        gimli::DW_TAG_typedef | gimli::DW_TAG_enumeration_type if has_type => {
            let own = name(unit, &entry)?;
            let target = type_of(unit, &entry, steps)?;
            Ok(target.or(Some(own)))
        }
        _ => Ok(Some(name(unit, &entry)?).filter(|name| !name.is_empty())),
    }
}
