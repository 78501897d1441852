//! Selections that chose nothing, and what there was to choose from.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    Selection, lock,
    summary::{KernelLine, Status},
};

/// The number of kernels and grids that a message names.
pub(crate) const NAMED: usize = 8;

/// The launches of a session, as far as a selection that fits none of them is to be explained.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// A launch was chosen: there is nothing to explain.
    chosen: AtomicBool,
    /// The first different grids of kernels that were chosen.
    grids: Mutex<BTreeSet<[u32; 3]>>,
}

impl Seen {
    /// A launch of a kernel that `-k` fits.
    pub fn launch(&self, chosen: bool, grid: [u32; 3]) {
        if self.chosen.load(Ordering::Relaxed) {
            return;
        }
        if chosen {
            return self.chosen.store(true, Ordering::Relaxed);
        }
        let mut grids = lock(&self.grids);
        if grids.len() <= NAMED {
            grids.insert(grid);
        }
    }

    /// The message for a user whose selection has chosen nothing of all that was launched.
    pub fn complaint(&self, selection: &Selection, kernels: &[KernelLine]) -> Option<String> {
        if self.chosen.load(Ordering::Relaxed) || kernels.is_empty() {
            return None;
        }
        let fitting: Vec<_> = kernels
            .iter()
            .filter(|line| line.status != Status::Unselected)
            .collect();
        if fitting.is_empty() {
            let pattern = selection.pattern()?;
            let names = kernels.iter().map(|line| line.name.clone());
            return Some(format!(
                "-k {pattern} fits no kernel; launched were {}",
                list(names)
            ));
        }
        let conditions = selection.launch_conditions();
        if conditions.is_empty() {
            return None;
        }
        let launches = fitting.iter().map(|line| match line.launches {
            1 => format!("{} once (its launch 0)", line.name),
            count => format!("{} {count} times (0 to {})", line.name, count - 1),
        });
        let grids = lock(&self.grids);
        let grids = grids.iter().map(|[x, y, z]| format!("{x}x{y}x{z}"));
        Some(format!(
            "{} fits no launch; launched were {}, with grids of {} work-items",
            conditions.join(" with "),
            list(launches),
            list(grids)
        ))
    }
}

/// The remark on a kernel in which the conditions on places hold nowhere. [`places`] says it of all kernels at once.
pub const NOWHERE: &str = "no instruction matches --site";

/// Takes [`NOWHERE`] back from every kernel.
pub(crate) fn without_places(kernels: &mut [KernelLine]) {
    for line in kernels {
        if let Status::Instrumented(done) = &mut line.status {
            done.report.notes.retain(|note| note != NOWHERE);
        }
    }
}

/// The message for a user whose conditions on places hold at no place of any instrumented kernel.
pub(crate) fn places(conditions: &str, kernels: &[KernelLine]) -> Option<String> {
    let mut instrumented = kernels.iter().filter_map(|line| match &line.status {
        Status::Instrumented(done) => Some((line, done.report.sites)),
        _ => None,
    });
    if conditions.is_empty() || instrumented.clone().any(|(_, sites)| sites != 0) {
        return None;
    }
    instrumented.next()?;
    let names = kernels.iter().filter_map(|line| match line.status {
        Status::Instrumented(_) => Some(line.name.clone()),
        _ => None,
    });
    Some(format!(
        "{conditions} holds at no place of {}{}; `luthier inspect --disassemble` shows their instructions",
        list(names),
        pattern_hint(conditions)
    ))
}

/// A note for messages about conditions that hold nowhere.
pub fn pattern_hint(conditions: &str) -> &'static str {
    match conditions.contains("opcode=") {
        true => " (patterns of opcodes are like v_*, not regular expressions)",
        false => "",
    }
}

/// The first of them, each once, and how many more there are.
pub(crate) fn list(names: impl Iterator<Item = String>) -> String {
    let names: BTreeSet<String> = names.collect();
    let first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    match names.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_opcodes_get_the_note_on_patterns() {
        assert!(pattern_hint("opcode=ds_.*").contains("not regular expressions"));
        assert_eq!(pattern_hint("kind=matrix"), "");
    }
}
