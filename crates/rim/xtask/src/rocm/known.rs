//! Failures and findings that are explained: `known.toml`.

use anyhow::{Context, Result};

/// Tests that fail, and findings of checks, for a reason of their own.
pub struct Known {
    tests: Vec<Row>,
    findings: Vec<Row>,
}

struct Row {
    /// The suite; or the kind of finding, which is the same bug in all suites.
    of: String,
    /// Patterns of tests, or of kernels.
    names: Vec<String>,
    devices: Vec<String>,
    reason: String,
}

impl Known {
    pub fn read() -> Result<Known> {
        let table: toml::Table = include_str!("known.toml").parse()?;
        let rows = |name: &str, of: &str, names: &str| -> Result<Vec<Row>> {
            let rows = table.get(name).and_then(toml::Value::as_array);
            let rows = rows.with_context(|| format!("known.toml has no [[{name}]]"))?;
            rows.iter().map(|row| Row::read(row, of, names)).collect()
        };
        Ok(Known {
            tests: rows("known", "suite", "tests")?,
            findings: rows("finding", "kind", "kernels")?,
        })
    }

    /// Why that test fails on that device.
    pub fn reason(&self, suite: &str, device: &str, test: &str) -> Option<&str> {
        reason(&self.tests, suite, device, test)
    }

    /// Why checks report that kind of finding in that kernel.
    pub fn finding(&self, kind: &str, device: &str, kernel: &str) -> Option<&str> {
        reason(&self.findings, kind, device, kernel)
    }
}

fn reason<'k>(rows: &'k [Row], of: &str, device: &str, name: &str) -> Option<&'k str> {
    let row = rows.iter().find(|row| {
        row.of == of
            && row.names.iter().any(|pattern| matches(pattern, name))
            && (row.devices.is_empty() || row.devices.iter().any(|known| known == device))
    })?;
    Some(&row.reason)
}

impl Row {
    fn read(value: &toml::Value, of: &str, names: &str) -> Result<Row> {
        let text = |key: &str| {
            let text = value.get(key).and_then(toml::Value::as_str);
            text.map(str::to_owned)
                .with_context(|| format!("{value} lacks {key}"))
        };
        let list = |key: &str| -> Option<Vec<String>> {
            let names = value.get(key)?.as_array()?.iter();
            names.map(|name| name.as_str().map(str::to_owned)).collect()
        };
        Ok(Row {
            of: text(of)?,
            names: match list(names) {
                Some(patterns) => patterns,
                None => vec![text(names)?],
            },
            devices: list("devices").unwrap_or_default(),
            reason: text("reason")?,
        })
    }
}

/// Returns `true` if `text` is `pattern`, in which `*` stands for anything.
pub fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => {
            let Some(text) = text.strip_prefix(start) else {
                return false;
            };
            (0..=text.len())
                .filter(|&at| text.is_char_boundary(at))
                .any(|at| matches(rest, &text[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*POTRF*", "checkin/POTRF.batched/3", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abde", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn every_row_has_a_reason() {
        let known = Known::read().unwrap();
        let mut rows = known.tests.iter().chain(&known.findings);
        assert!(rows.all(|row| row.reason.len() > 20));
    }
}
