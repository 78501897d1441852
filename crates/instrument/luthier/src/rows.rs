//! Prints the most important of many rows, and says how to see the others.

use crate::Results;
use std::collections::BTreeSet;

/// Rows of a report, of all kernels together.
const ROWS: usize = 20;

/// A heading with its rows, each with how important it is, in the order in which they are printed.
#[derive(Debug, Default)]
pub struct Section {
    /// Nothing is printed for an empty one.
    pub head: String,
    /// The weight of each row, and its text.
    pub rows: Vec<(f64, String)>,
}

impl Section {
    /// Rows in the order of their weight, heaviest first.
    pub fn sorted(head: String, mut rows: Vec<(f64, String)>) -> Section {
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        Section { head, rows }
    }
}

/// The heaviest rows below their headings, and how many there are besides. `tool`: whose file has all of them.
pub fn most_important(sections: &[Section], results: &Results<'_>, tool: &str) -> String {
    let all = results.file(&format!("{tool}.json"));
    let all = all.map(|path| path.display().to_string());
    text(sections, all.as_deref())
}

/// `all`: the file with all rows, if there is one.
fn text(sections: &[Section], all: Option<&str>) -> String {
    let places = sections.iter().enumerate();
    let mut places: Vec<(f64, usize, usize)> = places
        .flat_map(|(section, of)| {
            let rows = of.rows.iter().enumerate();
            rows.map(move |(row, (weight, _))| (*weight, section, row))
        })
        .collect();
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    let left_out = places.len().saturating_sub(ROWS);
    places.truncate(ROWS);
    // In the order of the rows.
    let mut shown = vec![BTreeSet::new(); sections.len()];
    for (_, section, row) in places {
        shown[section].insert(row);
    }
    let mut text = String::new();
    for (section, shown) in sections.iter().zip(&shown) {
        if shown.is_empty() && !section.rows.is_empty() {
            continue;
        }
        let rows = shown.iter().map(|row| &section.rows[*row].1);
        let head = std::iter::once(&section.head).filter(|head| !head.is_empty());
        for line in head.chain(rows) {
            text.push_str(line);
            text.push('\n');
        }
    }
    if let more @ 1.. = left_out {
        let rows = if more == 1 { "row" } else { "rows" };
        text.push_str(&match all {
            Some(file) => format!("... and {more} more {rows}: {file} has all of them\n"),
            None => format!("... and {more} more {rows}: --output DIR writes all of them to DIR\n"),
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str, weights: std::ops::Range<u32>) -> Section {
        let rows = weights.map(|weight| (f64::from(weight), format!("{name}{weight}")));
        Section::sorted(name.to_owned(), rows.collect())
    }

    #[test]
    fn few_rows_are_all_there() {
        let said = text(
            &[section("a", 0..12), section("b", 0..8), section("c", 0..0)],
            None,
        );
        assert_eq!(said.lines().count(), 23);
        assert!(
            said.starts_with("a\na11\na10\n") && said.ends_with("b0\nc\n"),
            "{said}"
        );
    }

    #[test]
    fn the_heaviest_of_many_rows_stay() {
        let sections = [
            section("a", 0..5),
            section("b", 50..100),
            section("c", 85..95),
        ];
        let said = text(&sections, None);
        let lines: Vec<&str> = said.lines().collect();
        // 99 to 85 of one kernel, and 94 to 90 of the other.
        assert_eq!(lines.len(), 20 + 2 + 1, "{said}");
        assert_eq!((lines[0], lines[1]), ("b", "b99"));
        assert!(!said.contains("a4") && lines.contains(&"c94"), "{said}");
        assert_eq!(
            lines[22],
            "... and 45 more rows: --output DIR writes all of them to DIR"
        );
        let said = text(&[section("a", 0..21)], Some("out/x.7.json"));
        assert!(
            said.ends_with("a1\n... and 1 more row: out/x.7.json has all of them\n"),
            "{said}"
        );
    }
}
