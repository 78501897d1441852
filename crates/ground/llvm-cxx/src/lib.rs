//! For build scripts of crates with C++ parts: finds LLVM 22, and compiles the sources of one crate as one translation unit.
//!
//! LLVM's headers are nearly all of the work: twenty sources on their own take 50 s of processor time, together 12 s.
//! The environment variable `LLVM_CONFIG` names another `llvm-config` than `llvm-config-22`.
#![forbid(unsafe_code)]

mod unit;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, exit},
};

/// The release that the C++ parts are written for.
const RELEASE: &str = "22";

/// A program like `llvm-config-22`, which belongs to LLVM 22.
#[derive(Clone, Debug)]
pub struct Llvm {
    config: String,
    version: String,
}

impl Llvm {
    /// The LLVM of `LLVM_CONFIG`, else the distribution's. An LLVM of another release is an error.
    pub fn find() -> Result<Llvm, String> {
        println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
        let config = env::var("LLVM_CONFIG").unwrap_or_else(|_| format!("llvm-config-{RELEASE}"));
        Llvm::of(config)
    }

    fn of(config: String) -> Result<Llvm, String> {
        let version = ask(&config, &["--version"])?;
        match version.split('.').next() {
            Some(RELEASE) => Ok(Llvm { config, version }),
            _ => Err(format!(
                "{config} belongs to LLVM {version}, but LLVM {RELEASE} is needed: install llvm-{RELEASE}-dev or run ./dev setup"
            )),
        }
    }

    /// Its version with all numbers.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The answer of `llvm-config` to these options.
    pub fn ask(&self, options: &[&str]) -> Result<String, String> {
        ask(&self.config, options)
    }

    /// The compiler for sources that include LLVM's headers: C++17 without exceptions and debug information, and with no symbol
    /// visible that is not marked. Warnings of the headers are not shown.
    pub fn compiler(&self) -> Result<cc::Build, String> {
        let mut build = cc::Build::new();
        build
            .cpp(true)
            .std("c++17")
            // Debug information of LLVM's headers triples the time, and no debugger is used on it.
            .debug(false)
            .flag("-isystem")
            .flag(self.ask(&["--includedir"])?)
            .flag("-fno-exceptions")
            .flag("-fvisibility=hidden")
            .flag("-fvisibility-inlines-hidden")
            .define("_GNU_SOURCE", None);
        Ok(build)
    }

    /// The compiler for a plugin: the compiler that loads it brings LLVM along, in rustc's case one without type information.
    pub fn plugin(&self) -> Result<cc::Build, String> {
        let mut build = self.compiler()?;
        build
            .flag("-fno-rtti")
            // The linker drops functions of the headers that are not called.
            .flag("-ffunction-sections")
            .define("__STDC_CONSTANT_MACROS", None)
            .define("__STDC_FORMAT_MACROS", None)
            .define("__STDC_LIMIT_MACROS", None);
        let clang = format!("clang++-{RELEASE}");
        if env::var_os("CXX").is_none() && Path::new("/usr/bin").join(&clang).exists() {
            build.compiler(clang);
        }
        Ok(build)
    }
}

fn ask(config: &str, options: &[&str]) -> Result<String, String> {
    let missing = |reason: String| {
        format!(
            "cannot run {config} ({reason}): install llvm-{RELEASE}-dev or run ./dev setup; \
             the environment variable LLVM_CONFIG names another llvm-config"
        )
    };
    let output = Command::new(config).args(options).output();
    let output = output.map_err(|error| missing(error.to_string()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(missing(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        )),
    }
}

/// Adds all sources of `folder` to `build`, as one that includes them. Cargo runs the build script again when a file of `folder` changes,
/// headers too.
pub fn add(build: &mut cc::Build, folder: &str) -> Result<(), String> {
    println!("cargo:rerun-if-changed={folder}");
    let variable = |name: &str| {
        env::var(name).map_err(|_| format!("{name} is not set: this is for build scripts"))
    };
    let sources = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join(folder);
    let text = unit::text(&sources)?;
    let path = PathBuf::from(variable("OUT_DIR")?).join("unit.cpp");
    fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    // The folder's path is relative, so that the output is the same wherever the checkout lies.
    build.include(folder).file(path);
    Ok(())
}

/// Runs a build script. Its error is the last that the user sees.
pub fn run(build: impl FnOnce() -> Result<(), String>) {
    if let Err(message) = build() {
        eprintln!("\nerror: {message}\n");
        exit(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that answers every question with `answer`.
    fn config(folder: &Path, answer: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("llvm-config");
        fs::write(&path, format!("#!/bin/sh\necho '{answer}'\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn other_releases_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let error = Llvm::of(config(folder.path(), "21.1.8")).unwrap_err();
        assert!(error.contains("belongs to LLVM 21.1.8"), "{error}");
        assert!(error.contains("install llvm-22-dev"), "{error}");
        let llvm = Llvm::of(config(folder.path(), "22.1.8")).unwrap();
        assert_eq!(llvm.version(), "22.1.8");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Llvm::of("/nowhere/llvm-config".to_owned()).unwrap_err();
        assert!(error.contains("/nowhere/llvm-config"), "{error}");
        assert!(error.contains("LLVM_CONFIG"), "{error}");
    }
}
