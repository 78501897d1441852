//! Where the libraries are that go into the application's process.

use std::{
    env, fs,
    io::ErrorKind,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// The name under which ROCr asks the dynamic linker for the thunk.
const THUNK_SONAME: &str = "libhsakmt.so.1";

/// The directory of the running executable, which the libraries lie beside.
fn executable_directory() -> Result<PathBuf> {
    let executable = env::current_exe().context("cannot find the luthier executable")?;
    let directory = executable
        .parent()
        .context("the luthier executable has no directory")?;
    Ok(directory.to_path_buf())
}

/// A directory that holds nothing but the emulated thunk under its SONAME, fit for LD_LIBRARY_PATH.
///
/// Installed next to the executable as `luthier-emulator/libhsakmt.so.1`; made on first use in a build directory.
pub fn emulator_directory() -> Result<PathBuf> {
    let base = executable_directory()?;
    let directory = base.join("luthier-emulator");
    if directory.join(THUNK_SONAME).exists() {
        return Ok(directory);
    }
    let library = base.join("libhsakmt.so");
    if !library.exists() {
        bail!(
            "the emulated GPU is not beside the executable: {} is missing; build it with ./dev build",
            library.display()
        );
    }
    link(&library, &directory).with_context(|| {
        format!(
            "cannot make {}; is the directory writable?",
            directory.display()
        )
    })?;
    Ok(directory)
}

/// The library that ROCr loads to let tools see and change dispatches.
pub fn intercept() -> Result<PathBuf> {
    let library = executable_directory()?.join("libluthier_intercept.so");
    if !library.exists() {
        bail!(
            "{} is missing; build it with ./dev build",
            library.display()
        );
    }
    Ok(library)
}

/// Where the tools that come with Luthier are.
pub fn tools_directory() -> Result<PathBuf> {
    Ok(executable_directory()?.join("luthier-tools"))
}

fn link(library: &Path, directory: &Path) -> std::io::Result<()> {
    fs::create_dir_all(directory)?;
    match symlink(library, directory.join(THUNK_SONAME)) {
        // Another run was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}
