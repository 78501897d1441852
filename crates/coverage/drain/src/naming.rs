//! File names from patterns, as compiler-rt makes them for host profiles.
//!
//! | in the pattern | becomes |
//! |---|---|
//! | `%p` | process id when the file is written; with `-1` and so on behind it for what the process executes later |
//! | `%h` | host name |
//! | `%t` | `$TMPDIR` with a final slash |
//! | `%m` | a signature; the file is merged into, under a lock, instead of replaced |
//! | `%Nm` | the same, spread over `N` files (1 to 9) |
//! | `%b` | the signature, without merging |
//! | `%c` | nothing (continuous mode has no meaning for device memory) |
//! | `%%` | `%` |
//!
//! The base name gets the target as prefix: `out/%p.profraw` becomes `out/gfx90a.1234.profraw`.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Seconds by which the kernel's answer when the system began may be too late.
const ROUNDING: u64 = 2;

/// A process does not become more programs than this.
const MOST_PROGRAMS: u32 = 10_000;

/// The values that patterns refer to.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Id of the process that writes.
    pub process: u32,
    /// How many programs this process has been before (`exec`), as far as they have written files.
    pub program: u32,
    /// Name of the machine.
    pub host: String,
    /// `TMPDIR`.
    pub temporary: Option<String>,
}

impl Facts {
    /// The facts of this process now.
    pub fn current() -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Facts {
            process: std::process::id(),
            program: 0,
            host: host.trim().to_owned(),
            temporary: std::env::var("TMPDIR").ok().filter(|path| !path.is_empty()),
        }
    }
}

/// An expanded pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    /// The path of the file.
    pub path: PathBuf,
    /// Add to what the file holds instead of replacing it.
    pub merge: bool,
}

/// Expands `pattern` for one target. `target` names the architecture and, if asked for, the device.
pub fn expand(pattern: &str, target: &str, facts: &Facts) -> FileName {
    let mut expanded = String::with_capacity(pattern.len() + 16);
    let mut merge = false;
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        if letter != '%' {
            expanded.push(letter);
            continue;
        }
        let mut ahead = rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('p'), _) => {
                expanded.push_str(&facts.process.to_string());
                if facts.program != 0 {
                    expanded.push_str(&format!("-{}", facts.program));
                }
            }
            (Some('h'), _) => expanded.push_str(&facts.host),
            (Some('t'), _) => {
                if let Some(path) = &facts.temporary {
                    expanded.push_str(path.trim_end_matches('/'));
                    expanded.push('/');
                }
            }
            (Some('c'), _) => {}
            (Some('%'), _) => expanded.push('%'),
            (Some('b'), _) => expanded.push_str(&signature(target).to_string()),
            (Some('m'), _) => {
                merge = true;
                expanded.push_str(&format!("{}_0", signature(target)));
            }
            (Some(pools @ '1'..='9'), Some('m')) => {
                merge = true;
                let pool = facts.process % (pools as u32 - '0' as u32);
                expanded.push_str(&format!("{}_{pool}", signature(target)));
                rest.next();
            }
            _ => {
                // Not a specifier: keep it visible rather than guess.
                expanded.push('%');
                continue;
            }
        }
        rest.next();
    }
    let path = Path::new(&expanded);
    let base = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let base = base.unwrap_or_else(|| crate::config::DEFAULT_PATTERN.into());
    FileName {
        path: path.with_file_name(format!("{}.{base}", sanitise(target))),
        merge,
    }
}

/// The name for this program of the process: a file that the process has written as another program, before `exec`, stays. A file of another
/// process that had the same id is older than this one, and is replaced. `begun` is when this process began.
pub fn expand_new(
    pattern: &str,
    target: &str,
    facts: &Facts,
    begun: Option<SystemTime>,
) -> FileName {
    let is_earlier = |name: &FileName| {
        let written = std::fs::metadata(&name.path).and_then(|file| file.modified());
        begun.is_some_and(|begun| written.is_ok_and(|written| written >= begun))
    };
    let first = expand(pattern, target, facts);
    let mut name = first.clone();
    for program in 1..MOST_PROGRAMS {
        if name.merge || !is_earlier(&name) {
            return name;
        }
        name = expand(
            pattern,
            target,
            &Facts {
                program,
                ..facts.clone()
            },
        );
        if name == first {
            // The pattern does not tell processes apart: files replace each other, as those of compiler-rt do.
            return first;
        }
    }
    name
}

/// When this process began, as file systems tell times; `exec` does not change it.
pub fn begun() -> Option<SystemTime> {
    // The 22nd field, in hundredths of a second since the system began; the second is in parentheses and may contain anything.
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let ticks: u64 = stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()?;
    let system = std::fs::read_to_string("/proc/stat").ok()?;
    let line = system
        .lines()
        .find_map(|line| line.strip_prefix("btime "))?;
    let system: u64 = line.trim().parse().ok()?;
    let seconds = Duration::from_secs(system.checked_sub(ROUNDING)?);
    Some(SystemTime::UNIX_EPOCH + seconds + Duration::from_millis(ticks * 10))
}

/// Target names hold `:` and `+` (`gfx90a:xnack+`), which file systems and tools do not all take.
pub fn sanitise(target: &str) -> String {
    target
        .chars()
        .map(|letter| match letter {
            '+' => 'p',
            letter if letter.is_ascii_alphanumeric() || "-_.".contains(letter) => letter,
            _ => '_',
        })
        .collect()
}

/// Equal in all processes, so that they meet in one file.
fn signature(target: &str) -> u64 {
    rawprof::names::name_ref(target.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_one_process_have_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let pattern = folder.path().join("%p.profraw");
        let name = |begun| {
            let name = expand_new(
                pattern.to_str().unwrap(),
                "gfx90a",
                &Facts::current(),
                Some(begun),
            );
            name.path.file_name().unwrap().to_str().unwrap().to_owned()
        };
        let process = std::process::id();
        let (first, second) = (
            format!("gfx90a.{process}.profraw"),
            format!("gfx90a.{process}-1.profraw"),
        );
        let begun = begun().unwrap();
        assert!(begun <= SystemTime::now());
        assert_eq!(name(begun), first);
        std::fs::write(folder.path().join(&first), "").unwrap();
        assert_eq!(name(begun), second);
        // The file of an earlier process with this id.
        assert_eq!(name(SystemTime::now() + Duration::from_secs(60)), first);
    }

    #[test]
    fn patterns_expand_as_in_compiler_rt() {
        let facts = Facts {
            process: 1234,
            program: 0,
            host: "node".into(),
            temporary: Some("/tmp/".into()),
        };
        #[rustfmt::skip]
        let table = [
            ("default.profraw",     "gfx90a.default.profraw",        false),
            ("sub/x_%p.profraw",    "sub/gfx90a.x_1234.profraw",     false),
            ("/abs/%h-%p.profraw",  "/abs/gfx90a.node-1234.profraw", false),
            ("%tq.profraw",         "/tmp/gfx90a.q.profraw",         false),
            ("a%%b%c.profraw",      "gfx90a.a%b.profraw",            false),
            ("a%zb.profraw",        "gfx90a.a%zb.profraw",           false),
            ("odd%",                "gfx90a.odd%",                   false),
            ("",                    "gfx90a.default.profraw",        false),
        ];
        for (pattern, path, merge) in table {
            assert_eq!(
                expand(pattern, "gfx90a", &facts),
                FileName {
                    path: path.into(),
                    merge
                },
                "{pattern}"
            );
        }
        let merged = expand("d/%m.profraw", "gfx90a", &facts);
        assert!(merged.merge);
        assert_eq!(
            merged,
            expand(
                "d/%m.profraw",
                "gfx90a",
                &Facts {
                    process: 1,
                    ..facts.clone()
                }
            )
        );
        let pooled = expand("%4m.profraw", "gfx90a", &facts).path;
        assert!(
            pooled.to_string_lossy().ends_with("_2.profraw"),
            "{pooled:?}: 1234 mod 4 is 2"
        );
        assert_eq!(
            expand("x", "gfx90a:sramecc+:xnack-", &facts).path,
            Path::new("gfx90a_srameccp_xnack-.x")
        );
    }
}
