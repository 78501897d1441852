//! The programs as clang makes them.

use std::{fs, path::Path, process::Command};

use crate::{Outcome, published::PUBLISHED};

const DEVICE_SOURCE: &str = include_str!("device.cl");
const PUBLISHED_SOURCE: &str = include_str!("published.cl");
const HOST_SOURCE: &str = include_str!("host.c");

/// The options for the CPU's program: all that this machine has.
pub const HOST_FLAGS: &str = "-O3 -march=native";

pub fn clang() -> String {
    std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into())
}

/// `TARGET.co` with the programs, `published-TARGET.co` with the shapes that AMD publishes, and `host`.
pub fn all(directory: &Path, targets: &[&str]) -> Outcome<()> {
    fs::create_dir_all(directory)?;
    for target in targets {
        device(
            directory,
            "device.cl",
            DEVICE_SOURCE,
            target,
            &format!("{target}.co"),
        )?;
    }
    for shape in PUBLISHED {
        let name = format!("published-{}.co", shape.target);
        device(
            directory,
            "published.cl",
            PUBLISHED_SOURCE,
            shape.target,
            &name,
        )?;
    }
    let host = directory.join("host.c");
    fs::write(&host, HOST_SOURCE)?;
    compile(HOST_FLAGS, &host, &directory.join("host"))
}

fn device(directory: &Path, file: &str, source: &str, target: &str, result: &str) -> Outcome<()> {
    let path = directory.join(file);
    fs::write(&path, source)?;
    let flags = format!(
        "-x cl -cl-std=CL2.0 -Xclang -finclude-default-header -nogpulib --target=amdgcn-amd-amdhsa -mcpu={target} -O2 -w"
    );
    compile(&flags, &path, &directory.join(result))
}

fn compile(flags: &str, source: &Path, result: &Path) -> Outcome<()> {
    let clang = clang();
    let status = Command::new(&clang)
        .args(flags.split(' '))
        .arg(source)
        .arg("-o")
        .arg(result)
        .status()
        .map_err(|error| format!("cannot run {clang}: {error}"))?;
    if !status.success() {
        return Err(format!("{clang} could not compile {}", source.display()).into());
    }
    Ok(())
}
