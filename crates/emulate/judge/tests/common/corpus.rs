//! A corpus of kernels with a bug, each with a right twin, for targets of all families. The source marks lines that a table names.

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
