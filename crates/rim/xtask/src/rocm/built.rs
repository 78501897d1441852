//! A program of tests that is built here from ROCr's own sources: those of the release, or of a folder that the user names.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use anyhow::{Context, Result, bail, ensure};

use super::{environment::Environment, known, limited::Setting};
use crate::workers;

/// A program, and what it is made of. In flags and libraries `{llvm}` stands for the newest LLVM of the release.
pub struct Program {
    pub name: &'static str,
    /// Debian's name of the sources.
    pub package: &'static str,
    pub units: &'static [Unit],
    pub libraries: &'static [&'static str],
    /// Kernels in OpenCL C that it loads: each file and the name that the program knows.
    pub kernels: &'static [(&'static str, &'static str)],
    pub arguments: &'static [&'static str],
    pub variables: &'static [(&'static str, &'static str)],
    /// Tests that are only run when they are asked for, and why: patterns.
    pub unfit: &'static [Unfit],
    /// The lines of tests that leave themselves out and end well.
    pub skips: &'static [&'static str],
    /// A test that prints nothing for so many seconds has failed.
    pub patience: u64,
}

/// Tests that are only run when they are asked for by name.
pub struct Unfit {
    /// A pattern.
    pub tests: &'static str,
    pub reason: &'static str,
    /// True if they fit this device all the same.
    pub fits: fn(&str) -> bool,
}

impl Program {
    /// The unfit tests.
    pub fn left_out(&self, device: &str) -> impl Iterator<Item = &'static Unfit> {
        self.unfit.iter().filter(move |row| !(row.fits)(device))
    }

    /// All tests but the unfit ones, as `--gtest_filter` has it.
    pub fn filter(&self, device: &str) -> String {
        let unfit: Vec<&str> = self.left_out(device).map(|row| row.tests).collect();
        if unfit.is_empty() {
            "*".to_owned()
        } else {
            format!("*-{}", unfit.join(":"))
        }
    }
}

/// Files that are compiled alike.
pub struct Unit {
    pub compiler: &'static str,
    /// The files, from the folder of the sources; `*` in the last part stands for anything.
    pub files: &'static [&'static str],
    pub flags: &'static [&'static str],
    /// Folders of headers, from the folder of the sources.
    pub include: &'static [&'static str],
    /// Files that need a library's older interface: a pattern of their names, and a header that gives it to them.
    pub adapter: Option<(&'static [&'static str], Header)>,
}

/// A header that is added: its name and text.
pub type Header = (&'static str, &'static str);

/// The result of building: where the program lies, and the folder that it wants to run in.
pub struct Built {
    pub file: String,
    pub folder: String,
}

/// Builds the program for the device. Files that were compiled since the sources changed are not compiled again.
pub fn build(setting: &Setting<'_>, program: &Program, given: Option<&Path>) -> Result<Built> {
    let environment = setting.environment;
    let sources = sources_of(setting, program, given)?;
    let folder = format!("{sources}/built/{}", program.name);
    fs::create_dir_all(environment.inside(&folder))?;
    let llvm = newest_llvm(environment)?;
    let newest = newest_change(&environment.inside(&sources))?;
    let fill = |flag: &&str| flag.replace("{llvm}", &llvm);
    let mut jobs = units(setting, program, &sources, &folder, &llvm)?;
    let objects: Vec<OsString> = jobs.iter().map(|job| (&job.result).into()).collect();
    jobs.extend(kernels(setting, program, &sources, &folder, &llvm)?);
    let file = format!("{folder}/{}", program.name);
    let made = run(environment, jobs, newest)?;
    if made || !environment.inside(&file).exists() {
        let libraries = program.libraries.iter().map(|flag| fill(flag).into());
        let link = Job {
            compiler: "g++".to_owned(),
            arguments: objects.into_iter().chain(libraries).collect(),
            result: file.clone(),
        };
        link.run(environment)?;
    }
    Ok(Built { file, folder })
}

/// The folder with the program's sources, which must have what the program is built of.
fn sources_of(setting: &Setting<'_>, program: &Program, given: Option<&Path>) -> Result<String> {
    let environment = setting.environment;
    let sources = match given {
        Some(folder) => copied(environment, folder)?,
        None => environment.sources(program.package)?,
    };
    let here = |path: &str| environment.inside(&format!("{sources}/{path}"));
    let first = program.units.last().and_then(|unit| unit.files.first());
    let folder_of = |pattern: &str| {
        pattern
            .rsplit_once('/')
            .map(|(folder, _)| folder.to_owned())
    };
    if let Some(folder) = first.and_then(|pattern| folder_of(pattern))
        && !here(&folder).is_dir()
    {
        let whose = match given {
            Some(folder) => folder.display().to_string(),
            None => format!("the sources of {} in {}", program.package, environment.name),
        };
        bail!(
            "{whose} lack {folder}: take another release, or name a folder with the sources of ROCR-Runtime (--source DIR)"
        );
    }
    Ok(sources)
}

/// The compiler of the program's sources for the host.
fn units(
    setting: &Setting<'_>,
    program: &Program,
    sources: &str,
    folder: &str,
    llvm: &str,
) -> Result<Vec<Job>> {
    let environment = setting.environment;
    let mut jobs = Vec::new();
    for unit in program.units {
        let adapter = match &unit.adapter {
            Some((files, (name, text))) => {
                let header = format!("{folder}/{name}");
                fs::write(environment.inside(&header), text)?;
                Some((files, header))
            }
            None => None,
        };
        for pattern in unit.files {
            for file in environment.files(&format!("{sources}/{pattern}"))? {
                let name = file.rsplit('/').next().unwrap_or(&file).to_owned();
                let flags = unit.flags.iter();
                let flags = flags.map(|flag| flag.replace("{llvm}", llvm).into());
                let mut arguments: Vec<OsString> = flags.collect();
                for folder in unit.include {
                    arguments.push(format!("-I{sources}/{folder}").into());
                }
                if let Some((files, header)) = &adapter
                    && files.iter().any(|pattern| known::matches(pattern, &name))
                {
                    arguments.extend(["-include".into(), header.into()]);
                }
                arguments.extend(["-c".into(), file.into()]);
                jobs.push(Job {
                    compiler: unit.compiler.to_owned(),
                    arguments,
                    result: format!("{folder}/{name}.o"),
                });
            }
        }
    }
    Ok(jobs)
}

/// The compiler of the program's kernels for the device.
fn kernels(
    setting: &Setting<'_>,
    program: &Program,
    sources: &str,
    folder: &str,
    llvm: &str,
) -> Result<Vec<Job>> {
    let environment = setting.environment;
    let mut jobs = Vec::new();
    for (source, kernel) in program.kernels {
        let kernels = format!("{folder}/{}", setting.device);
        fs::create_dir_all(environment.inside(&kernels))?;
        let number = setting.device.trim_start_matches("gfx");
        let mut arguments: Vec<OsString> = vec![format!("-DROCRTST_GPU=0x{number}").into()];
        arguments.extend(
            [
                "-x",
                "cl",
                "-cl-std=CL2.0",
                "-target",
                "amdgcn-amd-amdhsa",
                "-mcode-object-version=4",
                "-w",
            ]
            .map(OsString::from),
        );
        arguments.push(format!("-mcpu={}", setting.device).into());
        arguments.push(format!("{sources}/{source}").into());
        jobs.push(Job {
            compiler: format!("{llvm}/bin/clang"),
            arguments,
            result: format!("{kernels}/{kernel}"),
        });
    }
    Ok(jobs)
}

/// One file to be made.
struct Job {
    compiler: String,
    arguments: Vec<OsString>,
    result: String,
}

impl Job {
    /// Returns `true` if it was made after that.
    fn is_newer(&self, environment: &Environment, than: SystemTime) -> bool {
        let made = environment.inside(&self.result).metadata();
        made.and_then(|made| made.modified())
            .is_ok_and(|made| made > than)
    }

    fn run(&self, environment: &Environment) -> Result<()> {
        let unfinished = format!("{}.unfinished", self.result);
        let mut command = environment.command(&self.compiler);
        command.args(&self.arguments).args(["-o", &unfinished]);
        let output = command.output().context("cannot run unshare")?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let first: Vec<&str> = errors.lines().take(12).collect();
            bail!("{} cannot be made:\n{}", self.result, first.join("\n"));
        }
        fs::rename(
            environment.inside(&unfinished),
            environment.inside(&self.result),
        )
        .with_context(|| self.result.clone())
    }
}

/// Runs those jobs whose result is older than the sources, on all processors; whether there were any.
fn run(environment: &Environment, jobs: Vec<Job>, newest: SystemTime) -> Result<bool> {
    let mut jobs = jobs;
    jobs.retain(|job| !job.is_newer(environment, newest));
    if jobs.is_empty() {
        return Ok(false);
    }
    eprintln!("Compiling {} files in {}", jobs.len(), environment.name);
    // The last ones first.
    jobs.reverse();
    workers::all(&jobs, |job| job.run(environment))?;
    Ok(true)
}

/// The directory of the release's newest LLVM with headers.
fn newest_llvm(environment: &Environment) -> Result<String> {
    let headers = environment.files("/usr/lib/llvm-*/include/llvm/MC/TargetRegistry.h")?;
    let version = |path: &String| -> Option<u32> {
        path.strip_prefix("/usr/lib/llvm-")?
            .split('/')
            .next()?
            .parse()
            .ok()
    };
    let newest = headers.iter().filter_map(version).max();
    let newest =
        newest.with_context(|| format!("{} has no LLVM with headers", environment.name))?;
    Ok(format!("/usr/lib/llvm-{newest}"))
}

/// A copy of the user's folder where programs of the release see it.
fn copied(environment: &Environment, folder: &Path) -> Result<String> {
    let folder =
        fs::canonicalize(folder).with_context(|| format!("--source {}", folder.display()))?;
    ensure!(
        folder.is_dir(),
        "--source {}: it is no folder",
        folder.display()
    );
    let name: Vec<_> = folder
        .iter()
        .skip(1)
        .map(|part| part.to_string_lossy())
        .collect();
    let copy = format!("/opt/luthier-sources/given/{}", name.join("+"));
    let inside = environment.inside(&copy);
    fs::create_dir_all(&inside)?;
    // Times stay as they are, so that only what changed is compiled again.
    let status = Command::new("cp")
        .args(["-a", "--update", "-T"])
        .args([&folder, &inside])
        .status()
        .context("cannot run cp")?;
    ensure!(
        status.success(),
        "cp {} ended with {status}",
        folder.display()
    );
    Ok(copy)
}

/// When the youngest of the sources changed.
fn newest_change(folder: &Path) -> Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            match entry.file_name().to_str() {
                Some("built" | ".git") => {}
                _ if metadata.is_dir() => folders.push(entry.path()),
                _ => newest = newest.max(metadata.modified()?),
            }
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_as_old_as_their_youngest_file_and_what_is_built_does_not_count() {
        let root = std::env::temp_dir().join(format!("luthier-built-{}", std::process::id()));
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(root.join("built")).unwrap();
        let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        let young = old + std::time::Duration::from_secs(5);
        for (file, time) in [
            ("a.cpp", old),
            ("src/b.hpp", young),
            ("built/c.o", SystemTime::now()),
        ] {
            let file = fs::File::create(root.join(file)).unwrap();
            file.set_modified(time).unwrap();
        }
        let newest = newest_change(&root);
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(newest.unwrap(), young);
    }
}
