//! Finds clang, the plugin and the rewriter.

use crate::error::Error;
use std::io::Read;
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

/// The path, size and time of clang's file. None: `driver` is not found, or it is another program.
fn clang_itself(driver: &str) -> Option<String> {
    let found = match Path::new(driver).components().count() {
        1 => env::split_paths(&env::var_os("PATH")?)
            .map(|folder| folder.join(driver))
            .find(|path| path.is_file())?,
        _ => PathBuf::from(driver),
    };
    let path = found.canonicalize().ok()?;
    let mut magic = [0; 4];
    fs::File::open(&path).ok()?.read_exact(&mut magic).ok()?;
    let is_clang = path.file_name()?.to_str()?.starts_with("clang") && magic == *b"\x7fELF";
    let file = fs::metadata(&path).ok()?;
    let time = file.modified().ok()?;
    is_clang.then(|| format!("{} {} {time:?}", path.display(), file.len()))
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
