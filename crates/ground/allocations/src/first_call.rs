//! Memory of the call of HIP that loads this crate. HSA's entries tell of it before this crate stands between the program and HIP.

use crate::{callers, facts::Kind};

const LIBRARY: &str = "libamdhip64";

/// Functions that give what HSA gives them.
const FUNCTIONS: [(&str, Kind); 7] = [
    ("hipMalloc", Kind::Device),
    ("hipExtMallocWithFlags", Kind::Device),
    ("hipMallocHost", Kind::Pinned),
    ("hipMemAllocHost", Kind::Pinned),
    ("hipHostMalloc", Kind::Pinned),
    ("hipHostAlloc", Kind::Pinned),
    ("hipMallocManaged", Kind::Managed),
];

/// The function of HIP through which the program got memory, by the callers of HSA's entry, and the kind of this memory.
pub(crate) fn of(callers: &[usize]) -> Option<(Kind, &'static str)> {
    let outermost = callers.iter().rev().find_map(|caller| {
        // The address is where the call returns to.
        let (file, function) = callers::function(caller.saturating_sub(1))?;
        file.contains(LIBRARY).then_some(function)
    })?;
    let mut known = FUNCTIONS.iter();
    known
        .find(|(name, _)| *name == outermost)
        .map(|(name, kind)| (*kind, *name))
}
