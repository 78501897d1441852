//! All kernels of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Kernel, Name};

/// `statistics.json`: what the emulated GPUs of a run counted.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Run {
    pub seconds: f64,
    pub dispatches: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
    pub kernels: Vec<Kernel>,
    /// The meaning of each reason that a kernel names for a result that is not exact. Earlier versions wrote none.
    #[serde(default)]
    pub reasons: BTreeMap<Name, Name>,
}

impl Run {
    /// The kernel with most instructions comes first. `meanings`: every reason for results that are not exact, and what it means.
    pub fn new(
        seconds: f64,
        mut kernels: Vec<Kernel>,
        meanings: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Run {
        kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.executed.wave_instructions));
        let sum = |of: fn(&Kernel) -> u64| kernels.iter().map(of).sum();
        let named = |reason: &str| {
            let mut inexact = kernels.iter().flat_map(Kernel::inexact);
            inexact.any(|one| one.reason == reason)
        };
        let reasons = meanings.into_iter().filter(|(reason, _)| named(reason));
        Run {
            seconds,
            dispatches: sum(|kernel| kernel.dispatches),
            wave_instructions: sum(|kernel| kernel.executed.wave_instructions),
            lane_instructions: sum(|kernel| kernel.executed.lane_instructions),
            reasons: reasons
                .map(|(reason, meaning)| (reason.into(), meaning.into()))
                .collect(),
            kernels,
        }
    }
}
