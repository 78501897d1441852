//! The command, and programs for it.

pub mod schema;

use std::{
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// `luthier` with these arguments, without the settings of the user who runs the tests.
pub fn luthier(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_luthier"));
    command.args(arguments).stdin(Stdio::null());
    for (variable, _) in std::env::vars_os() {
        if variable.to_string_lossy().starts_with("LUTHIER_") {
            command.env_remove(variable);
        }
    }
    // A shell without job control has what it starts in the background ignore SIGINT and SIGQUIT, which programs inherit.
    let usual = || {
        for signal in 1..=libc::SIGRTMAX() {
            // SAFETY: nothing but this call happens between fork and exec; it fails for SIGKILL and SIGSTOP, which changes nothing.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure calls only what may be called after fork.
    unsafe { command.pre_exec(usual) };
    command
}

/// The directory of compiled programs.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles `tests/programs/NAME`.
pub fn compile(compiler: &str, name: &str, flags: &[&str]) -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    compiled::program(compiler, &programs.join(name), flags, &folder())
}

/// A code object for gfx90a, of OpenCL without any library.
pub fn code_object(name: &str) -> PathBuf {
    let flags = [
        "--target=amdgcn-amd-amdhsa",
        "-mcpu=gfx90a",
        "-nogpulib",
        "-O1",
    ];
    compile("clang-22", name, &flags)
}

/// A HIP program for gfx90a.
pub fn hip(name: &str) -> PathBuf {
    compile("hipcc", name, &["-O1", "-w", "--offload-arch=gfx90a"])
}
