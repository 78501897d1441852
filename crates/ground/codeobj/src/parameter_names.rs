//! Names of functions' parameters, which compilers keep in debug information and leave out of metadata.

use gimli::{DebuggingInformationEntry, Dwarf, Reader, UnitRef};
use std::collections::HashMap;

/// By the address where a function begins, in order; empty for one without a name.
pub(crate) type ParameterNames = HashMap<u64, Vec<String>>;

/// Those of all functions that have code.
pub(crate) fn read<R: Reader>(dwarf: &Dwarf<R>) -> gimli::Result<ParameterNames> {
    let mut all = HashMap::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        of_unit(UnitRef::new(dwarf, &unit), &mut all)?;
    }
    Ok(all)
}

fn of_unit<R: Reader>(unit: UnitRef<'_, R>, all: &mut ParameterNames) -> gimli::Result<()> {
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
                all.entry(start).or_default().push(name(unit, entry)?);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Its own, or that of the declaration of which it is an instance.
fn name<R: Reader>(
    unit: UnitRef<'_, R>,
    entry: &DebuggingInformationEntry<R>,
) -> gimli::Result<String> {
    let value = match entry.attr_value(gimli::DW_AT_name) {
        None => match entry.attr_value(gimli::DW_AT_abstract_origin) {
            Some(gimli::AttributeValue::UnitRef(origin)) => {
                unit.entry(origin)?.attr_value(gimli::DW_AT_name)
            }
            _ => None,
        },
        own => own,
    };
    let text = value.map(|value| unit.attr_string(value)).transpose()?;
    let text = text.as_ref().map(Reader::to_string_lossy).transpose()?;
    Ok(text.unwrap_or_default().into_owned())
}
