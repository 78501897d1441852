//! `luthier doctor`: what is here, what is missing, and the command that mends it.

use std::{
    io::IsTerminal,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::Result;
use clap::Args;
use command::Status;
use serde::Serialize;

use launcher::{doors, libraries};

use crate::{
    format::{Format, print_json},
    include, query,
};

/// List what is installed and what is missing, with the command that installs it.
#[derive(Args)]
pub struct Doctor {
    /// `text` for people, `json` for programs
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Whether programs cannot run without the thing that is checked.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Need {
    /// `luthier run` does not work without it.
    Required,
    /// Only building programs or some commands need it.
    Optional,
}

#[derive(Serialize)]
struct Finding {
    what: &'static str,
    need: Need,
    /// The thing that was found; absent if it is missing.
    found: Option<String>,
    /// The command that mends it.
    mend: &'static str,
}

pub use launcher::{doors::RUNTIME, libraries::system as library};
/// The HIP runtime's names, the newest first.
pub const HIP: [&str; 3] = ["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"];

/// Programs asked for their version.
const PROGRAMS: &[(&str, &str, Need, &str)] = &[
    ("hipcc", "hipcc", Need::Optional, "apt-get install hipcc"),
    (
        "clang 22",
        "clang-22",
        Need::Optional,
        "apt-get install clang-22, for coverage, counting and tools in C (Ubuntu 24.04 has no LLVM 22 of its own)",
    ),
    (
        "lld 22",
        "ld.lld-22",
        Need::Optional,
        "apt-get install lld-22",
    ),
    (
        "llvm-profdata 22",
        "llvm-profdata-22",
        Need::Optional,
        "apt-get install llvm-22",
    ),
];

impl Doctor {
    pub fn execute(self) -> Result<ExitCode> {
        let findings = examine();
        match self.format {
            Format::Json => print_json(&findings)?,
            Format::Text => print(&findings),
        }
        let sick = findings
            .iter()
            .any(|finding| finding.need == Need::Required && finding.found.is_none());
        Ok(if sick {
            Status::Found.into()
        } else {
            Status::Done.into()
        })
    }
}

/// Parts of an installation besides the emulated GPU. Either all of its files are there, or it is none.
const PIECES: &[(&str, &[&str])] = &[
    ("tools", &["libluthier_intercept.so", "luthier-tools"]),
    (
        "coverage",
        &["libluthier_drain.so", "libluthier_coverage_pass.so"],
    ),
    (
        "counting",
        &["libluthier_count.so", "luthier-count-rewrite", "luthier-cc"],
    ),
];

/// The first of the files, if all are there.
fn pieces(names: &[&str]) -> Option<String> {
    let found: Option<Vec<_>> = names.iter().map(|name| libraries::piece(name)).collect();
    Some(found?.first()?.display().to_string())
}

fn examine() -> Vec<Finding> {
    let mut findings = vec![
        Finding {
            what: "emulated GPU",
            need: Need::Required,
            found: libraries::emulator_directory()
                .and_then(|directory| {
                    let driver = libraries::driver()?;
                    Ok(format!("{} and {}", directory.display(), driver.display()))
                })
                .ok(),
            mend: libraries::mend(),
        },
        Finding {
            what: "AMD GPU",
            need: Need::Optional,
            found: Path::new("/dev/kfd")
                .exists()
                .then(|| "/dev/kfd".to_owned()),
            mend: "nothing to do: programs run on the emulated GPU",
        },
    ];
    findings.extend(PIECES.iter().map(|&(what, names)| Finding {
        what,
        need: Need::Required,
        found: pieces(names),
        mend: libraries::mend(),
    }));
    findings.push(Finding {
        what: "headers of tools",
        need: Need::Required,
        found: include::directory()
            .ok()
            .map(|path| path.display().to_string()),
        mend: libraries::mend(),
    });
    let runtime = library(RUNTIME);
    findings.push(Finding {
        what: "HSA runtime (ROCr)",
        need: Need::Required,
        found: runtime.as_deref().map(|path| match doors::detect(path) {
            Ok(door) => format!("{}; {door}", path.display()),
            Err(problem) => format!("{}; {problem:#}", path.display()),
        }),
        mend: "apt-get install libhsa-runtime64-1",
    });
    let hip = HIP.iter().find_map(|name| library(name));
    findings.push(Finding {
        what: "HIP runtime",
        need: Need::Optional,
        found: hip.map(|path| path.display().to_string()),
        mend: "apt-get install libamdhip64-dev",
    });
    findings.push(Finding {
        what: "query engine",
        need: Need::Optional,
        found: query::engine().map(|path| path.display().to_string()),
        mend: query::INSTALL,
    });
    findings.extend(PROGRAMS.iter().map(|&(what, program, need, mend)| Finding {
        what,
        need,
        found: version(program),
        mend,
    }));
    findings
}

/// The first line a program prints of its own version.
pub fn version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(
        text.lines()
            .find(|line| !line.trim().is_empty())?
            .trim()
            .to_owned(),
    )
}

fn print(findings: &[Finding]) {
    let colour = std::io::stdout().is_terminal();
    let paint = |code: &str, text: &str| {
        if colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    };
    for finding in findings {
        match (&finding.found, finding.need) {
            (Some(found), _) => {
                command::out!("{} {:<20} {found}", paint("32", "here   "), finding.what)
            }
            (None, Need::Required) => {
                command::out!(
                    "{} {:<20} mend with: {}",
                    paint("31", "MISSING"),
                    finding.what,
                    finding.mend
                )
            }
            (None, Need::Optional) => command::out!(
                "{} {:<20} {}",
                paint("33", "absent "),
                finding.what,
                finding.mend
            ),
        }
    }
}
