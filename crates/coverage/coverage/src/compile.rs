//! `build` and `flags`: compilation with device counters.
//!
//! Counters must be updated atomically. Otherwise all lanes of a wave load the same old value and store the same new one, and else
//! branches, whose counts are differences, look uncovered. The flag for that is therefore always given.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use drain::hiprtc;

use launcher::libraries;

use crate::{llvm, report};

const HEADER: &str = include_str!("../../../../runtime/device-profile/luthier_profile.h");
/// The directory in which Debian's ROCm packages put the device libraries. clang of another release does not look there.
const DEBIAN_DEVICE_LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
/// First release whose device code can be instrumented without changes to the compiler.
const FIRST_RELEASE: u32 = 20;

/// For what the programs include.
const INTERFACE: &str = include_str!("../../../../runtime/device-profile/luthier_coverage.h");
const INTERFACE_NAME: &str = "luthier_coverage.h";
/// The release whose clang loads this: counts stay in registers to the end of a wave, and several sources of a `-fgpu-rdc` build can
/// be linked.
const PASS: (u32, &str, &str) = (22, "libluthier_coverage_pass.so", "LUTHIER_COVERAGE_PASS");

/// The kinds of counters.
#[derive(Debug, Args, Clone, Copy)]
pub struct Kinds {
    /// Instrument host code too (its profile is written by the host's own runtime)
    #[arg(long)]
    host: bool,
    /// Record MC/DC test vectors
    #[arg(long)]
    mcdc: bool,
    /// Instrument functions in system headers too, such as header-only libraries below /usr/include
    #[arg(long)]
    system_headers: bool,
    /// Instrument for profile-guided optimisation at IR level (`-fprofile-use`) instead of coverage
    #[arg(long, conflicts_with = "mcdc")]
    pgo: bool,
    /// Count in memory at once, not at the end of each wave: slower, but counts of kernels that do not end or that fault are kept
    #[arg(long)]
    immediate: bool,
}

/// Arguments of `build`.
#[derive(Debug, Args)]
pub struct Build {
    #[command(flatten)]
    kinds: Kinds,
    /// Compile with this profile instead of counters: a `.profdata` or `.profraw` file, or an output directory of `run`
    #[arg(long = "use", value_name = "PROFILE", conflicts_with_all = ["host", "mcdc", "system_headers", "pgo", "immediate"])]
    profile: Option<PathBuf>,
    /// Print the compiler's command line
    #[arg(long, short)]
    verbose: bool,
    /// The compiler and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Arguments of `flags`.
#[derive(Debug, Args)]
pub struct Flags {
    #[command(flatten)]
    kinds: Kinds,
    /// Options for hiprtcCompileProgram instead of a compiler's flags
    #[arg(long, conflicts_with_all = ["host", "mcdc", "system_headers", "pgo", "immediate"])]
    hiprtc: bool,
    /// The compiler that will be given the flags
    #[arg(long, default_value = "clang++-22")]
    compiler: OsString,
}

impl Build {
    pub fn run(self) -> Result<ExitCode> {
        let (program, arguments) = self.command.split_first().context("no compiler given")?;
        let mut shim = None;
        let mut command = Command::new(program);
        let release = if is_hipcc(program) {
            let own = release(program).unwrap_or(0);
            if own >= FIRST_RELEASE {
                own
            } else {
                // Debian's hipcc calls clang-15, whose device code cannot be instrumented, from the directory that
                // HIP_CLANG_PATH names: give it one where that name is a newer clang.
                let (directory, newer) = newer_clang()?;
                command.env("HIP_CLANG_PATH", directory.path().join("bin"));
                shim = Some(directory);
                newer
            }
        } else {
            require_release(program)?
        };
        let hipcc = is_hipcc(program);
        // Merged profiles live as long as the compiler runs.
        let merged;
        let (purpose, _merged) = match &self.profile {
            Some(profile) => {
                merged = report::ready(profile)?;
                (Purpose::Use(merged.path()), Some(&merged))
            }
            None => (Purpose::Count(self.kinds), None),
        };
        command
            .args(arguments)
            .args(flags(purpose, release, arguments, hipcc)?);
        if self.verbose {
            command::say!("{command:?}");
        }
        let status = command
            .status()
            .with_context(|| format!("cannot start {}", program.to_string_lossy()))?;
        drop(shim);
        if !status.success()
            && release < PASS.0
            && self.profile.is_none()
            && arguments.iter().any(|argument| argument == "-fgpu-rdc")
        {
            command::say!(
                "luthier coverage: with LLVM {release}, -fgpu-rdc and more than one instrumented source cannot be linked \
                 (duplicate symbol __llvm_prf_nm); build without -fgpu-rdc, or with clang 22 or newer"
            );
        }
        Ok(command::of_child(status))
    }
}

impl Flags {
    pub fn run(self) -> Result<ExitCode> {
        let flags = if self.hiprtc {
            let mut options: Vec<_> = hiprtc::OPTIONS.iter().map(OsString::from).collect();
            options.push(header()?.into());
            options
        } else {
            // Build systems have their own idea of optimisation.
            flags(
                Purpose::Count(self.kinds),
                require_release(&self.compiler)?,
                &["-fgpu-rdc".into()],
                true,
            )?
        };
        let text: Vec<_> = flags.iter().map(|flag| flag.to_string_lossy()).collect();
        crate::print(&format!("{}\n", text.join(" ")))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn is_hipcc(program: &OsStr) -> bool {
    Path::new(program)
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("hipcc"))
}

fn release(program: &OsStr) -> Option<u32> {
    llvm::release_of(Path::new(program))
}

fn require_release(program: &OsStr) -> Result<u32> {
    let name = program.to_string_lossy();
    let output = Command::new(program).arg("--version").output();
    let output = output.with_context(|| {
        format!("cannot start {name}; clang of LLVM 22 is in the package clang-22")
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let found = if text.contains("clang") {
        llvm::release_in(&text)
    } else {
        None
    };
    match found {
        Some(release) if release >= FIRST_RELEASE => Ok(release),
        Some(release) => bail!(
            "{name} is clang {release}, which ignores instrumentation of device code; use clang {FIRST_RELEASE} or \
             newer (package clang-22)"
        ),
        None => bail!(
            "{name} is not clang; HIP device code is instrumented by clang {FIRST_RELEASE} or newer"
        ),
    }
}

/// The purpose of a compilation.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    Count(Kinds),
    Use(&'a Path),
}

/// The flags for one compilation. `given` are the user's, which win where the two could disagree; `optimises` says that
/// the compiler does so by itself.
fn flags(
    purpose: Purpose<'_>,
    release: u32,
    given: &[OsString],
    optimises: bool,
) -> Result<Vec<OsString>> {
    // A command that only links does not use most of these, which must not be reported.
    let mut flags: Vec<OsString> = vec!["--start-no-unused-arguments".into()];
    match purpose {
        Purpose::Count(kinds) => {
            counters(kinds, &mut flags);
            if kinds.immediate {
                flags.push("-DLUTHIER_PROFILE_IMMEDIATE".into());
            }
            if release == PASS.0 {
                let mut plugin = OsString::from("-fpass-plugin=");
                plugin.push(libraries::library(PASS.1, PASS.2)?);
                flags.extend(["-Xarch_device".into(), plugin]);
            }
        }
        Purpose::Use(profile) => {
            let mut used = OsString::from("-fprofile-use=");
            used.push(profile);
            flags.extend(["-Xarch_device".into(), used]);
            // Code that was never reached in the run has no counts; that is no mistake.
            flags.extend(
                ["-DLUTHIER_PROFILE_USE", "-Wno-profile-instr-unprofiled"].map(OsString::from),
            );
        }
    }
    flags.extend(["-isystem".into(), interface()?.into()]);
    flags.push("-include".into());
    flags.push(header()?.into());
    let names = |prefix: &str| {
        given
            .iter()
            .any(|argument| argument.to_string_lossy().starts_with(prefix))
    };
    let rocm_elsewhere =
        names("--rocm-path") || names("-nogpulib") || Path::new("/opt/rocm").exists();
    if !rocm_elsewhere && Path::new(DEBIAN_DEVICE_LIBRARIES).is_dir() {
        flags.push("--rocm-path=/usr".into());
        if !names("--rocm-device-lib-path") && !names("--hip-device-lib-path") {
            flags.push(format!("--rocm-device-lib-path={DEBIAN_DEVICE_LIBRARIES}").into());
        }
        if release >= FIRST_RELEASE && !names("-mcode-object-version") {
            // The runtime that comes with these libraries reads up to version 4; newer compilers default to 6.
            flags.push("-mcode-object-version=4".into());
        }
        // Without optimisation, these compilers make kernels ask for a queue to enqueue on, and HIP 5.2 then crashes. If there are several
        // levels, the last one counts; hipcc adds one of its own.
        let level = given
            .iter()
            .rev()
            .find(|argument| argument.to_string_lossy().starts_with("-O"));
        if level.map_or(!optimises, |level| level == "-O0") {
            flags.extend(["-Xarch_device", "-O1"].map(OsString::from));
        }
    }
    flags.push("--end-no-unused-arguments".into());
    Ok(flags)
}

/// Counters on the device, and on the host if that is wanted.
fn counters(kinds: Kinds, flags: &mut Vec<OsString>) {
    let mut device = |flag: &str| {
        flags.push("-Xarch_device".into());
        flags.push(flag.into());
    };
    if kinds.pgo {
        device("-fprofile-generate");
    } else {
        device("-fprofile-instr-generate");
        device("-fcoverage-mapping");
    }
    device("-fprofile-update=atomic");
    if kinds.mcdc {
        device("-fcoverage-mcdc");
    }
    if kinds.system_headers {
        // To the compiler proper only: the device link would not know the option.
        flags.extend(
            ["-Xclang", "-mllvm", "-Xclang", "-system-headers-coverage"].map(OsString::from),
        );
    }
    if kinds.host {
        let host: &[&str] = match kinds {
            Kinds { pgo: true, .. } => &["-fprofile-generate"],
            Kinds { mcdc: true, .. } => &[
                "-fprofile-instr-generate",
                "-fcoverage-mapping",
                "-fcoverage-mcdc",
            ],
            _ => &["-fprofile-instr-generate", "-fcoverage-mapping"],
        };
        for flag in host {
            flags.push("-Xarch_host".into());
            flags.push(flag.into());
        }
        // Not for one side only: this is how the driver learns to link the host's profile runtime.
        flags.push("-fprofile-update=atomic".into());
    }
}

/// The directory for headers that build systems may depend on.
fn cache() -> PathBuf {
    let cache = outputs::user_cache(|name| std::env::var_os(name));
    cache
        .unwrap_or_else(|| std::env::temp_dir().join("luthier"))
        .join(env!("CARGO_PKG_VERSION"))
}

/// Puts the device runtime header where build systems may depend on it.
fn header() -> Result<PathBuf> {
    header_in(&cache()).context(
        "cannot store the device runtime header; set XDG_CACHE_HOME to a writable directory",
    )
}

/// The directory with the header that programs include, and no other.
fn interface() -> Result<PathBuf> {
    let directory = cache().join("include");
    put(&directory.join(INTERFACE_NAME), INTERFACE)
        .context("cannot store luthier_coverage.h; set XDG_CACHE_HOME to a writable directory")?;
    Ok(directory)
}

/// Writes a file that is not there or says something else.
fn put(path: &Path, text: &str) -> Result<()> {
    if fs::read(path).ok().as_deref() != Some(text.as_bytes()) {
        drain::output::write_atomically(path, text.as_bytes())?;
    }
    Ok(())
}

/// Puts the device runtime header into a directory.
pub fn header_in(directory: &Path) -> Result<PathBuf> {
    let path = directory.join(hiprtc::HEADER_NAME);
    put(&path, HEADER)?;
    Ok(path)
}

/// A directory that looks like a clang installation to hipcc, with a clang that can instrument device code behind it.
fn newer_clang() -> Result<(tempfile::TempDir, u32)> {
    for release in [22u32, 23, 21, 20] {
        let Some(clang) = on_path(&format!("clang-{release}")) else {
            continue;
        };
        let Some(clangxx) = on_path(&format!("clang++-{release}")) else {
            continue;
        };
        let directory = tempfile::tempdir().context("cannot create a temporary directory")?;
        let bin = directory.path().join("bin");
        fs::create_dir(&bin)?;
        for (name, target) in [("clang", &clang), ("clang++", &clangxx)] {
            symlink(target, bin.join(name))?;
            for old in 13..FIRST_RELEASE {
                symlink(target, bin.join(format!("{name}-{old}")))?;
            }
        }
        // hipcc looks for clang's own headers and libraries relative to its directory, by full version number.
        let resource = Command::new(&clang).arg("-print-resource-dir").output()?;
        let resource = PathBuf::from(String::from_utf8_lossy(&resource.stdout).trim());
        let versions = directory.path().join("lib/clang");
        fs::create_dir_all(&versions)?;
        let full = Command::new(&clang).arg("-dumpversion").output()?;
        let full = String::from_utf8_lossy(&full.stdout).trim().to_owned();
        symlink(
            &resource,
            versions.join(if full.is_empty() {
                release.to_string()
            } else {
                full
            }),
        )?;
        return Ok((directory, release));
    }
    bail!(
        "hipcc uses a clang that cannot instrument device code, and no newer one was found; install clang-22"
    )
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|file| file.is_file())
}
