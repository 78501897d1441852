//! A corpus of kernels with a bug, each with a right twin, for targets of all families. The source marks lines that a table names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
};

use codeobj::SourceLines;

use super::compiled_text;

pub const TARGETS: [&str; 7] = [
    "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1201",
];

/// The source of a corpus.
pub struct Corpus(pub &'static str);

impl Corpus {
    /// The line that has this mark.
    pub fn marked(&self, mark: &str) -> u32 {
        let is_it = |line: &str| line.split_whitespace().any(|word| word == mark);
        let at = self.0.lines().position(is_it);
        at.unwrap_or_else(|| panic!("no {mark}")) as u32 + 1
    }

    /// All kernels with their bugs, or the right twins. None without a compiler.
    pub fn compiled(&self, target: &str, ok: bool) -> Option<Vec<u8>> {
        let split = target.starts_with("gfx12").then_some("-DSPLIT");
        let ok = format!("-DOK={}", u32::from(ok));
        let options: Vec<&str> = ["-O2", "-g", &ok].into_iter().chain(split).collect();
        compiled_text(target, &options, self.0)
    }
}

/// The findings in a kernel, and what the checker could not look at there.
pub type Seen<R> = (BTreeSet<R>, Vec<String>);

/// Compares all kernels on all targets with what the table says: those with their bugs have these findings and no others, and their right
/// twins have none. A kernel without findings is right in both objects. Does nothing without a compiler.
pub fn each_bug_is_found_and_right_twins_are_silent<R: Ord + Debug>(
    compiled: impl Fn(&str, bool) -> Option<Vec<u8>>,
    expected: impl Fn(&str) -> BTreeMap<&'static str, BTreeSet<R>>,
    found: impl Fn(&[u8], &str) -> Seen<R>,
) {
    let mut failed = Vec::new();
    for target in TARGETS {
        let (Some(wrong), Some(right)) = (compiled(target, false), compiled(target, true)) else {
            return;
        };
        for (kernel, expected) in expected(target) {
            let none = BTreeSet::new();
            for (name, object, expected) in [("wrong", &wrong, &expected), ("right", &right, &none)]
            {
                let (rows, unseen) = found(object, kernel);
                // A bug may end a kernel before all is looked at.
                if rows != *expected || expected.is_empty() && !unseen.is_empty() {
                    failed.push(format!(
                        "{kernel} on {target}, {name}: {rows:?} {unseen:?}, not {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The same, with the kernel `silent`, which has no bug in either object.
pub fn with_silent<R: Ord>(
    mut all: BTreeMap<&'static str, BTreeSet<R>>,
) -> BTreeMap<&'static str, BTreeSet<R>> {
    all.insert("silent", BTreeSet::new());
    all
}

/// The rows of a table that are for a target. The last field says for which ones a row is.
pub fn rows<'t>(table: &'t str, target: &str) -> impl Iterator<Item = Vec<&'t str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(move |line| {
        let (fields, targets) = line.rsplit_once('\t').expect("a row with targets");
        let is_meant = targets == "all" || target.starts_with(targets);
        is_meant.then(|| fields.split('\t').collect())
    })
}

pub fn grade(certain: bool) -> &'static str {
    if certain { "certain" } else { "possible" }
}

/// The source line of an address in the object, in the innermost function.
pub fn line(lines: &SourceLines, address: u64) -> Option<u32> {
    lines.frames(address).ok()?.first()?.line
}
