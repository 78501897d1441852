//! Known errors that a compiler makes in a program. The program must fail in exactly that way.

use std::process::ExitStatus;

use anyhow::{Context, Result, bail, ensure};

use crate::asked::asked;

/// A program's words about one device and one compiler: what fails there, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub device: String,
    /// As its `--version` names it: `clang 21`.
    compiler: String,
    /// Messages of the expectations that fail, in order.
    fails: Vec<String>,
}

impl Known {
    /// Reads `DEVICE, COMPILER NUMBER: FAILURE; FAILURE`.
    pub fn parse(text: &str) -> Result<Known> {
        let parts = text.split_once(": ").and_then(|(place, fails)| {
            let (device, compiler) = place.split_once(", ")?;
            Some((device, compiler, fails))
        });
        let Some((device, compiler, fails)) = parts else {
            bail!("{text:?} is not `DEVICE, COMPILER NUMBER: FAILURE; FAILURE`");
        };
        Ok(Known {
            device: device.to_owned(),
            compiler: compiler.to_owned(),
            fails: fails.split("; ").map(str::to_owned).collect(),
        })
    }

    /// Returns `true` if `version`, as a compiler prints it, is of the compiler that is meant.
    fn is_of(&self, version: &str) -> bool {
        let number = |word: &str| word.split('.').next().unwrap_or_default().to_owned();
        let words: Vec<&str> = version.split_whitespace().collect();
        words.windows(3).any(|words| {
            words[1] == "version" && format!("{} {}", words[0], number(words[2])) == self.compiler
        })
    }

    /// Compares a program's end with the known failure. Success is a failure too, because the entry is then out of date.
    pub fn judge(&self, status: ExitStatus, stdout: &str) -> Result<()> {
        ensure!(
            !status.success(),
            "is right, though its first lines know what {} makes wrong for {}",
            self.compiler,
            self.device
        );
        // The expectations of `check.h` say their place, then the condition, then the values; a count of them is last.
        let count = format!("{} expectations failed", self.fails.len());
        let lines: Vec<&str> = stdout.lines().collect();
        let agree = lines.split_last().is_some_and(|(&last, lines)| {
            let mut pairs = lines.iter().zip(&self.fails);
            last == count
                && lines.len() == self.fails.len()
                && pairs.all(|(line, text)| ends_in(line, text))
        });
        ensure!(
            status.code() == Some(1) && agree,
            "ended with {status}, and not with what is known: {}",
            self.fails.join("; ")
        );
        Ok(())
    }
}

fn ends_in(line: &str, text: &str) -> bool {
    line.strip_suffix(text)
        .is_some_and(|rest| rest.ends_with(": ") && rest.contains(": not "))
}

/// The known failure of a program on a device with the compiler that is installed.
pub fn here<'a>(known: &'a [Known], device: &str) -> Result<Option<&'a Known>> {
    let mut known = known.iter().filter(|known| known.device == device);
    let Some(first) = known.next() else {
        return Ok(None);
    };
    let version = asked("hipcc", &["--version"]).context("cannot run hipcc")?;
    let version = String::from_utf8_lossy(&version);
    Ok([first]
        .into_iter()
        .chain(known)
        .find(|known| known.is_of(&version)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    const WRONG: &str =
        "a.hip:3: not x == y: sort of 64\na.hip:3: not x == y: sort of 65\n2 expectations failed\n";

    fn known() -> Known {
        Known::parse("gfx1102, clang 21: sort of 64; sort of 65").unwrap()
    }

    #[test]
    fn exactly_what_is_known_may_fail() {
        let failed = ExitStatus::from_raw(1 << 8);
        known().judge(failed, WRONG).unwrap();
        let other = [
            WRONG.replace("sort of 65", "scan of 65"),
            WRONG.replace("65", "165"),
            WRONG.replacen("a.hip:3: not x == y: sort of 64\n", "", 1),
            format!("a.hip:2: not x: scan of 1\n{WRONG}"),
            WRONG.replace("2 exp", "3 exp"),
            WRONG.replace("2 expectations failed\n", ""),
            String::new(),
        ];
        for stdout in other {
            assert!(known().judge(failed, &stdout).is_err(), "{stdout}");
        }
    }

    #[test]
    fn being_right_or_dying_is_not_what_is_known() {
        let right = known().judge(ExitStatus::from_raw(0), "");
        assert!(right.unwrap_err().to_string().starts_with("is right"));
        let died = ExitStatus::from_raw(11);
        assert!(known().judge(died, WRONG).is_err());
    }

    #[test]
    fn it_is_about_one_compiler() {
        assert!(known().is_of("HIP version: 6.4\nDebian clang version 21.1.8 (13)\nTarget: x"));
        assert!(!known().is_of("Debian clang version 22.1.8\n"));
        assert!(!known().is_of("gcc version 21.1\n"));
        assert!(Known::parse("gfx1102: sort of 64").is_err());
    }
}
