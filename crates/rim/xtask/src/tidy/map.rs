//! ARCHITECTURE.md is a map of all crates that one can read at once; decisions are pages of one form.

use std::{fs, path::Path};

use anyhow::{Context, Result};

/// Lines of ARCHITECTURE.md.
const MAP_LINES: usize = 150;
/// Words in its glossary.
const GLOSSARY_WORDS: usize = 25;
/// The parts of a page under `docs/decisions`, in this order, and whether every page must have them.
const PARTS: [(&str, bool); 5] = [
    ("Context", true),
    ("Options", false),
    ("Decision", true),
    ("Consequence", true),
    ("Figures", false),
];

/// Complaints about the map and the decisions.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let map = fs::read_to_string(root.join("ARCHITECTURE.md")).context("no ARCHITECTURE.md")?;
    let mut complaints = check_map(&map, &super::crates(root)?);
    let decisions = root.join("docs/decisions");
    let index = fs::read_to_string(decisions.join("README.md")).context("no index of decisions")?;
    for name in super::names(&decisions)? {
        if name == "README.md" {
            continue;
        }
        let text = fs::read_to_string(decisions.join(&name))?;
        if !index.contains(&format!("({name})")) {
            complaints.push(format!("docs/decisions/README.md does not list {name}"));
        }
        let parts: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        let expected = PARTS
            .iter()
            .filter(|(part, must)| *must || parts.contains(part));
        if !expected.map(|(part, _)| part).eq(&parts) {
            complaints.push(format!(
                "docs/decisions/{name}: its parts are {parts:?}; they have to be, in this order (true: always), {PARTS:?}"
            ));
        }
        if !text.lines().any(|line| line.starts_with("Status: ")) {
            complaints.push(format!(
                "docs/decisions/{name} has no line that begins with `Status: `"
            ));
        }
    }
    Ok(complaints)
}

fn check_map(map: &str, crates: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    let lines = map.lines().count();
    if lines > MAP_LINES {
        complaints.push(format!(
            "ARCHITECTURE.md has {lines} lines, more than {MAP_LINES}: decisions belong to docs/decisions"
        ));
    }
    let (table, glossary) = map.split_once("## Glossary").unwrap_or((map, ""));
    for place in crates {
        let name = place.rsplit('/').next().unwrap_or_default();
        let listed = table
            .lines()
            .any(|line| line.starts_with("| `") && line.contains(&format!("`{name}`")));
        if !listed {
            complaints.push(format!("ARCHITECTURE.md has no line for {place}"));
        }
    }
    // The first two rows are the table's head.
    let words = glossary
        .lines()
        .filter(|line| line.starts_with("| "))
        .count();
    if words == 0 || words - 1 > GLOSSARY_WORDS {
        complaints.push(format!(
            "the glossary has {words} rows instead of 1 to {GLOSSARY_WORDS}"
        ));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::check_map;

    #[test]
    fn a_crate_without_a_line_and_a_long_map_are_complaints() {
        let map = "| crate | what |\n| `gfx` | facts |\n## Glossary\n| word | meaning |\n| lane | place |\n";
        assert!(check_map(map, &["crates/ground/gfx".into()]).is_empty());
        assert_eq!(
            check_map(
                map,
                &["crates/ground/gfx".into(), "crates/ground/isa".into()]
            )
            .len(),
            1
        );
        let long = format!("{}{map}", "\n".repeat(150));
        assert_eq!(check_map(&long, &["crates/ground/gfx".into()]).len(), 1);
        let wordy = format!("{map}{}", "| word | meaning |\n".repeat(25));
        assert_eq!(check_map(&wordy, &["crates/ground/gfx".into()]).len(), 1);
    }
}
