//! How many other cache lines were touched between two accesses to the same one (LRU stack distance).
//!
//! Every line has a mark at the time of its last access, so that the marks behind that time are the lines touched since: a Fenwick tree
//! counts them. When times run out, the marks move together, so that memory depends on the number of lines, not of accesses.

use std::{collections::HashMap, sync::Mutex};

/// Times before the marks move together for the first time.
const TIMES: usize = 1 << 16;

/// The lines of one memory.
pub struct Stack(Mutex<Marks>);

impl Stack {
    pub fn new() -> Stack {
        Stack(Mutex::new(Marks::new(TIMES)))
    }

    /// Distances of accesses in their order; -1 for lines that were never touched before.
    pub fn distances(&self, lines: impl Iterator<Item = u64>) -> Vec<i64> {
        let mut marks = match self.0.lock() {
            Ok(marks) => marks,
            Err(poisoned) => poisoned.into_inner(),
        };
        lines
            .map(|line| marks.access(line).map_or(-1, |distance| distance as i64))
            .collect()
    }
}

struct Marks {
    /// Time of each line's last access.
    last: HashMap<u64, usize>,
    /// Fenwick tree over times, whose leaf is 1 at those.
    tree: Vec<u32>,
    now: usize,
}

impl Marks {
    fn new(times: usize) -> Marks {
        Marks {
            last: HashMap::new(),
            tree: vec![0; times + 1],
            now: 0,
        }
    }

    fn access(&mut self, line: u64) -> Option<u64> {
        if self.now + 1 == self.tree.len() {
            self.compact();
        }
        let now = self.now;
        self.now += 1;
        let before = self.last.insert(line, now);
        let distance = before.map(|before| {
            self.add(before, false);
            // All marks that are left but those up to that time.
            (self.last.len() - 1) as u64 - self.marks_before(before)
        });
        self.add(now, true);
        distance
    }

    fn add(&mut self, time: usize, mark: bool) {
        let mut at = time + 1;
        while let Some(sum) = self.tree.get_mut(at) {
            *sum = if mark { *sum + 1 } else { *sum - 1 };
            at += at & at.wrapping_neg();
        }
    }

    fn marks_before(&self, time: usize) -> u64 {
        let (mut at, mut sum) = (time, 0);
        while at > 0 {
            sum += u64::from(self.tree[at]);
            at -= at & at.wrapping_neg();
        }
        sum
    }

    /// The lines in the order of their last accesses, at the first times.
    fn compact(&mut self) {
        let mut lines: Vec<(usize, u64)> = self
            .last
            .iter()
            .map(|(line, time)| (*time, *line))
            .collect();
        lines.sort_unstable();
        *self = Marks::new((2 * lines.len()).max(TIMES));
        for (_, line) in lines {
            self.last.insert(line, self.now);
            self.add(self.now, true);
            self.now += 1;
        }
    }
}
