//! `lint`: code whose count can differ between runs, builds or machines although the input is the same.
//!
//! The plugin names what the front end's IR shows; the table here says what it means. Uninitialised memory is clang's
//! own trade: its warnings are switched on and passed through.

use crate::error::Error;
use crate::explain::{Fact, describe, facts};
use crate::{ExplainArguments, Format};
use command::Status;
use serde::Serialize;
use std::process::ExitCode;

/// How the name of a called function is matched.
#[derive(Clone, Copy)]
enum Name {
    Is(&'static str),
    Begins(&'static str),
    Contains(&'static str),
    Both(&'static str, &'static str),
}
use Name::{Begins, Both, Contains, Is};

/// Called functions, and why a count that depends on them is not repeatable.
#[rustfmt::skip]
const CALLS: &[(Name, &str, &str)] = &[
    (Is("time"),                                "time",      "reads the clock"),
    (Is("clock"),                               "time",      "reads processor time"),
    (Is("clock_gettime"),                       "time",      "reads the clock"),
    (Is("gettimeofday"),                        "time",      "reads the clock"),
    (Contains("chrono::_V2::"),                 "time",      "reads the clock"),
    (Begins("llvm.readcyclecounter"),           "time",      "reads the cycle counter"),
    (Begins("llvm.x86.rdtsc"),                  "time",      "reads the cycle counter"),
    (Is("rand"),                                "random",    "its sequence is the C library's; seed and generator differ between systems"),
    (Is("random"),                              "random",    "its sequence is the C library's; seed and generator differ between systems"),
    (Is("getrandom"),                           "random",    "differs on every run"),
    (Is("getentropy"),                          "random",    "differs on every run"),
    (Begins("arc4random"),                      "random",    "differs on every run"),
    (Contains("std::random_device"),            "random",    "differs on every run"),
    (Contains("RandomState"),                   "random",    "seeds its hashes anew on every run"),
    (Is("getpid"),                              "process",   "differs on every run"),
    (Is("pthread_self"),                        "address",   "is an address"),
    (Is("pthread_create"),                      "threads",   "the interleaving of threads differs; per-thread counts repeat only if threads do not wait for each other"),
    (Contains("std::thread::"),                 "threads",   "the interleaving of threads differs"),
    (Begins("std::unordered_"),                 "unordered", "order of iteration depends on the library's hash and growth policy"),
    (Contains("std::_Hashtable"),               "unordered", "order of iteration depends on the library's hash and growth policy"),
    (Both("std::hash<", "*>::operator()"),      "address",   "hashes an address; addresses differ from run to run"),
    (Both("std::less<", "*>::operator()"),      "address",   "orders by address; addresses differ from run to run"),
    (Is("readdir"),                             "unordered", "order of entries depends on the file system"),
];

/// Patterns in code, named by the plugin.
#[rustfmt::skip]
const PATTERNS: &[(&str, &str, &str)] = &[
    ("pointer-hash",  "address", "computes with the bits of an address, as a hash would; addresses differ from run to run"),
    ("inline-asm",    "uncounted", "inline assembly costs 1, whatever it does"),
];

/// One finding.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Finding {
    file: String,
    line: u32,
    kind: &'static str,
    what: String,
    why: &'static str,
}

/// Prints findings; exit status 1 if there are any.
pub fn lint(arguments: &ExplainArguments) -> Result<ExitCode, Error> {
    let warnings = [
        "-Wuninitialized",
        "-Wsometimes-uninitialized",
        "-Wconditional-uninitialized",
    ];
    let description = describe(arguments, &warnings)?;
    let mut findings: Vec<Finding> = facts(&description.text).iter().filter_map(judge).collect();
    findings.sort();
    findings.dedup();
    match arguments.format {
        Format::Json => command::out!(
            "{}",
            serde_json::to_string_pretty(&findings).expect("plain data")
        ),
        Format::Text => {
            for finding in &findings {
                let Finding {
                    file,
                    line,
                    kind,
                    what,
                    why,
                } = finding;
                command::out!("{file}:{line}: [{kind}] {what}: {why}");
            }
        }
    }
    let uninitialised = description.warnings.contains("uninitialized");
    command::print_error(format_args!("{}", description.warnings));
    Ok(match findings.is_empty() && !uninitialised {
        true => Status::Done.into(),
        false => Status::Found.into(),
    })
}

fn judge(fact: &Fact) -> Option<Finding> {
    let (kind, why) = if fact.kind == "call" {
        let name = fact.what.as_str();
        let row = CALLS.iter().find(|(pattern, ..)| match pattern {
            Is(text) => name == *text,
            Begins(text) => name.starts_with(text),
            Contains(text) => name.contains(text),
            Both(one, other) => name.contains(one) && name.contains(other),
        })?;
        // Making or filling such a container is harmless; walking it is not.
        let walks = name.contains("::begin") || name.contains("::cbegin");
        if row.1 == "unordered" && name.starts_with("std::") && !walks {
            return None;
        }
        (row.1, row.2)
    } else {
        let row = PATTERNS
            .iter()
            .find(|(pattern, ..)| *pattern == fact.kind)?;
        (row.1, row.2)
    };
    let what = if fact.what.is_empty() {
        fact.function.clone()
    } else {
        fact.what.clone()
    };
    Some(Finding {
        file: fact.file.clone(),
        line: fact.line,
        kind,
        what,
        why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(kind: &str, what: &str) -> Option<&'static str> {
        let fact = Fact {
            kind: kind.into(),
            function: "f".into(),
            what: what.into(),
            file: "a.c".into(),
            line: 3,
        };
        judge(&fact).map(|finding| finding.kind)
    }

    #[test]
    fn calls_are_judged_by_name() {
        assert_eq!(kind("call", "time"), Some("time"));
        assert_eq!(kind("call", "timeout"), None);
        assert_eq!(
            kind("call", "std::unordered_map<int, int>::begin()"),
            Some("unordered")
        );
        assert_eq!(
            kind("call", "std::unordered_map<int, int>::find(int const&)"),
            None
        );
        assert_eq!(kind("pointer-hash", ""), Some("address"));
        assert_eq!(kind("new-pattern", ""), None);
    }
}
