//! The user's options, as one line of text: `preset=portable-1,point=start,placement=tree,per=function,budget`.
//!
//! The line travels in an environment variable from the driver to the plugin and stands, in [`Options::contract`], in
//! every object.

use crate::cost::Preset;
use std::fmt;

/// The version of what is done to a module before it is counted: objects of different versions are not linked together.
pub const RULES: u32 = 3;

/// The point in the compiler's pipeline at which instructions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Point {
    /// Before any pass: the number does not depend on the optimisation level of the back end. The contract.
    #[default]
    Start,
    /// After the optimiser: cheaper, measures the optimised work, comparable only between identical tool chains.
    Last,
}

/// How increments are placed. The first three count the same where the first is right; `tree` is the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// A call before every terminator, as in the article that started this. Wrong around longjmp, throw and exit.
    Article,
    /// An addition per segment, a block being cut at each call that may not come back. Obviously right; the reference.
    Segment,
    /// Increments on the chords of a maximum spanning tree.
    #[default]
    Tree,
    /// One addition before each call that may not come back, and nothing else: no count, but what every count must cost that is exact
    /// at such calls. For measurements; objects of this kind link with no others.
    Least,
}

impl Placement {
    /// Calls that surely come back are no observation points.
    pub fn trusts_calls(self) -> bool {
        matches!(self, Placement::Tree | Placement::Least)
    }
}

/// The unit of code for which counts are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Granularity {
    /// One number per thread.
    #[default]
    Thread,
    /// One number per function and thread.
    Function,
    /// How often each stretch of code between two observation points ran, hence numbers per source line.
    Line,
}

/// All choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The cost table.
    pub preset: Preset,
    /// The point in the pipeline.
    pub point: Point,
    /// How increments are placed.
    pub placement: Placement,
    /// The unit of code for which counts are kept.
    pub granularity: Granularity,
    /// Emit budget checks at loop latches and function entries.
    pub budget: bool,
    /// Budget checks may throw: the limit handler is not taken to be `nounwind`.
    pub unwind: bool,
    /// Place increments again after the optimiser.
    pub replace_late: bool,
    /// The counter is defined in the same executable (thread-local "local exec"); otherwise "initial exec".
    pub local_exec: bool,
    /// The program is to be compiled as at -O0, although the front end was told another level (`optimise=off`).
    pub unoptimised: bool,
}

/// A word of the option line that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// The word before `=` is not an option.
    #[error(
        "unknown option `{0}`; known are preset, point, placement, per, budget, unwind, late, tls, optimise"
    )]
    UnknownKey(String),
    /// The value does not belong to the option.
    #[error("`{value}` is no value of `{key}`; use one of {allowed}")]
    UnknownValue {
        /// The option.
        key: &'static str,
        /// The value that was given.
        value: String,
        /// The values that are allowed.
        allowed: &'static str,
    },
    /// Two options that exclude each other.
    #[error("`{0}` and `{1}` cannot be combined: {2}")]
    Conflict(&'static str, &'static str, &'static str),
}

impl Options {
    /// Reads an option line; empty words are skipped, later words win.
    pub fn parse(line: &str) -> Result<Options, OptionsError> {
        let mut options = Options {
            replace_late: true,
            ..Options::default()
        };
        for word in line
            .split([',', ' '])
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            options.set(key, value)?;
        }
        if options.placement == Placement::Article && options.budget {
            return Err(OptionsError::Conflict(
                "placement=article",
                "budget",
                "the article's scheme has no exact point",
            ));
        }
        if options.placement == Placement::Article && options.granularity != Granularity::Thread {
            return Err(OptionsError::Conflict(
                "placement=article",
                "per",
                "it keeps one number",
            ));
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), OptionsError> {
        let wrong = |key, allowed| OptionsError::UnknownValue {
            key,
            value: value.to_owned(),
            allowed,
        };
        match key {
            "preset" => {
                self.preset =
                    Preset::from_name(value).ok_or(wrong("preset", "article, portable-1"))?
            }
            "point" => {
                self.point = match value {
                    "start" => Point::Start,
                    "last" => Point::Last,
                    _ => return Err(wrong("point", "start, last")),
                }
            }
            "placement" => {
                self.placement = match value {
                    "article" => Placement::Article,
                    "segment" => Placement::Segment,
                    "tree" => Placement::Tree,
                    "least" => Placement::Least,
                    _ => return Err(wrong("placement", "article, segment, tree, least")),
                }
            }
            "per" => {
                self.granularity = match value {
                    "thread" => Granularity::Thread,
                    "function" => Granularity::Function,
                    "line" => Granularity::Line,
                    _ => return Err(wrong("per", "thread, function, line")),
                }
            }
            "budget" => self.budget = switch(value).ok_or(wrong("budget", "on, off"))?,
            "unwind" => self.unwind = switch(value).ok_or(wrong("unwind", "on, off"))?,
            "late" => self.replace_late = switch(value).ok_or(wrong("late", "on, off"))?,
            "optimise" => {
                self.unoptimised = !switch(value).ok_or(wrong("optimise", "on, off"))?;
            }
            "tls" => {
                self.local_exec = match value {
                    "local" => true,
                    "initial" => false,
                    _ => return Err(wrong("tls", "local, initial")),
                }
            }
            _ => return Err(OptionsError::UnknownKey(key.to_owned())),
        }
        Ok(())
    }

    /// The contract, which two objects must agree on to be linked together, besides the version of the compiler.
    ///
    /// Placement (but the one that counts nothing), granularity, budget checks and thread-local model are left out: they do not change the
    /// number.
    pub fn contract(&self) -> String {
        let point = match self.point {
            Point::Start => "start",
            Point::Last => "last",
        };
        let counts = match self.placement {
            Placement::Least => ",counts=no",
            _ => "",
        };
        format!(
            "preset={},table={},rules={RULES},point={point}{counts}",
            self.preset.name(),
            self.preset.table_version()
        )
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pick = |on, word: &'static str| if on { word } else { "" };
        write!(
            f,
            "preset={},point={},placement={},per={}{}{}{}{}{}",
            self.preset.name(),
            match self.point {
                Point::Start => "start",
                Point::Last => "last",
            },
            match self.placement {
                Placement::Article => "article",
                Placement::Segment => "segment",
                Placement::Tree => "tree",
                Placement::Least => "least",
            },
            match self.granularity {
                Granularity::Thread => "thread",
                Granularity::Function => "function",
                Granularity::Line => "line",
            },
            pick(self.budget, ",budget"),
            pick(self.unwind, ",unwind"),
            pick(!self.replace_late, ",late=off"),
            pick(self.local_exec, ",tls=local"),
            pick(self.unoptimised, ",optimise=off"),
        )
    }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "" | "on" | "1" => Some(true),
        "off" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_the_same_line() {
        let line = "preset=portable-1,point=last,placement=segment,per=function,budget,unwind,late=off,tls=local,optimise=off";
        assert_eq!(Options::parse(line).unwrap().to_string(), line);
        assert_eq!(
            Options::parse("").unwrap().to_string(),
            "preset=article,point=start,placement=tree,per=thread"
        );
    }

    #[test]
    fn names_what_is_wrong() {
        assert_eq!(
            Options::parse("prest=article"),
            Err(OptionsError::UnknownKey("prest".into()))
        );
        let message = Options::parse("per=block").unwrap_err().to_string();
        assert_eq!(
            message,
            "`block` is no value of `per`; use one of thread, function, line"
        );
        assert!(matches!(
            Options::parse("placement=article,budget"),
            Err(OptionsError::Conflict(..))
        ));
    }

    #[test]
    fn contract_names_only_what_changes_the_number() {
        let contract = |line: &str| Options::parse(line).unwrap().contract();
        assert_eq!(
            contract("placement=segment,budget"),
            contract("per=function")
        );
        assert_ne!(contract("preset=portable-1"), contract(""));
        assert_ne!(contract("point=last"), contract(""));
        assert_ne!(contract("placement=least"), contract(""));
    }
}
