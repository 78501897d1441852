//! File names from patterns, as compiler-rt makes them for host profiles.
//!
//! | in the pattern | becomes |
//! |---|---|
//! | `%p` | process id when the file is written |
//! | `%h` | host name |
//! | `%t` | `$TMPDIR` with a final slash |
//! | `%m` | a signature; the file is merged into, under a lock, instead of replaced |
//! | `%Nm` | the same, spread over `N` files (1 to 9) |
//! | `%b` | the signature, without merging |
//! | `%c` | nothing (continuous mode has no meaning for device memory) |
//! | `%%` | `%` |
//!
//! The base name gets the target as prefix: `out/%p.profraw` becomes `out/gfx90a.1234.profraw`.

use std::path::{Path, PathBuf};

/// What patterns refer to.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Id of the process that writes.
    pub process: u32,
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
            host: host.trim().to_owned(),
            temporary: std::env::var("TMPDIR").ok().filter(|path| !path.is_empty()),
        }
    }
}

/// An expanded pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    /// Where to write.
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
            (Some('p'), _) => expanded.push_str(&facts.process.to_string()),
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
    fn patterns_expand_as_in_compiler_rt() {
        let facts = Facts {
            process: 1234,
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
