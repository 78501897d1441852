//! The plans of several tools as one.

use crate::{
    Edit, Result,
    edit::Count,
    engine::chosen,
    file::{ADD, FLUSH},
};
use rewrite::{Accumulator, Action, CounterArray, Insertion, Lanes, Plan, Value};
use template::parameter;

/// Counters of a tool that each get a pair of scalar registers, where 64 bits suffice for any wave.
const MOST_IN_SCALARS: usize = 2;

/// How counters are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// In registers, added up in memory at the end of the wave.
    Registers,
    /// In memory at every place; where registers do not suffice or cannot survive.
    Memory,
}

/// Adds what `edit` collected to `plan`.
pub(crate) fn add<'k>(plan: &mut Plan<'k>, mut edit: Edit<'k>, counting: Counting) -> Result<()> {
    // Counters in registers cannot tell executions apart.
    let counting = match edit.executions().are_all() {
        true => counting,
        false => Counting::Memory,
    };
    let counts = std::mem::take(&mut edit.counts);
    let mut slots = vec![None; edit.counters];
    // Hooks that are given addresses of counters count in memory, and need no registers for those.
    let array = match counts.is_empty() {
        true => None,
        false => counters_array(&mut edit, counting),
    };
    let mut insertions = Vec::with_capacity(edit.plan.insertions.len() + counts.len());
    let mut calls = std::mem::take(&mut edit.plan.insertions).into_iter();
    let mut taken = 0;
    for count in counts {
        insertions.extend(calls.by_ref().take(count.order - taken));
        taken = count.order;
        let action = match counting {
            Counting::Memory => in_memory(&mut edit, &count)?,
            Counting::Registers => match array {
                Some(array) => Action::Count {
                    array,
                    index: count.counter,
                    amount: count.amount,
                },
                None => Action::Accumulate {
                    slot: slot(&mut edit, &mut slots, &count)?,
                    amount: count.amount,
                },
            },
        };
        insertions.push(Insertion {
            function: count.function,
            inst: count.inst,
            point: count.point,
            action,
        });
    }
    insertions.extend(calls);
    edit.plan.insertions = insertions;
    chosen::keep(&mut edit)?;
    join(plan, edit.plan);
    Ok(())
}

fn in_memory(edit: &mut Edit<'_>, count: &Count) -> Result<Action> {
    Ok(Action::Call {
        hook: edit.hook(ADD)?,
        arguments: vec![
            (parameter(0), Value::Constant(count.amount.into())),
            (parameter(1), edit.counter_address(count.counter)),
        ],
        lanes: Lanes::First,
    })
}

/// One array for all counters if there are too many for scalar registers.
fn counters_array(edit: &mut Edit<'_>, counting: Counting) -> Option<usize> {
    if counting == Counting::Memory || edit.counters <= MOST_IN_SCALARS {
        return None;
    }
    let global = edit.counters_global();
    edit.plan.counters.push(CounterArray {
        global,
        length: edit.counters,
    });
    Some(edit.plan.counters.len() - 1)
}

/// The accumulator of a counter, made when it is first needed.
fn slot(edit: &mut Edit<'_>, slots: &mut [Option<usize>], count: &Count) -> Result<usize> {
    if let Some(slot) = slots[count.counter] {
        return Ok(slot);
    }
    let accumulator = Accumulator {
        flush: edit.hook(FLUSH)?,
        arguments: vec![(parameter(2), edit.counter_address(count.counter))],
    };
    edit.plan.accumulators.push(accumulator);
    let slot = edit.plan.accumulators.len() - 1;
    slots[count.counter] = Some(slot);
    Ok(slot)
}

/// Appends a plan, moving its indices behind those already there.
fn join<'k>(plan: &mut Plan<'k>, other: Plan<'k>) {
    let (hooks, globals) = (plan.hooks.len(), plan.globals.len());
    let (slots, arrays) = (plan.accumulators.len(), plan.counters.len());
    let moved = |arguments: Vec<(String, Value)>| {
        let moved = arguments.into_iter().map(|(port, value)| match value {
            Value::ToolAddress { global, addend } => {
                let global = global + globals;
                (port, Value::ToolAddress { global, addend })
            }
            other => (port, other),
        });
        moved.collect()
    };
    plan.hooks.extend(other.hooks);
    plan.globals.extend(other.globals);
    plan.changes.extend(other.changes);
    let counters = other.counters.into_iter();
    plan.counters.extend(counters.map(|array| CounterArray {
        global: array.global + globals,
        ..array
    }));
    plan.accumulators.extend(
        other
            .accumulators
            .into_iter()
            .map(|accumulator| Accumulator {
                flush: accumulator.flush + hooks,
                arguments: moved(accumulator.arguments),
            }),
    );
    plan.insertions
        .extend(other.insertions.into_iter().map(|insertion| Insertion {
            action: match insertion.action {
                Action::Call {
                    hook,
                    arguments,
                    lanes,
                } => Action::Call {
                    hook: hook + hooks,
                    arguments: moved(arguments),
                    lanes,
                },
                Action::Accumulate { slot, amount } => Action::Accumulate {
                    slot: slot + slots,
                    amount,
                },
                Action::Count {
                    array,
                    index,
                    amount,
                } => Action::Count {
                    array: array + arrays,
                    index,
                    amount,
                },
            },
            ..insertion
        }));
}
