//! Hooks kept to the executions that the user chose.

use crate::{
    Edit, Result,
    guard::{self, OF_EXECUTIONS, OF_WORKGROUP},
};
use rewrite::{Action, Value};
use std::collections::BTreeMap;

/// Puts a guard in front of every hook that the plan calls. Counts of executions lie behind the tool's own counters, place after
/// place; [`Edit::counted_executions`] says how many there are.
pub(crate) fn keep(edit: &mut Edit<'_>) -> Result<()> {
    let executions = *edit.executions();
    if executions.are_all() {
        return Ok(());
    }
    let mut insertions = std::mem::take(&mut edit.plan.insertions);
    let mut guarded = BTreeMap::new();
    let mut place = edit.counters;
    let constant = |value: u32| Value::Constant(value.into());
    for insertion in &mut insertions {
        let Action::Call {
            hook, arguments, ..
        } = &mut insertion.action
        else {
            continue;
        };
        *hook = match guarded.get(hook) {
            Some(known) => *known,
            None => {
                let made = edit.guarded(*hook)?;
                guarded.insert(*hook, made);
                made
            }
        };
        let mut give = |guard, values: [Value; 3]| {
            let values = (1..).zip(values);
            arguments.extend(values.map(|(index, value)| (guard::parameter(guard, index), value)));
        };
        if let Some(number) = executions.workgroup {
            give(OF_WORKGROUP, number.map(constant));
        }
        if executions.are_counted() {
            let counts = edit.counter_address(place);
            place += 1;
            let period = constant(executions.sample.unwrap_or(1));
            // All ones: all.
            let most = constant(executions.first.unwrap_or(u32::MAX));
            give(OF_EXECUTIONS, [counts, period, most]);
        }
    }
    edit.plan.insertions = insertions;
    Ok(())
}
