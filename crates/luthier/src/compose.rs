//! The plans of several tools as one.

use crate::{
    Edit, Result,
    edit::Count,
    file::{ADD, FLUSH},
};
use rewrite::{Accumulator, Action, Insertion, Lanes, Plan, Value};

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
    let counts = std::mem::take(&mut edit.counts);
    let mut slots = vec![None; edit.counters];
    let mut insertions = Vec::with_capacity(edit.plan.insertions.len() + counts.len());
    let mut calls = std::mem::take(&mut edit.plan.insertions).into_iter();
    let mut taken = 0;
    for count in counts {
        insertions.extend(calls.by_ref().take(count.order - taken));
        taken = count.order;
        let action = match counting {
            Counting::Memory => in_memory(&mut edit, &count)?,
            Counting::Registers => {
                let slot = match slots[count.counter] {
                    Some(slot) => slot,
                    None => new_slot(&mut edit, &count)?,
                };
                slots[count.counter] = Some(slot);
                Action::Accumulate {
                    slot,
                    amount: count.amount,
                }
            }
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
    join(plan, edit.plan);
    Ok(())
}

fn in_memory(edit: &mut Edit<'_>, count: &Count) -> Result<Action> {
    Ok(Action::Call {
        hook: edit.hook(ADD)?,
        arguments: vec![
            ("parameter:0".to_owned(), Value::Constant(count.amount.into())),
            ("parameter:1".to_owned(), edit.counter_address(count.counter)),
        ],
        lanes: Lanes::First,
    })
}

fn new_slot(edit: &mut Edit<'_>, count: &Count) -> Result<usize> {
    let accumulator = Accumulator {
        flush: edit.hook(FLUSH)?,
        arguments: vec![("parameter:2".to_owned(), edit.counter_address(count.counter))],
    };
    edit.plan.accumulators.push(accumulator);
    Ok(edit.plan.accumulators.len() - 1)
}

/// Appends a plan, moving its indices behind those already there.
fn join<'k>(plan: &mut Plan<'k>, other: Plan<'k>) {
    let (hooks, globals, slots) = (
        plan.hooks.len(),
        plan.globals.len(),
        plan.accumulators.len(),
    );
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
    plan.accumulators
        .extend(other.accumulators.into_iter().map(|accumulator| Accumulator {
            flush: accumulator.flush + hooks,
            arguments: moved(accumulator.arguments),
        }));
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
            },
            ..insertion
        }));
}
