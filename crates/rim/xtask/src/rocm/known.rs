//! Failures that are explained: `known.toml`.

use anyhow::{Context, Result};

/// Tests that fail for a reason of their own.
pub struct Known(Vec<Row>);

struct Row {
    suite: String,
    /// Patterns.
    tests: Vec<String>,
    devices: Vec<String>,
    reason: String,
}

impl Known {
    pub fn read() -> Result<Known> {
        let table: toml::Table = include_str!("known.toml").parse()?;
        let rows = table
            .get("known")
            .and_then(toml::Value::as_array)
            .context("known.toml has no [[known]]")?;
        rows.iter().map(Row::read).collect::<Result<_>>().map(Known)
    }

    /// Why that test fails on that device.
    pub fn reason(&self, suite: &str, device: &str, test: &str) -> Option<&str> {
        let row = self.0.iter().find(|row| {
            row.suite == suite
                && row.tests.iter().any(|pattern| matches(pattern, test))
                && (row.devices.is_empty() || row.devices.iter().any(|known| known == device))
        })?;
        Some(&row.reason)
    }
}

impl Row {
    fn read(value: &toml::Value) -> Result<Row> {
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
            suite: text("suite")?,
            tests: match list("tests") {
                Some(patterns) => patterns,
                None => vec![text("tests")?],
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
        assert!(known.0.iter().all(|row| row.reason.len() > 20));
    }
}
