//! `luthier doctor`: what is here, what is missing, and the command that mends it.

use std::{
    io::IsTerminal,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;

use launcher::libraries;

/// Check the machine.
#[derive(Args)]
pub struct Doctor {
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Whether the thing checked stops programs from running.
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
    /// What was found; absent if it is missing.
    found: Option<String>,
    /// The command that mends it.
    mend: &'static str,
}

/// Files looked for, in the library directories of Debian and of AMD's packages.
const LIBRARIES: &[(&str, &str, Need, &str)] = &[
    (
        "HSA runtime (ROCr)",
        "libhsa-runtime64.so.1",
        Need::Required,
        "apt-get install libhsa-runtime64-1",
    ),
    (
        "HIP runtime",
        "libamdhip64.so.5",
        Need::Optional,
        "apt-get install libamdhip64-5",
    ),
];

/// Programs asked for their version.
const PROGRAMS: &[(&str, &str, Need, &str)] = &[
    ("hipcc", "hipcc", Need::Optional, "apt-get install hipcc"),
    (
        "clang 22",
        "clang-22",
        Need::Optional,
        "apt-get install clang-22",
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
            Format::Json => files::out!("{}", serde_json::to_string_pretty(&findings)?),
            Format::Text => print(&findings),
        }
        let sick = findings
            .iter()
            .any(|finding| finding.need == Need::Required && finding.found.is_none());
        Ok(if sick {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }
}

fn examine() -> Vec<Finding> {
    let mut findings = vec![
        Finding {
            what: "emulated GPU",
            need: Need::Required,
            found: libraries::emulator_directory()
                .ok()
                .map(|directory| directory.display().to_string()),
            mend: "./dev build",
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
    findings.extend(LIBRARIES.iter().map(|&(what, file, need, mend)| Finding {
        what,
        need,
        found: library(file),
        mend,
    }));
    findings.extend(PROGRAMS.iter().map(|&(what, program, need, mend)| Finding {
        what,
        need,
        found: version(program),
        mend,
    }));
    findings
}

fn library(file: &str) -> Option<String> {
    const DIRECTORIES: [&str; 4] = [
        "/usr/lib/x86_64-linux-gnu",
        "/opt/rocm/lib",
        "/usr/lib64",
        "/usr/local/lib",
    ];
    DIRECTORIES
        .iter()
        .map(|directory| Path::new(directory).join(file))
        .find(|path| path.exists())
        .map(|path| path.display().to_string())
}

/// The first line a program prints of its own version.
fn version(program: &str) -> Option<String> {
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
                files::out!("{} {:<20} {found}", paint("32", "here   "), finding.what)
            }
            (None, Need::Required) => {
                files::out!(
                    "{} {:<20} mend with: {}",
                    paint("31", "MISSING"),
                    finding.what,
                    finding.mend
                )
            }
            (None, Need::Optional) => files::out!(
                "{} {:<20} {}",
                paint("33", "absent "),
                finding.what,
                finding.mend
            ),
        }
    }
}
