//! The runtime, compiled once per target and kept in the user's cache.

use crate::error::{Error, at};
use crate::toolchain::{self, Language};
use host_count_rt::{SOURCES, WINDOWS};
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The compiled runtime.
#[derive(Debug, Clone)]
pub struct Runtime {
    directory: PathBuf,
    system: System,
}

/// The system of a runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// All of it.
    Linux,
    /// One static archive.
    Windows,
}

impl System {
    /// By what `--target` says; systems without a runtime are refused.
    fn from_arguments(arguments: &[OsString]) -> Result<System, Error> {
        let says = |names: &[&str]| {
            arguments.iter().any(|word| {
                let text = word.to_string_lossy();
                names.iter().any(|name| text.contains(name))
            })
        };
        if says(&["apple", "darwin", "macos"]) {
            return Err(Error::NoRuntime { system: "macOS" });
        }
        Ok(match says(&["windows", "mingw"]) {
            true => System::Windows,
            false => System::Linux,
        })
    }
}

/// How the shared runtime is linked. A library that is closed must not take it along: handlers of signals, keys of threads and the
/// report are needed to the end.
const SHARED: &[&str] = &[
    "-shared",
    "-Wl,-soname,libluthier_count_rt.so",
    "-Wl,-z,nodelete",
];

impl Runtime {
    /// For executables.
    pub fn archive(&self) -> PathBuf {
        self.directory.join("libluthier_count_rt.a")
    }

    /// For static executables, linked with `--wrap`.
    pub fn static_archive(&self) -> PathBuf {
        self.directory.join("libluthier_count_rt_static.a")
    }

    /// For shared libraries in programs that do not count themselves.
    pub fn shared(&self) -> PathBuf {
        self.directory.join("libluthier_count_rt.so")
    }

    /// The directory for `#include <luthier/count.h>`. Headers need no compiler, so they are there for every target.
    pub fn headers() -> Result<PathBuf, Error> {
        let mut hasher = DefaultHasher::new();
        SOURCES.hash(&mut hasher);
        let directory = cache()?.join(format!("count-include-{:016x}", hasher.finish()));
        let headers = || {
            SOURCES
                .iter()
                .filter_map(|(name, text)| Some((name.strip_prefix("include/")?, text)))
        };
        if headers().all(|(name, _)| directory.join(name).is_file()) {
            return Ok(directory);
        }
        for (name, text) in headers() {
            let path = directory.join(name);
            let parent = path.parent().expect("headers lie in directories");
            let unwritable = |source| Error::Cache {
                path: parent.to_owned(),
                source,
            };
            fs::create_dir_all(parent).map_err(unwritable)?;
            // Aside and renamed: another compiler may be reading.
            let aside = tempfile::NamedTempFile::new_in(parent).map_err(unwritable)?;
            fs::write(aside.path(), text).map_err(unwritable)?;
            aside
                .persist(&path)
                .map_err(|error| unwritable(error.error))?;
        }
        Ok(directory)
    }

    /// Its system.
    pub fn system(&self) -> System {
        self.system
    }

    /// The directory of its libraries.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Finds or compiles the runtime for the target that `arguments` (`--target=...`, `--sysroot=...`) select.
    pub fn for_target(arguments: &[OsString]) -> Result<Runtime, Error> {
        let system = System::from_arguments(arguments)?;
        let clang = Language::C.driver();
        let mut hasher = DefaultHasher::new();
        (SOURCES, SHARED, toolchain::identity(&clang)?, arguments).hash(&mut hasher);
        let directory = cache()?.join(format!("count-rt-{:016x}", hasher.finish()));
        let runtime = Runtime {
            directory: directory.clone(),
            system,
        };
        if runtime.missing().is_none() {
            return Ok(runtime);
        }
        let parent = directory.parent().expect("a joined path has a parent");
        let unwritable = |source| Error::Cache {
            path: parent.to_owned(),
            source,
        };
        fs::create_dir_all(parent).map_err(unwritable)?;
        let work = tempfile::Builder::new()
            .prefix("count-rt-")
            .tempdir_in(parent)
            .map_err(unwritable)?;
        compile(&clang, work.path(), arguments, system).map_err(|error| match error {
            Error::Failed { message, .. } if !arguments.is_empty() => {
                Error::RuntimeTarget { message }
            }
            other => other,
        })?;
        // If parts of the directory were deleted, it is made again.
        let damaged = parent.join(format!(
            "{}.damaged",
            work.path()
                .file_name()
                .expect("a temporary directory has a name")
                .to_string_lossy()
        ));
        if directory.exists() && runtime.missing().is_some() {
            let _ = fs::rename(&directory, &damaged);
            let _ = fs::remove_dir_all(&damaged);
        }
        let renamed = fs::rename(work.path(), &directory);
        if renamed.is_ok() {
            let _moved = work.keep();
        }
        // Another process may have been faster.
        match (renamed, runtime.missing()) {
            (_, None) => Ok(runtime),
            (Err(source), Some(file)) => Err(Error::MissingRuntime {
                file,
                directory,
                source,
            }),
            (Ok(()), Some(file)) => Err(Error::MissingRuntime {
                file,
                directory,
                source: std::io::ErrorKind::NotFound.into(),
            }),
        }
    }

    /// The first of its files that is not there.
    fn missing(&self) -> Option<PathBuf> {
        let files = match self.system {
            System::Linux => vec![self.archive(), self.static_archive(), self.shared()],
            System::Windows => vec![self.archive()],
        };
        files.into_iter().find(|path| !path.is_file())
    }
}

fn cache() -> Result<PathBuf, Error> {
    let named = env::var_os("LUTHIER_CACHE").filter(|value| !value.is_empty());
    let named = named.map(PathBuf::from);
    named
        .or_else(|| outputs::user_cache(|name| env::var_os(name)))
        .ok_or(Error::NoCache)
}

fn compile(clang: &str, root: &Path, arguments: &[OsString], system: System) -> Result<(), Error> {
    for (name, text) in SOURCES {
        let path = root.join(name);
        let parent = path.parent().expect("sources lie in directories");
        fs::create_dir_all(parent).map_err(at(parent))?;
        fs::write(&path, text).map_err(at(&path))?;
    }
    let sources: Vec<&str> = SOURCES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| match system {
            System::Linux => name.ends_with(".c") && *name != WINDOWS[0],
            System::Windows => WINDOWS.contains(name),
        })
        .collect();
    let objects = |suffix: &str, defines: &[&str]| -> Result<Vec<PathBuf>, Error> {
        let mut objects = Vec::new();
        for source in &sources {
            let object = root.join(format!("{}{suffix}.o", source.replace(['/', '.'], "_")));
            let mut command = Command::new(clang);
            command.args(arguments).args(defines);
            command.args([
                "-std=gnu11",
                // Small programs should not carry a large runtime; nothing in it is hot.
                "-Os",
                "-c",
            ]);
            if system == System::Linux {
                command.args(["-fPIC", "-ftls-model=initial-exec", "-fvisibility=hidden"]);
            }
            toolchain::output(command.arg(root.join(source)).arg("-o").arg(&object))?;
            objects.push(object);
        }
        Ok(objects)
    };
    let archiver = toolchain::tool("LUTHIER_AR", "llvm-ar-22");
    let archive = |name: &str, objects: &[PathBuf]| {
        toolchain::output(
            Command::new(&archiver)
                .arg("rcs")
                .arg(root.join(name))
                .args(objects),
        )
    };
    let dynamic = objects("", &[])?;
    if system == System::Windows {
        archive("libluthier_count_rt.a", &dynamic)?;
        return Ok(());
    }
    let wrapped = objects("_static", &["-DLUTHIER_COUNT_WRAP"])?;
    archive("libluthier_count_rt_static.a", &wrapped)?;
    let shared = root.join("libluthier_count_rt.so");
    let mut link = Command::new(clang);
    link.args(arguments)
        .args(SHARED)
        .arg("-o")
        .arg(shared)
        .args(&dynamic);
    toolchain::output(link.args(["-lpthread", "-ldl"]))?;
    // Last: its presence says that all is there.
    archive("libluthier_count_rt.a", &dynamic)?;
    Ok(())
}
