//! Functions that are too long to look at in one piece.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};

/// A function has no more lines, from `fn` to its last brace.
const LIMIT: usize = 80;

/// Functions that were longer when this was first checked, by file and name, with their lines. The list only shrinks: take a line out
/// when its function fits, and add none.
#[rustfmt::skip]
const LONGER: &[(&str, &str, usize)] = &[
    ("crates/count/count/src/report.rs", "parse", 90),
    ("crates/count/count/src/run.rs", "run", 134),
    ("crates/coverage/rawprof/src/emit.rs", "emit", 108),
    ("crates/coverage/rawprof/src/parse.rs", "parse_one", 108),
    ("crates/coverage/rawprof/src/sections.rs", "from_sections", 99),
    ("crates/emulate/compute/src/pool.rs", "describe", 99),
    ("crates/emulate/gpu/src/compute_queue.rs", "prepare", 113),
    ("crates/emulate/thunk/src/door/files.rs", "of_node", 96),
    ("crates/emulate/vectors/src/matrix/ordinary.rs", "tile", 94),
    ("crates/emulate/wave/src/access/image/descriptor.rs", "decode", 105),
    ("crates/emulate/wave/src/engine.rs", "run_slice", 103),
    ("crates/emulate/wave/src/program/vector.rs", "operands", 111),
    ("crates/emulate/wave/src/rows/lds_atomic.rs", "rows", 108),
    ("crates/emulate/wave/src/rows/simd.rs", "part", 90),
    ("crates/ground/codeobj/src/edit/create.rs", "create", 94),
    ("crates/ground/codeobj/src/edit/pack.rs", "pack", 93),
    ("crates/ground/codeobj/src/line_map.rs", "functions", 86),
    ("crates/instrument/inspect/src/report.rs", "object", 136),
    ("crates/instrument/lift/src/blocks.rs", "ways", 100),
    ("crates/instrument/lift/src/code_values.rs", "result", 109),
    ("crates/instrument/luthier/src/engine/offline.rs", "instrument_object", 122),
    ("crates/instrument/verify/src/record.rs", "look", 99),
    ("crates/rim/cli/src/emulate.rs", "run", 105),
    ("crates/rim/cli/src/run.rs", "execute", 119),
    ("crates/rim/hardware/src/check.rs", "check", 101),
    ("crates/rim/hardware/src/compare.rs", "approximate", 81),
    ("crates/rim/hardware/src/documented.rs", "frames_leave_what_manuals_say", 84),
];

/// Complaints about functions of the crates' sources.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    for file in crate::files_below(&root.join("crates"), &["rs"])? {
        let shown = file
            .strip_prefix(root)
            .unwrap_or(&file)
            .display()
            .to_string();
        if !shown.contains("/src/") {
            continue;
        }
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {shown}"))?;
        for (name, lines) in functions(&text) {
            let longest = found.entry((shown.clone(), name)).or_default();
            *longest = lines.max(*longest);
        }
    }
    let listed = |file: &str, name: &str| LONGER.iter().find(|row| (row.0, row.1) == (file, name));
    let mut complaints = Vec::new();
    for ((file, name), lines) in &found {
        let most = listed(file, name).map_or(LIMIT, |row| row.2);
        if *lines > most {
            complaints.push(format!(
                "{file}: `{name}` has {lines} lines, at most {most} are allowed: give parts of it a name of their own"
            ));
        }
    }
    for (file, name, _) in LONGER {
        let key = ((*file).to_owned(), (*name).to_owned());
        if found.get(&key).is_none_or(|lines| *lines <= LIMIT) {
            complaints.push(format!(
                "{file}: `{name}` is no longer too long: take it out of the list in crates/rim/xtask/src/tidy/long.rs"
            ));
        }
    }
    Ok(complaints)
}

/// Names and lines of the functions in a text that rustfmt laid out: a function ends with a brace as far in as it begins.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let Some(name) = name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let body = lines[first..].iter();
        let end = body.clone().position(|line| {
            let rest = line.strip_prefix(indent);
            rest.is_some_and(|rest| {
                rest.starts_with('}') || rest.starts_with(')') && rest.ends_with(';')
            }) || *line == lines[first] && line.ends_with([';', '}'])
        });
        found.push((name.to_owned(), end.map_or(1, |end| end + 1)));
    }
    found
}

/// The name of the function that begins in a line.
fn name(line: &str) -> Option<&str> {
    const BEFORE: [&str; 6] = ["pub", "const", "async", "unsafe", "extern", "\"C\""];
    let (before, rest) = line.split_once("fn ")?;
    let words = before.split_whitespace();
    let mut others = words.filter(|word| !BEFORE.contains(word) && !word.starts_with("pub("));
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    (others.next().is_none() && end > 0).then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_fn_to_the_last_brace() {
        let text = "\
/// Says fn what.
pub(crate) fn outer(
    number: u32,
) -> u32 {
    fn inner() -> u32 {
        1
    }
    inner() + number
}

trait Named {
    fn name(&self) -> &str;
    fn long(
        &self,
    );
    unsafe extern \"C\" fn none() {}
}
";
        let expected = [
            ("outer", 8),
            ("inner", 3),
            ("name", 1),
            ("long", 3),
            ("none", 1),
        ];
        let expected = expected.map(|(name, lines)| (name.to_owned(), lines));
        assert_eq!(functions(text), expected);
    }
}
