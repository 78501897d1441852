//! One front end for all levels: what clang's front end writes differs between `-O0` and the other levels, and sources can
//! ask for the level (`__OPTIMIZE__`). Counted builds get the front end of `-O1`; the back end's level stays the user's.

use crate::product::TAKES_VALUE;
use host_count::{Options, Point};
use std::ffi::OsString;

/// Arguments for clang besides the user's.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Front {
    /// Goes before them, so that theirs win.
    pub before: Vec<&'static str>,
    /// Goes behind them.
    pub after: Vec<&'static str>,
    /// A further word of the option line.
    pub option: Option<&'static str>,
}

/// For a command line and its options.
pub fn front(options: &Options, arguments: &[OsString]) -> Front {
    let mut front = Front::default();
    // Counting after the optimiser is about its work: there the level is what is measured.
    if options.point == Point::Last {
        return front;
    }
    match level(arguments).as_deref() {
        None | Some("0") => {
            // clang keeps frame pointers at -O0, for debuggers and profilers.
            front.before.push("-fno-omit-frame-pointer");
            front.after.push("-O1");
            front.option = Some("optimise=off");
        }
        // clang then keeps variables alive for debuggers, by code that counts.
        Some("g") => front.before.push("-fextend-variable-liveness=none"),
        Some("s" | "z") => front.after.push("-U__OPTIMIZE_SIZE__"),
        Some(_) => {}
    }
    front
}

/// The last `-O…`, less these two characters.
fn level(arguments: &[OsString]) -> Option<String> {
    let mut level = None;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if TAKES_VALUE.contains(&text.as_ref()) {
            words.next();
        } else if let Some(found) = text.strip_prefix("-O") {
            level = Some(found.to_owned());
        } else if let Some(found) = text.strip_prefix("--optimize") {
            level = Some(found.trim_start_matches('=').to_owned());
        }
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_line(options: &str, line: &str) -> Front {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        front(&Options::parse(options).unwrap(), &words)
    }

    #[test]
    fn levels_without_optimiser_keep_the_common_front_end() {
        for line in ["a.c", "-O0 a.c", "-O2 -O0 a.c", "-o -O2 a.c"] {
            let front = for_line("", line);
            assert_eq!(
                (&front.after[..], front.option),
                (&["-O1"][..], Some("optimise=off")),
                "{line}"
            );
        }
        for line in ["-O a.c", "-O3 a.c", "-O0 -O1 a.c", "--optimize=2"] {
            assert_eq!(for_line("", line), Front::default(), "{line}");
        }
        assert_eq!(for_line("", "-Oz a.c").after, ["-U__OPTIMIZE_SIZE__"]);
        let front = for_line("", "-O2 -Og a.c");
        assert_eq!(front.before, ["-fextend-variable-liveness=none"]);
        assert_eq!(for_line("point=last", "-O0 a.c"), Front::default());
    }
}
