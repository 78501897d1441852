//! Which places a user lets tools insert at.

use crate::{Error, Instruction, Result};
use isa::Effects;
use regex::Regex;
use std::str::FromStr;

/// One condition of `--site`.
#[derive(Clone, Debug)]
enum Condition {
    /// Mnemonic pattern with `*`.
    Opcode(Regex),
    Function(Regex),
    /// End of a path, first and last line.
    Source(String, u32, u32),
    Kind(Effects),
    VectorMemory,
}

/// All conditions must hold; without any, every place is meant.
#[derive(Clone, Debug, Default)]
pub struct SiteFilter {
    conditions: Vec<Condition>,
}

/// Names for `kind=`.
const KINDS: [(&str, Effects); 7] = [
    ("load", Effects::LOAD),
    ("store", Effects::STORE),
    ("atomic", Effects::ATOMIC),
    ("lds", Effects::LDS),
    ("branch", Effects::BRANCH),
    ("matrix", Effects::MATRIX),
    (
        "memory",
        Effects::LOAD.union(Effects::STORE).union(Effects::ATOMIC),
    ),
];

impl SiteFilter {
    pub fn allows(&self, instruction: &Instruction<'_>) -> bool {
        self.conditions.iter().all(|condition| match condition {
            Condition::Opcode(pattern) => pattern.is_match(instruction.mnemonic()),
            Condition::Function(pattern) => pattern.is_match(instruction.function().name()),
            Condition::Source(file, first, last) => {
                instruction.source().is_some_and(|(path, line)| {
                    path.ends_with(file.as_str()) && (*first..=*last).contains(&line)
                })
            }
            Condition::Kind(effects) => instruction.effects().intersects(*effects),
            Condition::VectorMemory => instruction.has_address(),
        })
    }

    /// Adds a condition in the form of `--site`.
    pub fn add(&mut self, text: &str) -> Result<()> {
        self.conditions.push(condition(text)?);
        Ok(())
    }
}

impl FromStr for SiteFilter {
    type Err = Error;

    /// Conditions with `;` between them.
    fn from_str(text: &str) -> Result<SiteFilter> {
        let mut filter = SiteFilter::default();
        for part in text.split(';').filter(|part| !part.trim().is_empty()) {
            filter.add(part.trim())?;
        }
        Ok(filter)
    }
}

fn condition(text: &str) -> Result<Condition> {
    let unknown = || Error::Filter(text.to_owned());
    let (key, value) = text.split_once('=').ok_or_else(unknown)?;
    match key.trim() {
        "opcode" => Ok(Condition::Opcode(pattern(value).ok_or_else(unknown)?)),
        "function" => Ok(Condition::Function(
            Regex::new(value).map_err(|_| unknown())?,
        )),
        "source" => source(value).ok_or_else(unknown),
        "kind" if value == "vector-memory" => Ok(Condition::VectorMemory),
        "kind" => KINDS
            .iter()
            .find(|row| row.0 == value)
            .map(|row| Condition::Kind(row.1))
            .ok_or_else(unknown),
        _ => Err(unknown()),
    }
}

/// `FILE`, `FILE:LINE` or `FILE:FIRST-LAST`.
fn source(text: &str) -> Option<Condition> {
    let Some((file, lines)) = text.rsplit_once(':') else {
        let named = !text.trim().is_empty();
        return named.then(|| Condition::Source(text.to_owned(), 0, u32::MAX));
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let some = !file.trim().is_empty() && first <= last;
    some.then(|| Condition::Source(file.to_owned(), first, last))
}

/// Alternatives with `|`; `*` stands for anything.
pub(crate) fn pattern(text: &str) -> Option<Regex> {
    // What nothing can match is a mistake.
    if text.split('|').any(|part| part.trim().is_empty()) {
        return None;
    }
    let alternatives = text
        .split('|')
        .map(|part| regex::escape(part.trim()).replace("\\*", ".*"));
    let joined = alternatives.collect::<Vec<_>>().join("|");
    Regex::new(&format!("^(?:{joined})$")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_mnemonics() {
        let loads = pattern("global_load*|ds_read_b32").unwrap();
        assert!(loads.is_match("global_load_dwordx2"));
        assert!(loads.is_match("ds_read_b32"));
        assert!(!loads.is_match("ds_read_b32x"));
        assert!(!loads.is_match("xglobal_load"));
    }

    #[test]
    fn sources_have_lines_or_not() {
        let lines = |text| match source(text) {
            Some(Condition::Source(file, first, last)) => Some((file, first, last)),
            _ => None,
        };
        assert_eq!(lines("a.hip:10-40"), Some(("a.hip".into(), 10, 40)));
        assert_eq!(lines("a.hip:7"), Some(("a.hip".into(), 7, 7)));
        assert_eq!(lines("a.hip"), Some(("a.hip".into(), 0, u32::MAX)));
        assert_eq!(lines("a.hip:x"), None);
    }

    #[test]
    fn unknown_conditions_are_named() {
        for text in [
            "opcode",
            "opcode=",
            "opcode=v_add_f32||v_mul_f32",
            "source=",
            "source=a:40-10",
            "colour=red",
            "kind=fast",
            "source=a:1-b",
            "function=(",
        ] {
            assert!(
                matches!(text.parse::<SiteFilter>(), Err(Error::Filter(_))),
                "{text}"
            );
        }
    }
}
