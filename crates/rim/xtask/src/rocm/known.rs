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
    /// Patterns of instructions, of which each one of a finding fits one. Without any, all fit.
    instructions: Vec<String>,
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
        reason(&self.tests, suite, device, test, &[])
    }

    /// Why checks report that kind of finding in that kernel, at these instructions.
    pub fn finding(
        &self,
        kind: &str,
        device: &str,
        kernel: &str,
        instructions: &[String],
    ) -> Option<&str> {
        reason(&self.findings, kind, device, kernel, instructions)
    }
}

fn reason<'k>(
    rows: &'k [Row],
    of: &str,
    device: &str,
    name: &str,
    instructions: &[String],
) -> Option<&'k str> {
    let row = rows.iter().find(|row| {
        row.of == of
            && row.names.iter().any(|pattern| matches(pattern, name))
            && (row.devices.is_empty() || row.devices.iter().any(|known| known == device))
            && (row.instructions.is_empty() || row.covers(instructions))
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
            instructions: list("instructions").unwrap_or_default(),
            reason: text("reason")?,
        })
    }

    fn covers(&self, instructions: &[String]) -> bool {
        let fits = |text| self.instructions.iter().any(|it| matches(it, text));
        !instructions.is_empty() && instructions.iter().all(|text| fits(text))
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
    fn a_row_with_instructions_explains_no_other_ones() {
        let row = Row {
            of: "global-race".to_owned(),
            names: vec!["*flags*".to_owned()],
            devices: Vec::new(),
            instructions: vec!["*_load_ubyte *".to_owned(), "*_store_byte *".to_owned()],
            reason: "flags".to_owned(),
        };
        let explained = |texts: &[&str]| {
            let texts: Vec<_> = texts.iter().map(|&text| text.to_owned()).collect();
            let rows = std::slice::from_ref(&row);
            reason(rows, "global-race", "gfx90a", "void flags<int>", &texts).is_some()
        };
        let (load, store) = (
            "global_load_ubyte v1, v0, s[2:3]",
            "flat_store_byte v[0:1], v2",
        );
        assert!(explained(&[load, store]) && explained(&[store, store]));
        assert!(!explained(&[load, "global_store_dword v1, v2, s[2:3]"]));
        assert!(!explained(&[]));
    }

    #[test]
    fn every_row_has_a_reason() {
        let known = Known::read().unwrap();
        let mut rows = known.tests.iter().chain(&known.findings);
        assert!(rows.all(|row| row.reason.len() > 20));
    }
}
