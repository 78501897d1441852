//! The places at which a user lets tools insert.

use crate::{Error, Instruction, Kernel, Result, executions::Executions};
use isa::Effects;
use regex::Regex;
use std::{collections::BTreeSet, str::FromStr};

/// One condition of `--site`.
#[derive(Clone, Debug)]
enum Condition {
    /// Mnemonic pattern with `*`, also as it was written.
    Opcode(Regex, String),
    Function(Regex),
    /// End of a path, first and last line.
    Source(String, u32, u32),
    /// Alternatives of classes that hold together.
    Kind(Vec<Vec<Class>>),
}

/// A class that an instruction is to have or not to have.
#[derive(Clone, Debug)]
struct Class {
    wanted: bool,
    what: Predicate,
}

#[derive(Clone, Debug)]
enum Predicate {
    /// Any of these.
    Effects(Effects),
    /// Memory by addresses that hooks can have.
    VectorMemory,
    /// A mnemonic that names this type: `f32` in `v_fma_f32`.
    Type(String),
}

/// All conditions must hold; without any, every place is meant. `workgroup=`, `first=` and `sample=` choose some executions of the
/// places.
///
/// ```
/// use luthier::SiteFilter;
///
/// let mut filter = SiteFilter::default();
/// assert!(filter.is_empty());
/// filter.add("kind=load&f32|store&!lds")?;
/// assert!(!filter.is_empty());
/// assert!(filter.add("colour=red").is_err());
/// # Ok::<(), luthier::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SiteFilter {
    conditions: Vec<Condition>,
    executions: Executions,
}

/// Names for `kind=`.
const KINDS: &[(&str, Effects)] = &[
    ("load", Effects::LOAD),
    ("store", Effects::STORE),
    ("atomic", Effects::ATOMIC),
    (
        "memory",
        Effects::LOAD.union(Effects::STORE).union(Effects::ATOMIC),
    ),
    ("lds", Effects::LDS),
    ("flat", Effects::FLAT),
    ("scratch", Effects::SCRATCH),
    ("smem", Effects::SMEM),
    ("vmem", Effects::VMEM),
    ("valu", Effects::VALU),
    ("salu", Effects::SALU),
    ("matrix", Effects::MATRIX),
    ("transcendental", Effects::TRANSCENDENTAL),
    ("branch", Effects::BRANCH),
    ("conditional", Effects::CONDITIONAL),
    ("call", Effects::CALL),
    ("return", Effects::RETURN),
    ("end", Effects::END),
    ("barrier", Effects::BARRIER),
    ("wait", Effects::WAIT),
    ("message", Effects::SENDMSG),
    ("trap", Effects::TRAP),
    ("indirect", Effects::INDIRECT),
    ("atomic-return", Effects::ATOMIC_RETURN),
];
/// A class of its own.
const VECTOR_MEMORY: &str = "vector-memory";
/// Types that mnemonics name.
const TYPES: &[&str] = &[
    "f64", "f32", "f16", "bf16", "fp8", "bf8", "i64", "i32", "i24", "i16", "i8", "u64", "u32",
    "u24", "u16", "u8", "b128", "b96", "b64", "b32", "b16", "b8",
];

fn classes() -> Vec<&'static str> {
    let names = KINDS.iter().map(|row| row.0);
    let names = names.chain([VECTOR_MEMORY]).chain(TYPES.iter().copied());
    names.collect()
}

/// All that `kind=` takes.
pub(crate) fn class_names() -> String {
    classes().join(", ")
}

/// A suggestion, in brackets, for a class that does not exist.
pub(crate) fn class_hint(name: &str) -> String {
    match name {
        _ if name.contains('=') => {
            " (a condition has one `=`; give --site several times for several conditions, or put `;` between them)".to_owned()
        }
        "global" | "buffer" => {
            " (its instructions are opcode=global_* or opcode=buffer_*)".to_owned()
        }
        _ => suggestion(name, &classes()),
    }
}

/// A suggestion, in brackets, for a condition whose word before the `=` does not exist.
pub(crate) fn condition_hint(condition: &str) -> String {
    const KEYS: [&str; 7] = [
        "opcode",
        "function",
        "source",
        "kind",
        "workgroup",
        "first",
        "sample",
    ];
    match condition.split_once('=') {
        Some((key, _)) if !KEYS.contains(&key.trim()) => suggestion(key.trim(), &KEYS),
        _ => String::new(),
    }
}

/// The word that may have been meant, in brackets.
fn suggestion(given: &str, known: &[&str]) -> String {
    // Two letters that changed places count as two differences.
    let most = if given.len() < 5 { 1 } else { 2 };
    let words = known.iter().map(|word| (distance(given, word), *word));
    let near = words.filter(|(distance, _)| *distance <= most).min();
    near.map(|(_, word)| word)
        .map_or(String::new(), |word| format!(" (did you mean {word}?)"))
}

impl Class {
    fn parse(text: &str) -> Result<Class> {
        let text = text.trim();
        let (wanted, name) = match text.strip_prefix('!') {
            Some(name) => (false, name.trim()),
            None => (true, text),
        };
        let effects = KINDS.iter().find(|row| row.0 == name);
        let what = match effects {
            Some((_, effects)) => Predicate::Effects(*effects),
            None if name == VECTOR_MEMORY => Predicate::VectorMemory,
            None if TYPES.contains(&name) => Predicate::Type(name.to_owned()),
            None => return Err(Error::Class(name.to_owned())),
        };
        Ok(Class { wanted, what })
    }

    fn holds(&self, instruction: &Instruction<'_>) -> bool {
        let has = match &self.what {
            Predicate::Effects(effects) => instruction.classes().intersects(*effects),
            Predicate::VectorMemory => instruction.has_address(),
            Predicate::Type(name) => names_type(instruction.mnemonic(), name),
        };
        has == self.wanted
    }
}

fn names_type(mnemonic: &str, name: &str) -> bool {
    mnemonic.split('_').any(|part| part == name)
}

impl SiteFilter {
    /// Returns `true` if it allows all places.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Returns `true` if the user chose the instruction.
    pub fn allows(&self, instruction: &Instruction<'_>) -> bool {
        self.conditions.iter().all(|condition| match condition {
            Condition::Opcode(pattern, _) => pattern.is_match(instruction.mnemonic()),
            Condition::Function(pattern) => pattern.is_match(instruction.function().name()),
            Condition::Source(file, first, last) => {
                instruction.source().is_some_and(|(path, line)| {
                    path.ends_with(file.as_str()) && (*first..=*last).contains(&line)
                })
            }
            Condition::Kind(alternatives) => alternatives
                .iter()
                .any(|classes| classes.iter().all(|class| class.holds(instruction))),
        })
    }

    /// Names of instructions in the kernel that are like those that the filter names, the most alike first.
    pub(crate) fn near(&self, kernel: &Kernel<'_>) -> Vec<String> {
        let names: BTreeSet<&str> = kernel.instructions().map(|at| at.mnemonic()).collect();
        let patterns = self
            .conditions
            .iter()
            .filter_map(|condition| match condition {
                Condition::Opcode(_, written) => Some(written.split('|').map(str::trim)),
                _ => None,
            });
        let mut near: Vec<(usize, &str)> = Vec::new();
        for pattern in patterns.flatten() {
            let stem = without_encoding(pattern.trim_matches('*'));
            let alike = names
                .iter()
                .filter_map(|name| Some((likeness(stem, name)?, *name)));
            near.extend(alike);
        }
        near.sort_unstable();
        near.dedup_by_key(|(_, name)| *name);
        near.into_iter()
            .take(NEAR_NAMES)
            .map(|(_, name)| name.to_owned())
            .collect()
    }

    /// The executions of the places that tools see.
    pub(crate) fn executions(&self) -> &Executions {
        &self.executions
    }

    /// Adds a condition in the form of `--site`.
    pub fn add(&mut self, text: &str) -> Result<()> {
        if let Some(added) = self.executions.add(text) {
            return added;
        }
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
        "opcode" => Ok(Condition::Opcode(
            pattern(value).ok_or_else(unknown)?,
            value.to_owned(),
        )),
        "function" => Ok(Condition::Function(
            Regex::new(value).map_err(|_| unknown())?,
        )),
        "source" => source(value).ok_or_else(unknown),
        "kind" => {
            let alternatives = value.split('|').map(|alternative| {
                let classes = alternative.split('&').map(Class::parse);
                classes.collect::<Result<Vec<_>>>()
            });
            Ok(Condition::Kind(alternatives.collect::<Result<_>>()?))
        }
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

/// A mnemonic as LLVM writes it with its encoding, without that: instructions are named without.
fn without_encoding(written: &str) -> &str {
    const ENCODINGS: [&str; 5] = ["_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"];
    let stem = ENCODINGS.iter().find_map(|end| written.strip_suffix(end));
    stem.unwrap_or(written)
}

/// Names that are offered for one that is none.
const NEAR_NAMES: usize = 3;

/// How many letters have to change to make `name` of `written`; `None` if that is another word. An instruction's name on another
/// family is the same word.
pub(crate) fn likeness(written: &str, name: &str) -> Option<usize> {
    if isa::first_name(written) == isa::first_name(name) {
        return Some(0);
    }
    let distance = distance(written, name);
    (distance <= written.len() / 4).then_some(distance)
}

/// How many letters differ.
fn distance(written: &str, name: &str) -> usize {
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (index, letter) in written.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in name.bytes().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[name.len()]
}

/// Alternatives with `|`; `*` stands for anything.
pub(crate) fn pattern(text: &str) -> Option<Regex> {
    // A pattern that cannot match anything is a mistake.
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
    fn encodings_are_no_part_of_names() {
        for written in ["v_add_f32_e32", "v_add_f32_e64_dpp", "v_add_f32_sdwa"] {
            assert_eq!(without_encoding(written), "v_add_f32");
        }
        assert_eq!(without_encoding("v_add_f32"), "v_add_f32");
    }

    #[test]
    fn likenesses_of_names() {
        assert_eq!(likeness("ds_read_b32", "ds_load_b32"), Some(0));
        assert_eq!(likeness("v_fma_f23", "v_fma_f32"), Some(2));
        assert_eq!(likeness("global_store_dwrd", "global_store_dword"), Some(1));
        assert_eq!(likeness("v_frobnicate_f32", "s_endpgm"), None);
    }

    #[test]
    fn classes_are_put_together() {
        for text in [
            "load",
            "!load",
            "valu & f32",
            "load|store",
            "valu&!transcendental|salu",
            "vector-memory&!lds",
        ] {
            assert!(
                format!("kind={text}").parse::<SiteFilter>().is_ok(),
                "{text}"
            );
        }
        for text in ["", "!", "load&", "load||store", "f31"] {
            assert!(
                format!("kind={text}").parse::<SiteFilter>().is_err(),
                "{text}"
            );
        }
        assert!(names_type("v_fma_f32", "f32") && names_type("v_cvt_f32_u32", "u32"));
        assert!(!names_type("v_fma_f32", "f16") && !names_type("v_mad_u64_u32x", "u32"));
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
            "source=a:1-b",
            "function=(",
        ] {
            assert!(
                matches!(text.parse::<SiteFilter>(), Err(Error::Filter(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn misspelt_conditions_are_named() {
        for (text, hint) in [
            (
                "kin=store",
                "`kin=store` (did you mean kind?) is no condition",
            ),
            ("opcdoe=v_add_u32", " (did you mean opcode?) is no"),
            ("fist=3", " (did you mean first?) is no"),
            ("colour=red", "`colour=red` is no condition"),
            ("source=a:1-b", "`source=a:1-b` is no condition"),
        ] {
            let said = text.parse::<SiteFilter>().unwrap_err().to_string();
            assert!(said.contains(hint), "{said}");
        }
    }

    #[test]
    fn classes_that_do_not_exist_are_named() {
        for (text, class, hint) in [
            ("kind=fast", "fast", "kind= takes load, store"),
            ("kind=store&global", "global", "opcode=global_*"),
            ("kind=load|!slow", "slow", "kind= takes"),
            ("kind=store&kind=load", "kind=load", "--site several times"),
            ("kind=", "", "kind= takes"),
            ("kind=stroe", "stroe", "(did you mean store?); kind= takes"),
            ("kind=load|brier", "brier", "(did you mean barrier?)"),
        ] {
            let said = text.parse::<SiteFilter>().unwrap_err().to_string();
            assert!(
                said.starts_with(&format!("`{class}` is no class")) && said.contains(hint),
                "{said}"
            );
        }
    }
}
