//! Compiles test inputs with the system's clang 22 and runs LLVM's tools as oracles.
#![allow(dead_code)]

use compiled::Compiler;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// A directory that vanishes with the value.
pub struct Work(tempfile::TempDir);

impl Work {
    pub fn new() -> Work {
        Work(tempfile::tempdir().expect("a temporary directory"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("writing to the temporary directory");
        path
    }
}

pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Runs a program of the Debian packages clang-22, clang-tools-22, lld-22 or llvm-22 and returns its standard output.
pub fn run(program: &str, arguments: &[&str]) -> String {
    let run = || match program {
        "clang-22" => Compiler::new(program).args(arguments).output(),
        _ => Command::new(program).args(arguments).output(),
    };
    let mut output = run();
    // A child that another thread has just started holds the file that was written here open until it executes its own program.
    while (output.as_ref()).is_err_and(|error| error.kind() == ErrorKind::ExecutableFileBusy) {
        thread::yield_now();
        output = run();
    }
    let output =
        output.unwrap_or_else(|error| panic!("{program}: {error}; `./dev setup` installs it"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compiles a device-only code object and returns its bytes.
pub fn compile(name: &str, target: &str, flags: &[&str]) -> Vec<u8> {
    let work = Work::new();
    let out = work.path("out.co");
    let source = source(name);
    let arch = format!("--offload-arch={target}");
    let mut arguments = vec![
        "-x",
        "hip",
        &arch,
        "--cuda-device-only",
        "--no-gpu-bundle-output",
        "-nogpuinc",
    ];
    arguments.extend(["-nogpulib", "-O2", "-w", "-fuse-cuid=none"]);
    arguments.extend(flags);
    arguments.extend([source.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    run("clang-22", &arguments);
    std::fs::read(out).expect("clang wrote its output")
}

/// Compiles a relocatable code object, as relocatable-device-code builds have them before the device link.
pub fn compile_relocatable(name: &str, target: &str) -> Vec<u8> {
    let work = Work::new();
    let bitcode = work.write("a.bc", &compile(name, target, &["-emit-llvm", "-c"]));
    let out = work.path("a.o");
    run(
        "llc-22",
        &[
            "-filetype=obj",
            &format!("-mcpu={target}"),
            bitcode.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
        ],
    );
    std::fs::read(out).expect("llc wrote its output")
}
