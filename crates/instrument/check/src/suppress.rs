//! Suppressions in Valgrind's form: findings that the user knows and does not want to hear of.
//!
//! ```text
//! {
//!    a name
//!    waits:lds-barrier
//!    kernel:void scale<*>(*)
//!    obj:*/libexample.so
//! }
//! ```
//!
//! The second line is the checker and the kind of finding; `*` stands for any kind. Each further line has to match, where
//! `*` stands for any letters and `?` for one: `kernel:` a kernel or function, `target:` a processor, `src:` a source file
//! with or without its line, `obj:` the file, `fingerprint:` one bug. Lines that begin with `#` are remarks.

use crate::{Checker, Kind, Unshown};

/// A file of suppressions that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// From 1.
    pub line: usize,
    pub reason: String,
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Kernel,
    Target,
    Source,
    Object,
    Fingerprint,
}

const FIELDS: [(&str, Field); 5] = [
    ("kernel", Field::Kernel),
    ("target", Field::Target),
    ("src", Field::Source),
    ("obj", Field::Object),
    ("fingerprint", Field::Fingerprint),
];

#[derive(Clone, Debug)]
struct Suppression {
    name: String,
    checker: Checker,
    kind: String,
    conditions: Vec<(Field, String)>,
    used: u64,
}

/// All suppressions of a run.
#[derive(Clone, Debug, Default)]
pub struct Suppressions {
    each: Vec<Suppression>,
    /// The file that is being looked at.
    file: String,
}

impl Suppressions {
    /// Adds those of a file's text.
    pub fn read(&mut self, text: &str) -> Result<(), Bad> {
        let mut lines = (text.lines().enumerate())
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        while let Some((start, line)) = lines.next() {
            let bad = |line, reason: String| Err(Bad { line, reason });
            if line != "{" {
                return bad(
                    start,
                    format!("a suppression begins with {{, not with {line:?}"),
                );
            }
            let body: Vec<_> = lines
                .by_ref()
                .take_while(|(_, line)| *line != "}")
                .collect();
            if text
                .lines()
                .nth(body.last().map_or(start, |(line, _)| *line))
                .is_none()
            {
                return bad(
                    start,
                    "the suppression that begins here has no end: } is missing".to_owned(),
                );
            }
            let [(_, name), (kind_line, kind), conditions @ ..] = &body[..] else {
                return bad(
                    start,
                    "a suppression has a name and a line CHECKER:KIND".to_owned(),
                );
            };
            let checker = kind.split_once(':').and_then(|(name, kind)| {
                let checker = Checker::ALL.iter().find(|known| known.name() == name)?;
                Some((*checker, kind))
            });
            let Some((checker, kind)) = checker else {
                let known = Checker::ALL.map(Checker::name).join(", ");
                return bad(
                    *kind_line,
                    format!("{kind:?} is no CHECKER:KIND; the checkers are {known}"),
                );
            };
            let of_checker = || Kind::ALL.iter().filter(|kind| kind.checker() == checker);
            if kind != "*" && !of_checker().any(|known| known.name() == kind) {
                let known: Vec<_> = of_checker().map(|kind| kind.name()).collect();
                return bad(
                    *kind_line,
                    format!("no kind {kind:?}; there are {}", known.join(", ")),
                );
            }
            let mut read = Vec::new();
            for (line, condition) in conditions {
                let known = condition.split_once(':').and_then(|(field, pattern)| {
                    let row = FIELDS.iter().find(|row| row.0 == field)?;
                    Some((row.1, pattern.trim().to_owned()))
                });
                match known {
                    Some(condition) => read.push(condition),
                    None => {
                        let fields: Vec<_> = FIELDS.iter().map(|row| row.0).collect();
                        let fields = fields.join(":, ");
                        return bad(
                            *line,
                            format!("{condition:?} does not begin with one of {fields}:"),
                        );
                    }
                }
            }
            self.each.push(Suppression {
                name: (*name).to_owned(),
                checker,
                kind: kind.to_owned(),
                conditions: read,
                used: 0,
            });
        }
        Ok(())
    }

    /// The file of the findings that follow.
    pub fn in_file(&mut self, file: &str) {
        file.clone_into(&mut self.file);
    }

    /// Returns `true` if a suppression takes the finding.
    pub fn take(&mut self, finding: &Unshown) -> bool {
        let file = &self.file;
        let fits = |one: &&mut Suppression| {
            let kind = one.checker == finding.kind.checker()
                && (one.kind == "*" || one.kind == finding.kind.name());
            kind && one.conditions.iter().all(|(field, pattern)| match field {
                Field::Kernel => matches(pattern, &finding.function),
                Field::Target => matches(pattern, &finding.target),
                Field::Object => matches(pattern, file),
                Field::Fingerprint => matches(pattern, &finding.fingerprint),
                Field::Source => finding.sources.iter().any(|source| {
                    let file = source
                        .rsplit_once(':')
                        .map_or(source.as_str(), |(file, _)| file);
                    matches(pattern, source) || matches(pattern, file)
                }),
            })
        };
        let found = self.each.iter_mut().find(fits);
        if let Some(one) = found {
            one.used += 1;
            return true;
        }
        false
    }

    /// Each with how often it was used.
    pub fn uses(&self) -> impl Iterator<Item = (&str, u64)> {
        self.each.iter().map(|one| (one.name.as_str(), one.used))
    }
}

/// A suppression for one finding, as `--gen-suppressions` prints it.
pub fn suppression(finding: &crate::Finding) -> String {
    let plain = |text: &str| text.replace(['*', '?'], "?");
    format!(
        "{{\n   {}\n   {}:{}\n   kernel:{}\n   fingerprint:{}\n}}\n",
        finding.message,
        finding.kind.checker().name(),
        finding.kind.name(),
        plain(&finding.function),
        finding.fingerprint,
    )
}

/// Returns `true` if a text is as a pattern with `*` and `?` says.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut in_text) = (0, 0);
    // Where the last star is, and up to where it reaches.
    let mut star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_text));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == text[in_text] => {
                at += 1;
                in_text += 1;
            }
            _ => match star {
                Some((place, reach)) => {
                    star = Some((place, reach + 1));
                    at = place + 1;
                    in_text = reach + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grade;

    fn finding() -> Unshown {
        Unshown {
            fingerprint: "0123456789abcdef".to_owned(),
            kind: Kind::LdsBarrier,
            grade: Grade::Certain,
            function: "void scale<float>(float*)".to_owned(),
            target: "gfx90a".to_owned(),
            sources: vec!["/src/scale.hip:12".to_owned()],
            object: String::new(),
            times: 1,
        }
    }

    fn takes(text: &str) -> bool {
        let mut all = Suppressions::default();
        all.read(text).unwrap();
        all.in_file("/lib/libscale.so");
        all.take(&finding())
    }

    #[test]
    fn every_line_has_to_match() {
        assert!(takes("{\nn\nwaits:lds-barrier\n}\n"));
        assert!(takes(
            "# remark\n{\n  n\n  waits:*\n  kernel:void scale<*>(*)\n  obj:*.so\n}\n"
        ));
        assert!(takes("{\nn\nwaits:*\nsrc:*/scale.hip\ntarget:gfx9??\n}"));
        assert!(takes(
            "{\nn\nwaits:*\nsrc:*scale.hip:12\nfingerprint:0123*\n}"
        ));
        assert!(!takes("{\nn\nwaits:read-early\n}\n"));
        assert!(!takes("{\nn\nwaits:*\nkernel:scale\n}\n"));
        assert!(!takes("{\nn\nwaits:*\nkernel:void*\nobj:other\n}\n"));
        assert!(!takes("{\nn\nwaits:*\nsrc:*:13\n}\n"));
    }

    /// The suppression for libgomp in docs/check/barriers.md.
    #[test]
    fn the_page_of_barriers_takes_findings_of_libgomp_and_no_others() {
        let page = include_str!("../../../../docs/check/barriers.md");
        let (_, rest) = page.split_once("takes those findings out:").unwrap();
        let (_, rest) = rest.split_once("```text\n").unwrap();
        let (text, _) = rest.split_once("```").unwrap();
        let takes = |kind: Kind, source: &str| {
            let mut all = Suppressions::default();
            all.read(text).unwrap();
            all.in_file("a.out");
            all.take(&Unshown {
                kind,
                sources: vec![source.to_owned()],
                ..finding()
            })
        };
        let of_gcc = "../../../src/libgomp/config/accel/bar.c:120";
        assert!(takes(Kind::DifferentBarriers, of_gcc));
        assert!(!takes(Kind::DifferentBarriers, "/src/main.c:12"));
        assert!(!takes(Kind::LdsBarrier, of_gcc));
    }

    #[test]
    fn damaged_files_are_refused_with_line_and_reason() {
        for (text, line, part) in [
            ("n\n", 1, "begins with {"),
            ("{\nn\nwaits:*\n", 1, "no end"),
            ("\n{\nn\n}\n", 2, "a name and a line"),
            ("{\nn\nmemcheck:*\n}\n", 3, "the checkers are"),
            ("{\nn\nwaits:nothing\n}\n", 3, "no kind"),
            ("{\nn\nmemory:read-early\n}\n", 3, "no kind"),
            ("{\nn\nwaits:*\nkernel:a\nwhere:b\n}\n", 5, "does not begin"),
        ] {
            let bad = Suppressions::default().read(text).unwrap_err();
            assert_eq!(bad.line, line, "{text:?}: {bad}");
            assert!(bad.reason.contains(part), "{text:?}: {bad}");
        }
    }

    #[test]
    fn uses_are_counted() {
        let mut all = Suppressions::default();
        all.read("{\na\nwaits:read-early\n}\n{\nb\nwaits:*\n}\n")
            .unwrap();
        assert!(all.take(&finding()) && all.take(&finding()));
        assert_eq!(all.uses().collect::<Vec<_>>(), [("a", 0), ("b", 2)]);
    }

    #[test]
    fn stars_stand_for_any_letters() {
        assert!(matches("*", "") && matches("a*c*e", "abcde") && matches("?b*", "abc"));
        assert!(!matches("a*d", "abc") && !matches("", "a") && !matches("?", ""));
        // No exponential time.
        assert!(!matches(&"*a".repeat(50), &"a".repeat(49)));
    }
}
