//! The example that an installation carries: kernels that run where there is no HIP.

use std::{path::Path, process::Command};

use crate::Error;

/// A HIP program whose kernels also compile without HIP.
pub const SOURCE: &str = include_str!("../../../../examples/transpose.hip");
/// The name of its source; debug information names it so, without a directory.
pub const SOURCE_FILE: &str = "transpose.hip";
/// The name of its code object, in the directory of the ready tools.
pub const OBJECT_FILE: &str = "transpose.co";

/// Nothing in the object depends on where and when it is compiled.
const FLAGS: [&str; 13] = [
    "-x",
    "hip",
    "--offload-arch=gfx90a",
    "--offload-device-only",
    "--no-gpu-bundle-output",
    "-nogpuinc",
    "-nogpulib",
    "-DWITHOUT_HIP",
    "-fuse-cuid=none",
    "-fdebug-compilation-dir=.",
    "-Qn",
    "-O2",
    "-g",
];

/// Compiles the example into `directory`.
pub(crate) fn build(directory: &Path, clang: &str) -> Result<(), Error> {
    let failed = |path: &Path, source| Error::File {
        path: path.to_path_buf(),
        source,
    };
    let work = tempfile::tempdir().map_err(|error| failed(&std::env::temp_dir(), error))?;
    let source = work.path().join(SOURCE_FILE);
    std::fs::write(&source, SOURCE).map_err(|error| failed(&source, error))?;
    let compiled = Command::new(clang)
        .current_dir(work.path())
        .args(FLAGS)
        .args([SOURCE_FILE, "-o", OBJECT_FILE])
        .output()
        .map_err(|error| failed(Path::new(clang), error))?;
    if !compiled.status.success() {
        return Err(Error::Library {
            file: SOURCE_FILE.to_owned(),
            reason: String::from_utf8_lossy(&compiled.stderr).into_owned(),
        });
    }
    let object = work.path().join(OBJECT_FILE);
    let bytes = std::fs::read(&object).map_err(|error| failed(&object, error))?;
    Ok(records::write_whole(&directory.join(OBJECT_FILE), &bytes)?)
}
