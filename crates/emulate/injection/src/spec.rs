//! The values that an injection changes, as users name them: `bit:vgpr,class=valu,op=^v_fma`.

use std::{fmt, str::FromStr};

use compute::Class;
use isa::Inst;
use regex::Regex;

/// How a value is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// One bit is flipped.
    Bit,
    /// Two bits side by side are flipped.
    TwoBits,
    /// A word gets a random value.
    Random,
    /// A word becomes zero.
    Zero,
}

const MODELS: &[(&str, Model)] = &[
    ("bit", Model::Bit),
    ("two-bits", Model::TwoBits),
    ("random", Model::Random),
    ("zero", Model::Zero),
];

/// The value that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Any result of an instruction: the next three.
    Result,
    /// A vector register that an instruction has written.
    Vgpr,
    /// A scalar register that an instruction has written, unless it is a mask.
    Sgpr,
    /// A mask of lanes or a condition that an instruction has written: VCC, EXEC, the result of a comparison, SCC.
    Mask,
    /// A register that a store or atomic is about to write to memory.
    StoreData,
    /// A register that forms the address of an access that is about to happen.
    Address,
    /// The LDS of the workgroup, before an instruction.
    Lds,
}

const PLACES: &[(&str, Place)] = &[
    ("result", Place::Result),
    ("vgpr", Place::Vgpr),
    ("sgpr", Place::Sgpr),
    ("mask", Place::Mask),
    ("store-data", Place::StoreData),
    ("address", Place::Address),
    ("lds", Place::Lds),
];

/// Instructions that a campaign looks at, and what happens to them.
#[derive(Clone, Debug)]
pub struct Spec {
    pub model: Model,
    pub place: Place,
    /// One of the table; None: all.
    class: Option<&'static str>,
    /// Mnemonics; None: all.
    op: Option<Regex>,
}

/// Why something is no spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSpec {
    #[error("there is no {what} {word:?}; there are {known}")]
    Unknown {
        what: &'static str,
        word: String,
        known: String,
    },
    #[error("{0:?} is neither class=CLASS nor op=REGEX")]
    Part(String),
    #[error("{0} is said twice")]
    Twice(&'static str),
    #[error("op={0}: {1}")]
    Regex(String, String),
}

fn find<T: Copy>(
    table: &[(&'static str, T)],
    what: &'static str,
    word: &str,
) -> Result<T, BadSpec> {
    let found = table.iter().find(|(name, _)| *name == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        BadSpec::Unknown {
            what,
            word: word.to_owned(),
            known: known.join(", "),
        }
    })
}

fn name_of<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    let found = table.iter().find(|(_, one)| *one == value);
    found.map_or("", |(name, _)| name)
}

impl FromStr for Spec {
    type Err = BadSpec;

    fn from_str(text: &str) -> Result<Spec, BadSpec> {
        // An expression may have commas of its own, so it is the last part.
        let (text, op) = match text.split_once(",op=") {
            Some((before, op)) => (before, Some(op)),
            None => (text, None),
        };
        let mut parts = text.split(',');
        let first = parts.next().unwrap_or_default();
        let (model, place) = first.split_once(':').unwrap_or((first, "result"));
        let mut spec = Spec {
            model: find(MODELS, "model", model)?,
            place: find(PLACES, "place", place)?,
            class: None,
            op: None,
        };
        for part in parts {
            let class = part.strip_prefix("class=");
            let class = class.ok_or_else(|| BadSpec::Part(part.to_owned()))?;
            if spec.class.is_some() {
                return Err(BadSpec::Twice("class"));
            }
            let words: Vec<_> = Class::words().iter().map(|word| (*word, *word)).collect();
            spec.class = Some(find(&words, "class", class)?);
        }
        if let Some(op) = op {
            let compiled = Regex::new(op);
            let why = |error: regex::Error| {
                // (The lines above the last one draw the place.)
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                BadSpec::Regex(op.to_owned(), last.trim_start_matches("error: ").to_owned())
            };
            spec.op = Some(compiled.map_err(why)?);
        }
        Ok(spec)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (model, place) = (name_of(MODELS, self.model), name_of(PLACES, self.place));
        write!(formatter, "{model}:{place}")?;
        if let Some(class) = self.class {
            write!(formatter, ",class={class}")?;
        }
        if let Some(op) = &self.op {
            write!(formatter, ",op={op}")?;
        }
        Ok(())
    }
}

impl Spec {
    /// Returns `true` if instructions like this one are looked at.
    pub fn selects(&self, inst: &Inst) -> bool {
        let of_class = self
            .class
            .is_none_or(|class| class == Class::of(inst.effects).word);
        let named = self.op.as_ref();
        of_class && named.is_none_or(|op| op.is_match(inst.op.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_printed_as_it_was_said() {
        for text in [
            "bit:result",
            "two-bits:vgpr,class=valu",
            "random:sgpr,op=^s_load",
            "zero:store-data,class=vmem,op=store_(byte|dword){1,2}",
        ] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
        assert_eq!("bit".parse::<Spec>().unwrap().to_string(), "bit:result");
    }

    #[test]
    fn mistakes_are_named_with_what_there_is() {
        for (text, said) in [
            (
                "flip",
                "there is no model \"flip\"; there are bit, two-bits, random, zero",
            ),
            (
                "bit:vgprs",
                "there is no place \"vgprs\"; there are result, vgpr, sgpr, mask, store-data, address, lds",
            ),
            (
                "bit,class=fp",
                "there is no class \"fp\"; there are matrix, transcendental, atomic, vmem, lds, scratch, smem, branch, valu, salu, other",
            ),
            ("bit,valu", "\"valu\" is neither class=CLASS nor op=REGEX"),
            ("bit,class=valu,class=salu", "class is said twice"),
            (
                "",
                "there is no model \"\"; there are bit, two-bits, random, zero",
            ),
        ] {
            assert_eq!(text.parse::<Spec>().unwrap_err().to_string(), said);
        }
        let error = "bit,op=(".parse::<Spec>().unwrap_err().to_string();
        assert!(error.starts_with("op=(: "), "{error}");
    }
}
