//! The micro-ops of a segment that may be steps of loops.

use super::Step;

/// Steps by the micro-op that they are. A segment has a million micro-ops at most, and nearly all are steps.
#[derive(Debug, Default)]
pub(crate) struct Steps(Vec<Option<Step>>);

impl Steps {
    /// The micro-op `at` is this step, or none.
    pub fn set(&mut self, at: usize, step: Option<Step>) {
        if at >= self.0.len() {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at] = step;
    }

    /// The micro-op `at` is this step if it is no other.
    pub fn set_if_none(&mut self, at: usize, step: Step) {
        if self.get(at).is_none() {
            self.set(at, Some(step));
        }
    }

    pub fn get(&self, at: usize) -> Option<&Step> {
        self.0.get(at)?.as_ref()
    }

    /// Returns `true` if no micro-op is a step.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    pub fn iter(&self) -> impl Iterator<Item = (usize, &Step)> {
        let all = self.0.iter().enumerate();
        all.filter_map(|(at, step)| Some((at, step.as_ref()?)))
    }
}
