//! The paths of the libraries that are loaded into the application's process.

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// The name under which ROCr asks the dynamic linker for the thunk.
pub const THUNK_SONAME: &str = "libhsakmt.so.1";
/// The library that stands in for the kernel driver.
pub const DRIVER: &str = "libluthier_kfd.so";
/// Chooses another directory than the one beside the executable, for installations that lie elsewhere.
pub const EMULATOR_VARIABLE: &str = "LUTHIER_EMULATOR_DIRECTORY";

/// The directories in which an installation or a build puts libraries, relative to the directory of the executable.
const PLACES: [&str; 2] = [".", "../lib/luthier"];

/// The places that exist, first the executable's own directory.
fn places() -> Result<Vec<PathBuf>> {
    let executable = env::current_exe().context("cannot find the luthier executable")?;
    let home = executable
        .parent()
        .context("the luthier executable has no directory")?;
    let places = PLACES.iter().map(|place| home.join(place));
    Ok(places
        .filter_map(|place| fs::canonicalize(place).ok())
        .collect())
}

/// The file or directory of that name, if this build or installation has it.
pub fn piece(name: &str) -> Option<PathBuf> {
    let mut candidates = places().ok()?.into_iter().map(|place| place.join(name));
    candidates.find(|path| path.exists())
}

/// A library where the dynamic linker would look for it: in the user's directories, then in those of Debian and of AMD's
/// packages.
pub fn system(file: &str) -> Option<PathBuf> {
    const DIRECTORIES: [&str; 4] = [
        "/usr/lib/x86_64-linux-gnu",
        "/opt/rocm/lib",
        "/usr/lib64",
        "/usr/local/lib",
    ];
    let chosen = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let rocm = env::var_os("ROCM_PATH").map(|path| PathBuf::from(path).join("lib"));
    let mut directories: Vec<PathBuf> = env::split_paths(&chosen).collect();
    directories.extend(rocm);
    directories.extend(DIRECTORIES.map(PathBuf::from));
    directories
        .into_iter()
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(file))
        .find(|path| path.exists())
}

/// How what is missing comes back: a build is in a folder of its checkout.
pub fn mend() -> &'static str {
    let home = env::current_exe()
        .ok()
        .and_then(|path| path.parent().map(Path::to_owned));
    mend_of(&home.unwrap_or_default())
}

fn mend_of(home: &Path) -> &'static str {
    match home.join("../../Cargo.toml").exists() {
        true => "./dev build",
        false => "install Luthier's package again, or unpack its archive again",
    }
}

fn chosen(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// A directory that holds nothing but the emulated thunk under its SONAME, fit for LD_LIBRARY_PATH.
///
/// Installed as `luthier-emulator/libhsakmt.so.1` beside the executable or in `../lib/luthier`; made on first use in a
/// build directory.
pub fn emulator_directory() -> Result<PathBuf> {
    if let Some(directory) = chosen(EMULATOR_VARIABLE) {
        if !directory.join(THUNK_SONAME).exists() {
            bail!(
                "{EMULATOR_VARIABLE}={} holds no {THUNK_SONAME}; unset it to use the one beside the executable",
                directory.display()
            );
        }
        return Ok(fs::canonicalize(directory)?);
    }
    emulator_in(&places()?)
}

fn emulator_in(places: &[PathBuf]) -> Result<PathBuf> {
    let ready = places
        .iter()
        .map(|place| place.join("luthier-emulator"))
        .find(|directory| directory.join(THUNK_SONAME).exists());
    if let Some(directory) = ready {
        return Ok(directory);
    }
    let home = places.first().context("the luthier executable is gone")?;
    let library = home.join("libhsakmt.so");
    if !library.exists() {
        bail!(
            "the emulated GPU is not beside the executable: {} is missing: {}",
            library.display(),
            mend()
        );
    }
    let directory = home.join("luthier-emulator");
    link(&library, &directory, THUNK_SONAME).with_context(|| {
        format!(
            "cannot make {}; is the directory writable?",
            directory.display()
        )
    })?;
    Ok(directory)
}

/// The library that stands in for the kernel driver, to be preloaded: beside the emulator's directory.
pub fn driver() -> Result<PathBuf> {
    let directory = emulator_directory()?;
    driver_near(&directory).with_context(|| {
        format!(
            "{DRIVER} is missing in and beside {}: {}",
            directory.display(),
            mend()
        )
    })
}

fn driver_near(emulator: &Path) -> Option<PathBuf> {
    let places = [Some(emulator), emulator.parent()];
    let mut paths = places.into_iter().flatten().map(|place| place.join(DRIVER));
    paths.find(|path| path.exists())
}

/// The driver's library by a name that `LD_PRELOAD` can hold, where spaces and colons separate names. If its path has some, it
/// gets a link in the emulator's directory, where the loader looks for names without a path.
pub fn preloadable_driver() -> Result<OsString> {
    let path = driver()?;
    if !path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .any(|byte| b" :\t\n".contains(byte))
    {
        return Ok(path.into());
    }
    let directory = emulator_directory()?;
    if !directory.join(DRIVER).exists() {
        link(&path, &directory, DRIVER)
            .with_context(|| format!("cannot write to {}", directory.display()))?;
    }
    Ok(DRIVER.into())
}

/// A library that goes into the application's process; `variable` names another one. The path is absolute, fit for
/// LD_PRELOAD.
pub fn library(name: &str, variable: &str) -> Result<PathBuf> {
    let candidates: Vec<PathBuf> = match chosen(variable) {
        Some(path) => vec![path],
        None => places()?.iter().map(|place| place.join(name)).collect(),
    };
    candidates
        .iter()
        .find_map(|path| fs::canonicalize(path).ok())
        .with_context(|| {
            let first = candidates
                .first()
                .map_or(name.into(), |path| path.display().to_string());
            format!("{first} is missing: {}, or name it with {variable}", mend())
        })
}

/// The library that ROCr loads to let tools see and change dispatches.
pub fn intercept() -> Result<PathBuf> {
    library("libluthier_intercept.so", "LUTHIER_INTERCEPT_LIBRARY")
}

/// The directory of the tools that come with Luthier, or in which they are to be built.
pub fn tools_directory() -> Result<PathBuf> {
    let places = places()?;
    let candidates = places.iter().map(|place| place.join("luthier-tools"));
    let mut existing = candidates.clone().filter(|directory| directory.is_dir());
    existing
        .next()
        .or_else(|| candidates.clone().next())
        .context("the luthier executable is gone")
}

/// The link is relative, so that a copy of the build directory has its own, and replaces one that leads nowhere.
fn link(library: &Path, directory: &Path, name: &str) -> std::io::Result<()> {
    fs::create_dir_all(directory)?;
    let unfinished = directory.join(format!("{name}.{}", std::process::id()));
    symlink(
        Path::new("..").join(library.file_name().unwrap_or_default()),
        &unfinished,
    )?;
    fs::rename(&unfinished, directory.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_back_as_it_came() {
        let root = env::temp_dir().join(format!("luthier-mend-{}", std::process::id()));
        let home = root.join("target/release");
        fs::create_dir_all(&home).unwrap();
        assert!(mend_of(&home).contains("package"));
        fs::write(root.join("Cargo.toml"), "").unwrap();
        assert_eq!(mend_of(&home), "./dev build");
        fs::remove_dir_all(&root).unwrap();
    }

    /// An installation has the directory, a build makes it, and anything else is told what is missing.
    #[test]
    fn the_emulator_is_found_where_it_may_be() {
        let base = env::temp_dir().join(format!("luthier-launcher-{}", std::process::id()));
        let (home, library) = (base.join("bin"), base.join("lib"));
        fs::create_dir_all(&home).unwrap();
        let places = [home.clone(), library.clone()];
        let refusal = emulator_in(&places).unwrap_err().to_string();
        assert!(refusal.contains("bin/libhsakmt.so is missing"), "{refusal}");

        let installed = library.join("luthier-emulator");
        fs::create_dir_all(&installed).unwrap();
        fs::write(installed.join(THUNK_SONAME), "").unwrap();
        assert_eq!(emulator_in(&places).unwrap(), installed);

        fs::remove_dir_all(&library).unwrap();
        fs::write(home.join("libhsakmt.so"), "").unwrap();
        let made = emulator_in(&places).unwrap();
        assert_eq!(made, home.join("luthier-emulator"));
        assert!(made.join(THUNK_SONAME).exists());
        assert_eq!(emulator_in(&places).unwrap(), made, "and again");

        fs::remove_file(made.join(THUNK_SONAME)).unwrap();
        symlink("/nowhere", made.join(THUNK_SONAME)).unwrap();
        emulator_in(&places).unwrap();
        assert!(made.join(THUNK_SONAME).exists(), "a link to nowhere stays");
        fs::remove_dir_all(&base).unwrap();
    }
}
