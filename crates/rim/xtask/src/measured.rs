//! Tables of the documentation that commands write: a row for each subject and its devices, with the date of its last run.

use std::{fs, process::Command};

use anyhow::{Context, Result};

use crate::{command::said, root};

/// A table of a page. Its first two columns are a subject and devices, its last one the date.
pub struct Table {
    pub page: &'static str,
    pub head: &'static str,
}

/// Results of stacks and suites.
const STACKS: Table = Table {
    page: "docs/measurements/stacks.md",
    head: "| stack or suite | devices | versions | right | wrong | left out | not run | why | date |\n\
     |---|---|---|---|---|---|---|---|---|\n",
};

/// The result of a stack or a suite.
pub struct Row {
    pub name: String,
    pub devices: String,
    pub versions: String,
    /// Right, wrong, left out, and not run.
    pub counts: [usize; 4],
    pub why: String,
}

/// Puts a row into the page of stacks, instead of that of its last run.
pub fn note(row: &Row) -> Result<()> {
    let mut cells = vec![row.versions.clone()];
    cells.extend(row.counts.map(|count| count.to_string()));
    cells.push(row.why.clone());
    STACKS.note(&row.name, &row.devices, &cells)
}

impl Table {
    /// Puts a row into the page, instead of that of its last run.
    pub fn note(&self, name: &str, devices: &str, cells: &[String]) -> Result<()> {
        let Table { page: path, head } = self;
        let file = root().join(path);
        let page = fs::read_to_string(&file).with_context(|| format!("cannot read {path}"))?;
        let date = said(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
        let page = with(&page, head, [name, devices], cells, &date);
        let page = page.with_context(|| format!("{path} has no table that begins with {head}"))?;
        fs::write(&file, page).with_context(|| format!("cannot write {path}"))
    }
}

fn with(
    page: &str,
    head: &str,
    [name, devices]: [&str; 2],
    cells: &[String],
    date: &str,
) -> Option<String> {
    let (before, rows) = page.split_once(head)?;
    let of_table = rows
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('|'));
    let (rows, behind) = rows.split_at(of_table.map(str::len).sum());
    let key = format!("| {name} | {devices} |");
    let mut rows: Vec<String> = rows
        .lines()
        .filter(|line| !line.starts_with(&key))
        .map(str::to_owned)
        .collect();
    let cell = |text: &String| text.replace('|', "\\|").replace('\n', " ");
    let cells = cells.iter().map(cell).collect::<Vec<_>>().join(" | ");
    rows.push(format!("{key} {cells} | {date} |"));
    rows.sort();
    Some(format!("{before}{head}{}\n{behind}", rows.join("\n")))
}

#[test]
fn a_run_replaces_the_row_of_the_last_one() {
    let head = "| suite | devices | versions | right | why | date |\n|---|---|---|---|---|---|\n";
    let noted = |page: &str, name: &str, right: usize, date: &str| {
        let cells = ["b 1".to_owned(), right.to_string(), "one | two".to_owned()];
        with(page, head, [name, "gfx90a"], &cells, date)
    };
    let page = format!("# Stacks\n\n{head}\n## Others\n");
    let page = noted(&page, "b", 1, "2026-11-25").unwrap();
    let page = noted(&page, "a", 2, "2026-11-25").unwrap();
    let page = noted(&page, "b", 3, "2026-11-26").unwrap();
    let rows = "| a | gfx90a | b 1 | 2 | one \\| two | 2026-11-25 |\n\
        | b | gfx90a | b 1 | 3 | one \\| two | 2026-11-26 |\n";
    assert_eq!(page, format!("# Stacks\n\n{head}{rows}\n## Others\n"));
    assert!(noted("no table", "a", 1, "").is_none());
}

/// Rows of a page whose table has another head are never written.
#[test]
fn pages_have_the_tables_that_commands_write() {
    for table in [&STACKS, &crate::rocm::CHECKED] {
        let page = fs::read_to_string(root().join(table.page)).unwrap();
        assert!(page.contains(table.head), "{}", table.page);
    }
}
