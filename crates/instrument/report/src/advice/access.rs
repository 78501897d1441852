//! How the lanes of an access fit together, and what is loaded twice.

use super::{Found, operand::overlap, view::View};
use isa::{Effects, Op, Traits};
use std::collections::HashMap;

/// Bytes of the cache lines that `mem-coalesce` counts.
const LINE: u64 = 128;
/// Cache lines of an access, of those that its lanes need, from which on it is told.
const TIMES_THE_LINES: f64 = 2.0;
/// Bytes that the LDS banks serve in one turn.
const BANKS: f64 = 128.0;
/// Turns of the LDS banks, of those that the lanes need, from which on it is told.
const TIMES_THE_TURNS: f64 = 2.0;
/// Executions of a place below which nothing is told, as a part of the kernel's.
const LEAST_SHARE: f64 = 0.001;

/// Bytes that a lane moves.
fn bytes(op: Op) -> u64 {
    let data = op.data();
    // Each component comes from or goes to a register.
    let components = 4 * data.components;
    u64::from(if data.formatted {
        components
    } else {
        data.bytes
    })
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn counts(view: &View<'_>, accesses: u64) -> bool {
    !view.is_counted() || ratio(accesses, view.total) >= LEAST_SHARE
}

/// By `mem-coalesce`.
pub(super) fn uncoalesced(view: &View<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, [accesses, lanes, lines]) in
        view.counters("mem-coalesce", ["accesses", "lanes", "lines"])
    {
        if accesses == 0 || !counts(view, accesses) {
            continue;
        }
        let Some(bytes) = view.what(at).map(|what| bytes(what.op)) else {
            continue;
        };
        let needed = (ratio(lanes, accesses) * bytes as f64 / LINE as f64).max(1.0);
        let touched = ratio(lines, accesses);
        if touched < TIMES_THE_LINES * needed.ceil() {
            continue;
        }
        found.push(Found {
            at: Some(at),
            evidence: format!(
                "an access touches {touched:.1} cache lines of {LINE} bytes; {:.0} would hold the {bytes} bytes of each of its {:.1} lanes \
                 ({accesses} accesses)",
                needed.ceil(),
                ratio(lanes, accesses)
            ),
            weight: lines,
            executed: accesses,
        });
    }
    found
}

/// By `lds-conflicts`.
pub(super) fn bank_conflicts(view: &View<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, [accesses, turns]) in view.counters("lds-conflicts", ["accesses", "turns"]) {
        if accesses == 0 || !counts(view, accesses) {
            continue;
        }
        let Some(bytes) = view.what(at).map(|what| bytes(what.op)) else {
            continue;
        };
        let lanes = view.lanes(at);
        let needed = (lanes * bytes as f64 / BANKS).max(1.0).ceil();
        let each = ratio(turns, accesses);
        if each < TIMES_THE_TURNS * needed {
            continue;
        }
        found.push(Found {
            at: Some(at),
            evidence: format!(
                "an access takes {each:.1} turns of the LDS banks; {needed:.0} would serve the {bytes} bytes of each of its {lanes:.1} lanes \
                 ({accesses} accesses)"
            ),
            weight: turns,
            executed: accesses,
        });
    }
    found
}

/// Loads of a block with the address of an earlier one, between which nothing is stored and no register of the address is written.
pub(super) fn repeated(view: &View<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for block in view.blocks() {
        // By mnemonic and address, where it was loaded.
        let mut known: HashMap<(&str, Vec<&str>), usize> = HashMap::new();
        for at in block {
            let mnemonic = view.mnemonic(at);
            if may_change_memory(view, at) {
                known.clear();
                continue;
            }
            let mut operands = view.operands(at);
            let Some(result) = operands.next() else {
                continue;
            };
            let address: Vec<_> = operands.collect();
            let is_load = view.loads(at);
            let key = (mnemonic, address);
            let earlier = known.get(&key).copied();
            if let (true, Some(earlier)) = (is_load, earlier) {
                found.push(Found {
                    at: Some(at),
                    evidence: format!(
                        "the load at {:#x} in the same block has this address, and nothing is stored between them",
                        view.code.pc[earlier]
                    ),
                    weight: view.executed(at),
                    executed: view.executed(at),
                });
            }
            if writes(mnemonic) {
                known.retain(|(_, address), _| !address.iter().any(|part| overlap(part, result)));
            }
            if is_load && !key.1.iter().any(|part| overlap(part, result)) {
                known.insert(key, at);
            }
        }
    }
    found
}

/// Stores, atomics, and what lets others store.
fn may_change_memory(view: &View<'_>, at: usize) -> bool {
    let elsewhere = Effects::CALL | Effects::INDIRECT | Effects::BARRIER;
    view.does(at, Effects::STORE | Effects::ATOMIC | elsewhere)
        || view.is_of(at, Traits::INVALIDATES)
}

/// Returns `true` if the first operand is a result.
fn writes(mnemonic: &str) -> bool {
    !mnemonic.starts_with("s_cmp")
        && !mnemonic.starts_with("s_wait")
        && !mnemonic.starts_with("s_cbranch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_the_manuals() {
        for (mnemonic, expected) in [
            ("global_load_dword", 4),
            ("global_load_dwordx2", 8),
            ("global_load_b128", 16),
            ("flat_store_byte", 1),
            ("global_load_ushort", 2),
            ("buffer_load_format_xyzw", 16),
            ("tbuffer_store_format_x", 4),
            ("ds_read2_b64", 16),
            ("global_load_short_d16_hi", 2),
            ("global_load_u8", 1),
            ("global_atomic_add", 4),
            ("global_atomic_add_x2", 8),
        ] {
            assert_eq!(bytes(Op::of(mnemonic)), expected, "{mnemonic}");
        }
    }
}
