//! Memory of the call of HIP that loads this crate. HSA's entries tell of it before this crate stands between the program and HIP.

use crate::{call_site, callers, facts::Kind, hip};

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
    // The address is where the call returns to.
    let file = |caller: &usize| Some(callers::module(caller.saturating_sub(1))?.0);
    let is_of_hip = |caller: &usize| file(caller).is_some_and(|file| file.contains(LIBRARY));
    let outermost = callers.iter().rposition(is_of_hip)?;
    let known = |name: &str| {
        let mut functions = FUNCTIONS.iter();
        let function = functions.find(|(function, _)| *function == name)?;
        Some((function.1, function.0))
    };
    // Since HIP 6, its functions jump on to others, which have no names that the loader knows. The program's code says which one it has called.
    let named = callers::function(callers[outermost].saturating_sub(1));
    named.and_then(|name| known(&name)).or_else(|| {
        let callee = call_site::callee(*callers.get(outermost + 1)?)?;
        known(hip::name_at(callee)?)
    })
}
