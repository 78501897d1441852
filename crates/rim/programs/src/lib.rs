//! Self-checking programs: what each says about itself, how it is compiled and run on the emulated GPU.
//!
//! The programs are the files of the top-level `programs` folder: HIP, and what GCC offloads with OpenMP and OpenACC. Each prints
//! what was wrong and exits with a status
//! other than 0 if anything was. Its first lines may say more, one `// key: value` each:
//!
//! | key | value |
//! |---|---|
//! | `flags` | further arguments for the compiler |
//! | `devices` | the targets it is for; otherwise [`DEVICES`] |
//! | `also` | further targets, of which `LUTHIER_TEST_DEVICES` chooses; `*` for any |
//! | `not` | targets that `LUTHIER_TEST_DEVICES` chooses in vain, because they lack what the program is about |
//! | `varies` | why its kernels do not execute the same number of instructions every time |
//! | `run` | options of `luthier run` |
//! | `environment` | variables of its environment: `NAME=value` |
//! | `tools` | the tools it is instrumented with instead of all, and why |
//! | `omits` | the tool that it is not instrumented with, and why |
//! | `expect` | `abort`, if the program must die of SIGABRT instead of exiting with 0 |
//! | `until` | the last HIP whose headers let it compile, and why |
//! | `without` | the one HIP whose headers do not, and why |
//! | `needs` | a header of a library that not every release has, without which it is left out, and whose it is |
//! | `known` | what fails on a device with a compiler that makes wrong code of it: exactly this must fail there |
//! | `stdout`, `stderr` | text that must be printed; may be repeated |
#![forbid(unsafe_code)]

mod arguments;
mod asked;
mod bounded;
mod build;
mod header;
mod known;
mod language;
mod run;
mod seats;
mod tally;

pub use arguments::Arguments;
pub use bounded::{Bounded, wait};
pub use build::compile;
pub use header::{DEVICES, Header};
pub use language::Language;
pub use run::{Emulator, Verdict, check, check_with};
pub use seats::{Seat, side_by_side};
pub use tally::Tally;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// One program.
#[derive(Clone, Debug)]
pub struct Program {
    /// File name without extension.
    pub name: String,
    pub source: PathBuf,
    pub language: &'static Language,
    pub header: Header,
}

/// The repository's root.
pub fn root() -> PathBuf {
    // This crate lies in `crates/rim/programs`.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(3)
        .map(PathBuf::from)
        .unwrap_or_default()
}

/// Returns `true` if programs can be compiled; if not, the calling test is skipped.
#[track_caller]
pub fn can_compile() -> bool {
    prerequisite::program("hipcc", "hipcc")
}

/// True if the headers of the HIP here let `program` compile.
pub fn fits_headers(program: &Program) -> Result<bool> {
    let (until, without) = (&program.header.until, &program.header.without);
    if until.is_none() && without.is_none() {
        return Ok(true);
    }
    let printed = asked::asked("hipcc", &["--version"]).context("cannot run hipcc")?;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let version = printed
        .lines()
        .find_map(|line| line.strip_prefix("HIP version: "))
        .with_context(|| format!("hipcc does not say which HIP it is:\n{printed}"))?;
    let numbers = |version: &str| -> Vec<u32> {
        let parts = version.split('.').take(2);
        parts.filter_map(|part| part.parse().ok()).collect()
    };
    let version = numbers(version);
    let late = until.as_ref().is_some_and(|last| version > numbers(last));
    let refused = without.as_ref().is_some_and(|one| version == numbers(one));
    Ok(!late && !refused)
}

/// The program of that name.
pub fn named(name: &str) -> Result<Program> {
    let found = all()?.into_iter().find(|program| program.name == name);
    found.with_context(|| format!("there is no program {name} in programs"))
}

/// The message if no program of those with these names was run.
pub fn none_ran(names: &[String]) -> String {
    let devices = std::env::var("LUTHIER_TEST_DEVICES");
    let wanted = devices.map_or_else(|_| String::new(), |devices| format!(" for {devices}"));
    match names {
        [] => format!("no program was run: none is{wanted} and has a compiler here"),
        _ => format!(
            "no program was run: {} is not{wanted}, or not there, or has no compiler here (the first lines of programs/NAME.* say what it is for)",
            names.join(", ")
        ),
    }
}

/// All programs whose compiler is here, by name; says which compilers are not. `LUTHIER_TEST_DEVICES` (names with commas between
/// them) is for running them on others than the usual devices. Each is there once for each of these devices then, so that
/// code which a compiler cannot make for one of them keeps none of the others from running.
pub fn all() -> Result<Vec<Program>> {
    let folder = root().join("programs");
    let wanted = std::env::var("LUTHIER_TEST_DEVICES").ok();
    let mut programs = Vec::new();
    let mut compilers: BTreeMap<&str, bool> = BTreeMap::new();
    let mut libraries: BTreeMap<String, bool> = BTreeMap::new();
    for entry in
        std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let source = entry?.path();
        let Some(language) = Language::for_file(&source) else {
            continue;
        };
        if !*compilers
            .entry(language.compiler)
            .or_insert_with(|| language.is_here())
        {
            prerequisite::skip(&format!(
                "{}: {} for AMD GPUs is missing (Debian packages {})",
                source.display(),
                language.compiler,
                language.packages
            ));
            continue;
        }
        let text = std::fs::read_to_string(&source)
            .with_context(|| format!("cannot read {}", source.display()))?;
        let name = source
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut header =
            Header::parse(&text, language.comment).with_context(|| source.display().to_string())?;
        if let Some(needed) = &header.needs
            && !*libraries
                .entry(needed.clone())
                .or_insert_with(|| language.includes(needed))
        {
            prerequisite::skip(&format!("{name}: {needed} is missing here"));
            continue;
        }
        let mut headers = Vec::new();
        if let Some(wanted) = &wanted {
            header.restrict(&wanted.split(',').collect::<Vec<_>>());
            headers.extend(header.devices.iter().map(|device| {
                let devices = vec![device.clone()];
                Header {
                    devices,
                    ..header.clone()
                }
            }));
        } else {
            headers.push(header);
        }
        programs.extend(headers.into_iter().map(|header| Program {
            name: name.clone(),
            source: source.clone(),
            language,
            header,
        }));
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}
