//! `cargo xtask fuzz count`: random C, C++ and Rust programs, counted at every level and placement and by the reference: one total.
//!
//! C comes from Csmith (Debian packages csmith and libcsmith-dev), C++ and Rust from small generators here. Every program has a number;
//! with the same number the same program is made. Failing programs are kept in `fuzz/artifacts/count`.

mod cxx;
mod rust;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};

use crate::{command::done, csmith::Csmith, reference, root};

/// A generator of pseudo-random numbers (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    C,
    Cxx { rich: bool },
    Rust,
}

/// A program is built in so many ways, the next one in others: programs are worth more than builds of one.
const BUILDS_OF_EACH: usize = 3;

/// Options of `luthier count` as an option line, and clang's or rustc's.
#[rustfmt::skip]
const BUILDS: &[(&str, &str)] = &[
    ("",                             "-O0"),
    ("",                             "-O2"),
    ("",                             "-O3"),
    ("",                             "-Oz"),
    ("budget",                       "-O1"),
    ("budget",                       "-O2"),
    ("per=function",                 "-O2"),
    ("per=line,budget",              "-O3"),
    ("placement=segment",            "-O1"),
];
#[rustfmt::skip]
const RUST_BUILDS: &[(&str, &str)] = &[
    ("",                             "-Copt-level=1"),
    ("",                             "-Copt-level=2"),
    ("",                             "-Copt-level=3"),
    ("",                             "-Copt-level=s"),
    ("budget",                       "-Copt-level=2"),
    ("per=function",                 "-Copt-level=3"),
];

/// Csmith's bounds: compiling the large ones takes many times as long.
#[rustfmt::skip]
const LARGE: &[&str] = &["--max-funcs", "6", "--max-block-depth", "4"];
#[rustfmt::skip]
const SMALL: &[&str] = &["--max-funcs", "5", "--max-block-depth", "3", "--max-block-size", "3", "--max-expr-complexity", "5"];

/// Programs that run longer than this many seconds are not looked at (Csmith's need not end).
const PATIENCE: u32 = 5;

struct Workspace {
    work: PathBuf,
    kept: PathBuf,
    tool: PathBuf,
    csmith: Result<Csmith>,
}

impl Workspace {
    fn csmith(&self) -> Result<&Csmith> {
        self.csmith.as_ref().map_err(|why| anyhow!("{why:#}"))
    }
}

/// Runs for so long, from program number `first` on.
pub fn run(seconds: u32, first: u64) -> Result<Vec<String>> {
    let workspace = Workspace {
        work: root().join("fuzz/target/count"),
        kept: root().join("fuzz/artifacts/count"),
        tool: root().join("target/release/luthier-count"),
        csmith: Csmith::find(),
    };
    ensure!(
        workspace.tool.exists(),
        "{} is missing: cargo build --release -p count -p host-count-pass",
        workspace.tool.display()
    );
    fs::create_dir_all(&workspace.work)
        .with_context(|| format!("cannot make {}", workspace.work.display()))?;
    if let Err(why) = &workspace.csmith {
        println!("count: no random C programs: {why:#}");
    }
    let end = Instant::now() + Duration::from_secs(seconds.into());
    let (mut complaints, mut tried, mut skipped) = (Vec::new(), 0, 0);
    let mut seed = first;
    while Instant::now() < end {
        let language = match seed % 16 {
            0 => Language::Cxx { rich: true },
            1 | 9 => Language::Rust,
            2..6 => Language::Cxx { rich: false },
            _ if workspace.csmith.is_ok() => Language::C,
            _ => Language::Cxx { rich: false },
        };
        match check(&workspace, language, seed) {
            Ok(true) => tried += 1,
            Ok(false) => skipped += 1,
            Err(error) => {
                let kept = keep(&workspace, language, seed)?;
                println!("count: {language:?} program {seed}: {error:#}");
                complaints.push(format!("count: {error:#}\n  kept as {}", kept.display()));
            }
        }
        seed += 1;
        if (seed - first).is_multiple_of(100) {
            println!("count: {tried} programs agree, {skipped} took too long; next is {seed}");
        }
    }
    println!(
        "count: {tried} programs agree, {skipped} took too long, {} failed; next is {seed}",
        complaints.len()
    );
    Ok(complaints)
}

fn source(workspace: &Workspace, language: Language) -> PathBuf {
    workspace.work.join(match language {
        Language::C => "program.c",
        Language::Cxx { .. } => "program.cpp",
        Language::Rust => "program.rs",
    })
}

fn keep(workspace: &Workspace, language: Language, seed: u64) -> Result<PathBuf> {
    fs::create_dir_all(&workspace.kept)
        .with_context(|| format!("cannot make {}", workspace.kept.display()))?;
    let from = source(workspace, language);
    let ending = from.extension().unwrap_or_default().to_string_lossy();
    let to = workspace.kept.join(format!("{seed}.{ending}"));
    fs::copy(&from, &to).with_context(|| format!("cannot keep {}", from.display()))?;
    Ok(to)
}

/// True if all builds agree, false if the program takes too long.
fn check(workspace: &Workspace, language: Language, seed: u64) -> Result<bool> {
    let file = source(workspace, language);
    match language {
        Language::C => done(
            workspace
                .csmith()?
                .command(&workspace.work)
                .args([
                    "--seed",
                    &seed.to_string(),
                    "--no-checksum",
                    "--inline-function",
                ])
                .args(if seed.is_multiple_of(4) { LARGE } else { SMALL })
                .arg("--output")
                .arg(&file),
        )?,
        Language::Cxx { rich } => write(&file, &cxx::program(&mut Random::new(seed), rich))?,
        Language::Rust => write(&file, &rust::program(&mut Random::new(seed)))?,
    }
    let program = workspace.work.join("reference");
    let path = file.to_string_lossy();
    match language {
        Language::C => reference::build(
            &["-w", &workspace.csmith()?.include, &path],
            false,
            &program,
        )?,
        Language::Cxx { .. } => reference::build(&["-w", "-std=c++20", &path], true, &program)?,
        Language::Rust => build_rust_reference(workspace, &file, &program)?,
    }
    let Some((expected, printed)) = reference::count(&program, PATIENCE)? else {
        return Ok(false);
    };
    let builds = if language == Language::Rust {
        RUST_BUILDS
    } else {
        BUILDS
    };
    // (Languages repeat after 16 programs: a step aside each time lets every language meet every build.)
    let turn = (seed + seed / 16) as usize;
    for index in 0..BUILDS_OF_EACH {
        let (options, level) =
            builds[(turn + index * builds.len() / BUILDS_OF_EACH) % builds.len()];
        let (total, output) = count(workspace, language, &file, options, level)?;
        ensure!(
            output == printed,
            "`{options}` {level} prints something else"
        );
        ensure!(
            total == expected,
            "`{options}` {level} counts {total}, the reference {expected}"
        );
    }
    Ok(true)
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

fn flags(workspace: &Workspace, what: &str) -> Result<Vec<String>> {
    let output = Command::new(&workspace.tool)
        .args(["flags", what])
        .output()
        .context("cannot run luthier-count")?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .map(str::to_owned)
        .collect())
}

/// Builds and runs a counted program: its total and what it printed.
fn count(
    workspace: &Workspace,
    language: Language,
    file: &Path,
    options: &str,
    level: &str,
) -> Result<(u64, Vec<u8>)> {
    let program = workspace.work.join("counted");
    let mut command = match language {
        Language::Rust => {
            let mut rustc = Command::new("rustc");
            rustc
                .args(["--edition", "2024", "-Awarnings"])
                .args(flags(workspace, "rustc")?);
            rustc
        }
        _ => {
            let mut tool = Command::new(&workspace.tool);
            tool.arg(if language == Language::C { "cc" } else { "c++" });
            tool.args(if language == Language::C {
                ["-w", &workspace.csmith()?.include]
            } else {
                ["-w", "-std=c++20"]
            });
            tool
        }
    };
    command
        .env("LUTHIER_COUNT", options)
        .env("RUSTC_BOOTSTRAP", "1");
    done(command.arg(level).arg(file).arg("-o").arg(&program))?;
    let json = workspace.work.join("counted.json");
    let output = Command::new("timeout")
        .arg((20 * PATIENCE).to_string())
        .arg(&workspace.tool)
        .args(["run", "--format", "json", "--output"])
        .arg(&json)
        .arg("--")
        .arg(&program)
        .output()
        .context("cannot run luthier-count")?;
    let report = fs::read(&json).context("no report")?;
    let _ = fs::remove_file(&json);
    let report: serde_json::Value =
        serde_json::from_slice(&report).context("the report is not JSON")?;
    Ok((report["total"].as_u64().context("no total")?, output.stdout))
}

/// Rust as text of LLVM, linked to a program that has `main` from it.
fn build_rust_reference(workspace: &Workspace, file: &Path, program: &Path) -> Result<()> {
    let text = workspace.work.join("rust.ll");
    let front: Vec<String> = flags(workspace, "rustc")?
        .into_iter()
        .filter(|flag| flag.starts_with("-Z") && !flag.contains("llvm-plugins"))
        .collect();
    done(
        Command::new("rustc")
            .env("RUSTC_BOOTSTRAP", "1")
            .args([
                "--edition",
                "2024",
                "-Awarnings",
                "--emit=llvm-ir",
                "-Cno-prepopulate-passes",
                "-Ccodegen-units=1",
                "-Copt-level=2",
            ])
            .args(front)
            .arg(file)
            .arg("-o")
            .arg(&text),
    )?;
    let counting = reference::instrument(&fs::read_to_string(&text).context("no text from rustc")?);
    write(&text, &counting)?;
    let (object, runtime) = (
        workspace.work.join("rust.o"),
        workspace.work.join("runtime.o"),
    );
    done(
        Command::new("clang-22")
            .args(["-O0", "-Wno-override-module", "-c"])
            .arg(&text)
            .arg("-o")
            .arg(&object),
    )?;
    reference::runtime(&runtime)?;
    let shim = workspace.work.join("shim.rs");
    write(&shim, "#![no_main]\nextern crate std as _;\n")?;
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024"]).arg(&shim);
    for part in [&object, &runtime] {
        rustc.arg(format!("-Clink-arg={}", part.display()));
    }
    done(rustc.arg("-o").arg(program))
}
