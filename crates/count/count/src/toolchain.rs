//! Finds clang, the plugin and the rewriter.

use crate::error::Error;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::{env, fs};

/// The environment variable in which the plugin finds its options.
pub const OPTIONS_VARIABLE: &str = "LUTHIER_COUNT";

/// Debian packages that carry the tools.
pub const HINT: &str = "Debian: apt install clang-22 llvm-22 lld-22";

/// The language that is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Cxx,
}

impl Language {
    /// The compiler driver.
    pub fn driver(self) -> String {
        match self {
            Language::C => tool("LUTHIER_CLANG", "clang-22"),
            Language::Cxx => tool("LUTHIER_CLANGXX", "clang++-22"),
        }
    }

    /// By the ending of a source file.
    pub fn from_path(file: &Path) -> Language {
        match file.extension().and_then(|ending| ending.to_str()) {
            Some("cc" | "cpp" | "cxx" | "C" | "c++" | "hpp" | "hh") => Language::Cxx,
            _ => Language::C,
        }
    }
}

/// A tool's name or path, which a variable may override.
pub fn tool(variable: &str, name: &str) -> String {
    env::var(variable).unwrap_or_else(|_| name.to_owned())
}

/// Tells one clang from another. If `driver` is clang itself, its file does; a script or a cache of compilers is asked for the version,
/// which takes as long as to compile a small file.
pub fn identity(driver: &str) -> Result<String, Error> {
    if let Some(file) = clang_itself(driver) {
        return Ok(file);
    }
    let said = output(Command::new(driver).arg("--version"))?;
    Ok(String::from_utf8_lossy(&said.stdout).into_owned())
}

/// The path, size and time of clang's file and of LLVM's libraries beside it, which are most of it. None: `driver` is not found, or it is
/// another program.
fn clang_itself(driver: &str) -> Option<String> {
    let is_program = |path: &PathBuf| {
        let mode = fs::metadata(path).map(|file| file.permissions().mode());
        path.is_file() && mode.is_ok_and(|mode| mode & 0o111 != 0)
    };
    let found = match Path::new(driver).components().count() {
        1 => env::split_paths(&env::var_os("PATH")?)
            .map(|folder| folder.join(driver))
            .find(is_program)?,
        _ => PathBuf::from(driver),
    };
    let path = found.canonicalize().ok()?;
    let mut magic = [0; 4];
    fs::File::open(&path).ok()?.read_exact(&mut magic).ok()?;
    if !path.file_name()?.to_str()?.starts_with("clang") || magic != *b"\x7fELF" {
        return None;
    }
    let folder = path.parent()?.parent()?.join("lib");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| {
            ["libLLVM", "libclang-cpp"]
                .iter()
                .any(|of| name.starts_with(of))
        })
    });
    files.sort();
    files.insert(0, path);
    let stamp = |path: &PathBuf| {
        let file = fs::metadata(path).ok()?;
        let time = file.modified().ok()?;
        Some(format!("{} {} {time:?}\n", path.display(), file.len()))
    };
    Some(files.iter().filter_map(stamp).collect())
}

/// The pass plugin.
pub fn plugin() -> Result<PathBuf, Error> {
    beside(
        "libluthier_count.so",
        "host-count-pass",
        "LUTHIER_COUNT_PLUGIN",
    )
}

/// The stand-alone rewriter.
pub fn rewriter() -> Result<PathBuf, Error> {
    beside(
        "luthier-count-rewrite",
        "host-count-pass",
        "LUTHIER_COUNT_REWRITER",
    )
}

/// Looks beside this program, one directory up (test programs are in `deps`), and in `../lib/luthier` for an installed one.
fn beside(
    name: &'static str,
    package: &'static str,
    variable: &'static str,
) -> Result<PathBuf, Error> {
    if let Some(path) = env::var_os(variable) {
        return Ok(path.into());
    }
    let here = env::current_exe()
        .and_then(|path| path.canonicalize())
        .unwrap_or_default();
    let places: Vec<PathBuf> = ["../", "../../", "../../lib/luthier/"]
        .iter()
        .map(|step| here.join(step).join(name))
        .collect();
    for path in &places {
        // `here` names a file: let the system resolve `file/..` lexically.
        let path = lexical(path);
        if path.is_file() {
            return Ok(path);
        }
    }
    let looked: Vec<String> = places
        .iter()
        .map(|path| lexical(path).display().to_string())
        .collect();
    Err(Error::NotBuilt {
        name,
        package,
        variable,
        looked: looked.join(", "),
    })
}

fn lexical(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// Runs a command with our standard streams.
pub fn status(command: &mut Command) -> Result<ExitStatus, Error> {
    let tool = command.get_program().to_string_lossy().into_owned();
    command.status().map_err(|source| Error::Tool {
        tool,
        source,
        hint: HINT,
    })
}

/// Runs a command and takes its output; an unsuccessful end is an error.
pub fn output(command: &mut Command) -> Result<Output, Error> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|source| Error::Tool {
        tool: tool.clone(),
        source,
        hint: HINT,
    })?;
    if output.status.success() {
        return Ok(output);
    }
    let message = String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_owned();
    Err(Error::Failed {
        tool,
        status: output.status,
        message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clang_is_another_one_if_a_file_of_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &[u8], mode| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let clang = file("bin/clang-22", b"\x7fELF", 0o755);
        let library = file("lib/libLLVM.so.22", b"1", 0o644);
        let first = clang_itself(&clang).unwrap();
        assert_eq!(clang_itself(&clang).unwrap(), first);
        file("lib/other", b"", 0o644);
        assert_eq!(clang_itself(&clang).unwrap(), first);
        fs::write(&library, "22").unwrap();
        let second = clang_itself(&clang).unwrap();
        fs::write(&clang, b"\x7fELF.").unwrap();
        let third = clang_itself(&clang).unwrap();
        assert!(first != second && second != third);
        let old = std::time::SystemTime::UNIX_EPOCH;
        let opened = fs::File::options().write(true).open(&clang).unwrap();
        opened.set_modified(old).unwrap();
        assert_ne!(clang_itself(&clang).unwrap(), third);
        for other in [
            file("bin/clang", b"#!/bin/sh\n", 0o755),
            file("bin/ccache", b"\x7fELF", 0o755),
        ] {
            assert_eq!(clang_itself(&other), None);
        }
    }
}
