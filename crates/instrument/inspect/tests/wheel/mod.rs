//! The wheel on PyPI whose ROCm libraries tests take for code of others: fetched with pip into `target/third-party`, once, and
//! checked against its published hash.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const WHEEL: &str = "bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl";
const SHA256: &str = "55348a9a4a21bfd99cf8c7b32fe67b4030ae5c2a05738e03c1747f65fa6ec283";

fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    root.join("target/third-party")
}

/// The libraries with device code, or why there are none.
pub fn libraries() -> Result<Vec<PathBuf>, String> {
    let folder = folder();
    let unpacked = folder.join("bitsandbytes");
    if !unpacked.exists() {
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let requirement = format!("bitsandbytes==0.50.2 --hash=sha256:{SHA256}\n");
        let list = folder.join("requirements.txt");
        fs::write(&list, requirement).map_err(|error| error.to_string())?;
        command(
            Command::new("pip3")
                .args(["download", "--quiet", "--disable-pip-version-check"])
                .args(["--no-deps", "--only-binary=:all:", "--require-hashes"])
                .args(["--retries", "1", "--timeout", "20"])
                .args(["--platform", "manylinux_2_24_x86_64", "--requirement"])
                .arg(&list)
                .arg("--dest")
                .arg(&folder),
        )?;
        // Unpacked beside its place and then renamed, so that an interrupted run leaves nothing half done.
        let unfinished = folder.join(format!("unfinished.{}", std::process::id()));
        let unpack = "import sys, zipfile\n\
            wheel = zipfile.ZipFile(sys.argv[1])\n\
            wheel.extractall(sys.argv[2], [n for n in wheel.namelist() if '_rocm' in n])";
        command(
            Command::new("python3")
                .args(["-c", unpack])
                .arg(folder.join(WHEEL))
                .arg(&unfinished),
        )?;
        fs::rename(unfinished.join("bitsandbytes"), &unpacked)
            .map_err(|error| error.to_string())?;
        // Only the libraries are needed again.
        let _ = fs::remove_dir_all(&unfinished);
        let _ = fs::remove_file(folder.join(WHEEL));
    }
    let entries = fs::read_dir(&unpacked).map_err(|error| error.to_string())?;
    let mut libraries: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    libraries.sort();
    Ok(libraries)
}

fn command(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    output
        .status
        .success()
        .then_some(())
        .ok_or_else(|| format!("{program}: {}", complaint.trim()))
}
