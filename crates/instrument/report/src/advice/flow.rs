//! Lanes that are off, waves that part, and barriers.

use super::{Found, view::View};
use isa::{Effects, Logic};

/// Waves that part at a branch, of those that come there.
const PART: f64 = 0.25;
/// A branch that fewer of the kernel's instructions follow is not told.
const LEAST_SHARE: f64 = 0.001;
/// Lanes that are on, of a wave's, below which it is told.
const LANES: f64 = 0.5;
/// The share of instructions with few lanes among the kernel's vector instructions.
const IDLE: f64 = 0.1;
/// Wave instructions for one barrier that are little work.
const WORK: f64 = 24.0;

/// By `branch-divergence`.
pub(super) fn divergent(view: &View<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, [executions, splits]) in view.counters("branch-divergence", ["executions", "splits"]) {
        // In optimised code `s_andn2_b64 exec, exec, ...` ends lanes' turns of a loop. At -O0 they end with `s_mov_b64 exec, ...`, as
        // branches begin, and are told as branches.
        let begins = view.what(at).is_some_and(|what| {
            let mask = what.op.lane_mask();
            mask.is_none_or(|mask| matches!(mask.logic, Logic::And | Logic::Move))
        });
        if !begins {
            continue;
        }
        let part = splits as f64 / executions.max(1) as f64;
        let seldom = view.is_counted() && (executions as f64) < LEAST_SHARE * view.total as f64;
        if executions == 0 || part < PART || seldom {
            continue;
        }
        found.push(Found {
            at: Some(at),
            evidence: format!(
                "{:.0} % of the {executions} waves that came here parted: they execute both ways, one after the other",
                part * 100.0
            ),
            weight: splits,
            executed: executions,
        });
    }
    found
}

/// By the counts of waves and lanes.
pub(super) fn idle(view: &View<'_>) -> Vec<Found> {
    let (mut all, mut idle, mut lanes) = (0u64, 0u64, 0u64);
    let mut worst: Option<(usize, u64)> = None;
    for at in 0..view.code.text.len() {
        if !view.does(at, Effects::VALU) {
            continue;
        }
        let (Some(waves), Some(on)) = (view.code.waves[at], view.code.lanes[at]) else {
            continue;
        };
        all += waves;
        if waves == 0 || on as f64 >= LANES * (waves * view.wave_size) as f64 {
            continue;
        }
        idle += waves;
        lanes += on;
        if worst.is_none_or(|(_, most)| waves > most) {
            worst = Some((at, waves));
        }
    }
    let share = idle as f64 / all.max(1) as f64;
    match worst.filter(|_| share >= IDLE) {
        Some((at, _)) => vec![Found {
            at: Some(at),
            evidence: format!(
                "{:.0} % of the vector instructions were executed with fewer than half of the lanes: {:.1} of {} on average",
                share * 100.0,
                lanes as f64 / idle as f64,
                view.wave_size
            ),
            weight: idle,
            executed: idle,
        }],
        None => Vec::new(),
    }
}

/// By the number of executed barriers.
pub(super) fn barriers(view: &View<'_>) -> Vec<Found> {
    let is_barrier = |at: &usize| matches!(view.mnemonic(*at), "s_barrier" | "s_barrier_wait");
    let all: Vec<usize> = (0..view.code.text.len()).filter(is_barrier).collect();
    let executed: u64 = all.iter().map(|at| view.executed(*at)).sum();
    let most = all.iter().copied().max_by_key(|at| view.executed(*at));
    let (Some(most), true) = (most, executed > 0) else {
        return Vec::new();
    };
    // The barrier of a kernel that has one and no loop is no matter of this rule.
    let waves = view.executed(0).max(1);
    let each = view.total as f64 / executed as f64;
    if each >= WORK || executed < 4 * waves {
        return Vec::new();
    }
    vec![Found {
        at: Some(most),
        evidence: format!(
            "a wave executes {:.0} barriers, and {each:.0} instructions for each of them",
            executed as f64 / waves as f64
        ),
        weight: executed,
        executed,
    }]
}
