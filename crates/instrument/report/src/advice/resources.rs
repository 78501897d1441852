//! Registers, and how many waves they leave room for.

use super::{Found, view::View};
use isa::{Effects, Format};

/// Waves of a SIMD, of the hardware's most, below which it is told.
const WAVES: f64 = 0.5;

/// By the metadata, and by what is executed in scratch memory.
pub(super) fn spills(view: &View<'_>) -> Vec<Found> {
    let registers = &view.code.facts["registers"];
    let count = |name: &str| registers[name].as_u64().unwrap_or(0);
    let (vgprs, sgprs) = (count("vgpr_spills"), count("sgpr_spills"));
    if vgprs == 0 {
        return Vec::new();
    }
    // An access of a buffer without an index or an address: only the compiler's own buffer is accessed so.
    let is_scratch = |at: &usize| {
        let buffer = view
            .what(*at)
            .is_some_and(|what| what.format == Format::Mubuf);
        view.does(*at, Effects::SCRATCH) || buffer && view.operands(*at).nth(1) == Some("off")
    };
    let accesses: Vec<usize> = (0..view.code.text.len()).filter(is_scratch).collect();
    let executed: u64 = accesses.iter().map(|at| view.executed(*at)).sum();
    let most = accesses.iter().copied().max_by_key(|at| view.executed(*at));
    let counted = match view.is_counted() {
        true => format!("; scratch memory is accessed {executed} times by waves"),
        false => String::new(),
    };
    vec![Found {
        at: most,
        evidence: format!(
            "the compiler found no registers for {vgprs} VGPRs and {sgprs} SGPRs, and keeps them in {} bytes of scratch memory a work-item{counted}",
            view.code.facts["scratch"]
        ),
        weight: executed,
        executed,
    }]
}

/// By the kernel's descriptor.
pub(super) fn occupancy(view: &View<'_>) -> Vec<Found> {
    let occupancy = &view.code.facts["occupancy"];
    let count = |name: &str| occupancy[name].as_u64();
    let (Some(waves), Some(most), Some(limit)) = (
        count("waves_per_simd"),
        count("max_waves_per_simd"),
        occupancy["limited_by"].as_str(),
    ) else {
        return Vec::new();
    };
    if waves as f64 > WAVES * most as f64 {
        return Vec::new();
    }
    let more = &occupancy["one_more"];
    let number = |name: &str| more[name].as_u64();
    let step = match (number("now"), number("at_most"), number("waves_per_simd")) {
        (Some(now), Some(at_most), Some(then)) => {
            format!("; with at most {at_most} instead of {now} there would be {then}")
        }
        _ => String::new(),
    };
    let fullest = fullest(view).filter(|_| limit == "VGPRs");
    vec![Found {
        at: fullest,
        evidence: format!(
            "{limit} leave room for {waves} of {most} waves of a SIMD{step}{}",
            fullest.map_or("", |_| "; most registers are live here")
        ),
        weight: view.total / 2,
        executed: 0,
    }]
}

/// The place with most live VGPRs.
fn fullest(view: &View<'_>) -> Option<usize> {
    let live = view.code.live.iter().enumerate();
    let counted = live.filter_map(|(at, live)| Some((at, (*live)?[0])));
    counted
        .max_by_key(|(at, live)| (*live, std::cmp::Reverse(*at)))
        .map(|(at, _)| at)
}
