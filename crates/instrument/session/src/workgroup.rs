//! The workgroup whose executions the user chose.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{lock, vain};

/// In place of a workgroup's number: any.
pub const ANY: u32 = u32::MAX;

/// `X`, `X,Y` or `X,Y,Z`: what is left out is 0, `*` fits any.
pub fn parse(text: &str) -> Option<[u32; 3]> {
    let mut number = [0; 3];
    let mut dimensions = number.iter_mut();
    for part in text.split(',') {
        *dimensions.next()? = match part.trim() {
            "*" => ANY,
            part => part.parse().ok().filter(|number| *number != ANY)?,
        };
    }
    Some(number)
}

/// The workgroup that a condition `workgroup=X,Y,Z` names; the last such condition holds.
pub(crate) fn asked(conditions: &str) -> Option<[u32; 3]> {
    let mut values = conditions
        .split(';')
        .filter_map(|part| part.trim().strip_prefix("workgroup="));
    values.next_back().and_then(parse)
}

/// True if launches had the workgroup, and the grids of those that did not.
#[derive(Debug, Default)]
pub(crate) struct Met {
    had: AtomicBool,
    /// Workgroups of the first different grids.
    grids: Mutex<BTreeSet<[u32; 3]>>,
}

impl Met {
    /// A chosen launch with a grid of so many workgroups.
    pub fn launch(&self, number: [u32; 3], grid: [u32; 3]) {
        if self.had.load(Ordering::Relaxed) {
            return;
        }
        let mut dimensions = number.iter().zip(grid);
        if dimensions.all(|(number, count)| *number == ANY || *number < count) {
            return self.had.store(true, Ordering::Relaxed);
        }
        let mut grids = lock(&self.grids);
        if grids.len() <= vain::NAMED {
            grids.insert(grid);
        }
    }

    /// The message for a user whose workgroup was in no launch.
    pub fn complaint(&self, number: [u32; 3]) -> Option<String> {
        let grids = lock(&self.grids);
        if self.had.load(Ordering::Relaxed) || grids.is_empty() {
            return None;
        }
        let [x, y, z] = number.map(|number| match number {
            ANY => "*".to_owned(),
            number => number.to_string(),
        });
        let grids = grids.iter().map(|[x, y, z]| format!("{x}x{y}x{z}"));
        Some(format!(
            "workgroup={x},{y},{z} is in no launch: their grids have {} workgroups, counted from 0",
            vain::list(grids)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_condition_holds() {
        assert_eq!(
            asked("kind=load;workgroup=1; workgroup=2,*"),
            Some([2, ANY, 0])
        );
        assert_eq!(asked("first=3"), None);
    }

    #[test]
    fn a_workgroup_beyond_all_grids_is_told() {
        let met = Met::default();
        let wanted = [2, ANY, 0];
        assert_eq!(met.complaint(wanted), None);
        met.launch(wanted, [2, 5, 1]);
        met.launch(wanted, [1, 1, 1]);
        let said = met.complaint(wanted).unwrap();
        assert!(said.contains("workgroup=2,*,0 is in no launch"), "{said}");
        assert!(said.contains("1x1x1, 2x5x1 workgroups"), "{said}");
        met.launch(wanted, [3, 1, 1]);
        assert_eq!(met.complaint(wanted), None);
    }
}
