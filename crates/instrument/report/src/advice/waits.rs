//! Waits that stand right behind what they wait for.

use super::{Found, operand::overlap, view::View};
use isa::Format;

/// Instructions between a load and the wait that covers it which hide nothing.
const BETWEEN: usize = 3;
/// Loads of a block that are told if each is waited for at once; in a block that repeats itself one is enough.
const LOADS: u64 = 3;

/// Loads that are waited for before another one is issued which does not need them.
pub(super) fn behind_loads(view: &View<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (number, block) in view.blocks().enumerate() {
        let number = number as u32;
        let repeats = view
            .code
            .edges
            .iter()
            .any(|edge| (edge.from, edge.to) == (number, number));
        // The next turn of a loop issues its loads behind the waits of this one.
        let turns = if repeats { 2 } else { 1 };
        let order = (0..turns).flat_map(|_| block.clone());
        let (at_once, first) = waited_at_once(view, order);
        let least = if repeats { 1 } else { LOADS - 1 };
        let Some(first) = first.filter(|_| at_once >= least) else {
            continue;
        };
        found.push(Found {
            at: Some(first),
            evidence: format!(
                "{at_once} {} waited for before another load is issued that does not need {}: they could be under way together",
                if at_once == 1 { "load of this loop is" } else { "loads are" },
                if at_once == 1 { "it" } else { "them" },
            ),
            weight: view.executed(first) * at_once,
            executed: view.executed(first) * at_once.min(block.len() as u64),
        });
    }
    found
}

/// How many loads have a wait right behind them and then a load that does not need them, and the first such wait.
fn waited_at_once(view: &View<'_>, order: impl Iterator<Item = usize>) -> (u64, Option<usize>) {
    let (mut count, mut first) = (0, None);
    // The load that is under way alone, and how many instructions were issued since.
    let mut alone: Option<(usize, usize)> = None;
    let mut under_way = 0;
    // The wait behind it, and registers that hold what depends on it.
    let mut waited: Option<(usize, Vec<&str>)> = None;
    for at in order {
        let mut operands = view.operands(at);
        let result = operands.next().unwrap_or_default();
        let depends = |known: &[&str]| {
            let reads = view.operands(at).skip(1);
            reads
                .into_iter()
                .any(|read| known.iter().any(|known| overlap(known, read)))
        };
        if is_load(view, at) {
            if let Some((wait, known)) = waited.take()
                && !depends(&known)
            {
                count += 1;
                first = first.or(Some(wait));
            }
            under_way += 1;
            alone = (under_way == 1).then_some((at, 0));
        } else if waits_for_all_loads(&view.code.text[at]) {
            if let Some((load, since)) = alone.take()
                && since <= BETWEEN
            {
                let loaded = view.operands(load).next().unwrap_or_default();
                waited = Some((at, vec![loaded]));
            }
            under_way = 0;
        } else {
            if let Some((_, since)) = &mut alone {
                *since += 1;
            }
            if let Some((_, known)) = &mut waited {
                match depends(known) {
                    true => known.push(result),
                    false => known.retain(|known| !overlap(known, result)),
                }
            }
        }
    }
    (count, first)
}

/// Loads of global memory, and of buffers.
fn is_load(view: &View<'_>, at: usize) -> bool {
    let formats = [Format::Global, Format::Flat, Format::Mubuf];
    let format = view.what(at).map(|what| what.format);
    view.loads(at) && format.is_some_and(|format| formats.contains(&format))
}

fn waits_for_all_loads(text: &str) -> bool {
    text.starts_with("s_waitcnt ") && text.contains("vmcnt(0)")
        || text == "s_wait_loadcnt 0x0"
        || text.starts_with("s_wait_loadcnt_dscnt 0x0")
}
