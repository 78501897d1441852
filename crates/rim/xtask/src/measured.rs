//! `docs/measurements/stacks.md`: a row for each stack or suite and its devices, with the date of its last run.

use std::{fs, process::Command};

use anyhow::{Context, Result};

use crate::{command::said, root};

/// The result of a stack or a suite.
pub struct Row {
    pub name: String,
    pub devices: String,
    pub versions: String,
    /// Right, wrong, left out, and not run.
    pub counts: [usize; 4],
    pub why: String,
}

const PAGE: &str = "docs/measurements/stacks.md";
const HEAD: &str = "| stack or suite | devices | versions | right | wrong | left out | not run | why | date |\n\
     |---|---|---|---|---|---|---|---|---|\n";

/// Puts a row into the page, instead of that of its last run.
pub fn note(row: &Row) -> Result<()> {
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    let date = said(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    let page = with(&page, row, &date).with_context(|| format!("{PAGE} has no table"))?;
    fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"))
}

fn with(page: &str, row: &Row, date: &str) -> Option<String> {
    let (before, rows) = page.split_once(HEAD)?;
    let of_table = rows
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('|'));
    let (rows, behind) = rows.split_at(of_table.map(str::len).sum());
    let key = format!("| {} | {} |", row.name, row.devices);
    let mut rows: Vec<String> = rows
        .lines()
        .filter(|line| !line.starts_with(&key))
        .map(str::to_owned)
        .collect();
    let counts = row.counts.map(|count| count.to_string()).join(" | ");
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    rows.push(format!(
        "{key} {} | {counts} | {} | {date} |",
        cell(&row.versions),
        cell(&row.why)
    ));
    rows.sort();
    Some(format!("{before}{HEAD}{}\n{behind}", rows.join("\n")))
}

#[test]
fn a_run_replaces_the_row_of_the_last_one() {
    let row = |name: &str, right| Row {
        name: name.to_owned(),
        devices: "gfx90a".to_owned(),
        versions: "b 1".to_owned(),
        counts: [right, 0, 0, 0],
        why: "one | two".to_owned(),
    };
    let page = format!("# Stacks\n\n{HEAD}\n## Others\n");
    let page = with(&page, &row("b", 1), "2026-11-25").unwrap();
    let page = with(&page, &row("a", 2), "2026-11-25").unwrap();
    let page = with(&page, &row("b", 3), "2026-11-26").unwrap();
    let rows = "| a | gfx90a | b 1 | 2 | 0 | 0 | 0 | one \\| two | 2026-11-25 |\n\
        | b | gfx90a | b 1 | 3 | 0 | 0 | 0 | one \\| two | 2026-11-26 |\n";
    assert_eq!(page, format!("# Stacks\n\n{HEAD}{rows}\n## Others\n"));
    assert!(with("no table", &row("a", 1), "").is_none());
}
