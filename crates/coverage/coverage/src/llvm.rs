//! Finds LLVM's tools and what they can read.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

/// The LLVM release that reads a raw profile version.
#[rustfmt::skip]
const READS: &[(u32, u64)] = &[
    (20, 10),
    (21, 10),
    (22, 10),
    (23, 11),
];

/// Releases looked for, best for most profiles first.
const RELEASES: &[u32] = &[22, 23, 21, 20];

/// An LLVM installation's tools, all of one release.
#[derive(Debug)]
pub struct Tools {
    prefix: PathBuf,
    suffix: String,
}

impl Tools {
    /// Finds tools that read raw profiles of `version`; any version when none is given.
    pub fn find(version: Option<u64>) -> Result<Self> {
        let fits = |release: u32| version.is_none() || reads(release) == version;
        let mut seen = Vec::new();
        for candidate in candidates() {
            let Some(release) = release_of(&candidate.tool("llvm-profdata")) else {
                continue;
            };
            if fits(release) {
                return Ok(Tools { ..candidate });
            }
            seen.push(release.to_string());
        }
        let Some(version) = version else {
            bail!(
                "llvm-profdata was not found; install the package llvm-22, or set LLVM_BIN to a directory with LLVM's tools"
            );
        };
        let needed = READS
            .iter()
            .filter(|(_, reads)| *reads == version)
            .map(|(release, _)| release.to_string());
        let needed: Vec<_> = needed.collect();
        let found = if seen.is_empty() {
            "none".into()
        } else {
            seen.join(", ")
        };
        bail!(
            "profiles of raw version {version} need llvm-profdata of LLVM {} (found: {found}); \
             set LLVM_BIN to the directory of a matching release",
            needed.join(" or ")
        );
    }

    /// The path of one tool.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.prefix.join(format!("{name}{}", self.suffix))
    }

    /// A command for one tool.
    pub fn command(&self, name: &str) -> Command {
        Command::new(self.tool(name))
    }

    /// Runs a tool and returns what it prints; its own message becomes the error.
    pub fn output(&self, mut command: Command) -> Result<(Vec<u8>, String)> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = command
            .output()
            .with_context(|| format!("cannot start {name}"))?;
        let messages = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if !output.status.success() {
            bail!(command::Said {
                line: format!("{name} failed"),
                others: messages,
            });
        }
        Ok((output.stdout, messages))
    }
}

/// The raw profile version a release reads.
pub fn reads(release: u32) -> Option<u64> {
    READS
        .iter()
        .find(|(known, _)| *known == release)
        .map(|(_, version)| *version)
}

fn candidates() -> impl Iterator<Item = Tools> {
    let chosen = std::env::var_os("LLVM_BIN").map(PathBuf::from);
    let chosen = chosen.map(|prefix| Tools {
        prefix,
        suffix: String::new(),
    });
    let numbered = RELEASES.iter().map(|&release| Tools {
        prefix: PathBuf::new(),
        suffix: format!("-{release}"),
    });
    let plain = Tools {
        prefix: PathBuf::new(),
        suffix: String::new(),
    };
    chosen.into_iter().chain(numbered).chain([plain])
}

/// The LLVM release of a tool, from its version message.
pub fn release_of(tool: &Path) -> Option<u32> {
    let output = Command::new(tool).arg("--version").output().ok()?;
    release_in(&String::from_utf8_lossy(&output.stdout))
}

/// The number behind `version` in texts like `clang version 22.1.8`.
pub fn release_in(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("version ")?;
    rest.split(|letter: char| !letter.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_version_messages() {
        assert_eq!(
            release_in("Debian clang version 22.1.8 (1~deb12u1)\nTarget: x"),
            Some(22)
        );
        assert_eq!(
            release_in("Debian LLVM version 22.1.8\n  Optimized build."),
            Some(22)
        );
        assert_eq!(
            release_in("AMD clang version 19.0.0git (https://x)"),
            Some(19)
        );
        assert_eq!(release_in("gcc (Debian 12.2.0) 12.2.0"), None);
    }
}
