//! Code objects that others built and published: the ROCm libraries in a wheel on PyPI.
//!
//! The wheel is fetched with pip into `target/third-party`, once, and checked against its published hash. Every instruction
//! must print as llvm-objdump prints it, and every kernel gets a control flow graph. A default run takes one library's
//! smaller objects for all targets and its larger ones for two; `LUTHIER_TEST_LARGE=1` takes all of all.

#[path = "../../isa/tests/common/mod.rs"]
mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use codeobj::CodeObject;
use common::agree_with_objdump;
use isa::Decoder;
use lift::{FunctionKind, Module};

const WHEEL: &str = "bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl";
const SHA256: &str = "55348a9a4a21bfd99cf8c7b32fe67b4030ae5c2a05738e03c1747f65fa6ec283";
/// Larger code objects are for these targets only, unless everything is wanted.
const LARGE: usize = 300_000;
const LARGE_TARGETS: [&str; 2] = ["gfx90a", "gfx1030"];

fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("target/third-party")
}

/// The libraries with device code, or why there are none.
fn libraries() -> Result<Vec<PathBuf>, String> {
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

#[test]
fn published_libraries_decode_as_llvm_prints_them() {
    let libraries = match libraries() {
        Ok(libraries) => libraries,
        Err(why) => {
            eprintln!("SKIPPED: no third-party code objects without the package index: {why}");
            return;
        }
    };
    let everything = std::env::var_os("LUTHIER_TEST_LARGE").is_some();
    let chosen = if everything { libraries.len() } else { 1 };
    assert!(chosen > 0 && libraries.len() >= chosen, "an empty wheel");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (mut objects, mut kernels, mut instructions) = (0, 0, 0);
    for library in &libraries[..chosen] {
        let bytes = fs::read(library).expect("a readable library");
        let contents = codeobj::walk(&bytes).expect("bundles");
        assert!(contents.problems.is_empty(), "{:?}", contents.problems);
        for entry in contents.code_objects() {
            let object = CodeObject::parse(&entry.bytes).expect("a code object");
            let target = object.target().target;
            let is_large = entry.bytes.len() > LARGE;
            if is_large && !everything && !LARGE_TARGETS.contains(&target.name) {
                continue;
            }
            let context = format!("{} {}", library.display(), entry.id);
            let path = directory.path().join("object.co");
            fs::write(&path, &entry.bytes).expect("a temporary file");
            let decoder = Decoder::new(target).expect("a decoder");
            let (good, bad) = agree_with_objdump(&decoder, &path);
            assert!(good > 100 * (bad + 1), "{context}: {good} good, {bad} bad");

            let module = Module::lift(&object).unwrap_or_else(|error| panic!("{context}: {error}"));
            let all = object.kernels().expect("kernels");
            for kernel in &all {
                let function = module
                    .function(kernel.name)
                    .map(|index| &module.functions[index])
                    .unwrap_or_else(|| panic!("{context}: {} has no graph", kernel.name));
                assert_eq!(function.kind, FunctionKind::Kernel, "{context}");
                let ends = |block: &lift::Block| block.reachable && !block.leaves.is_empty();
                assert!(
                    function.blocks.iter().any(ends) && function.undecodable.is_empty(),
                    "{context}: {} never ends",
                    kernel.name
                );
            }
            objects += 1;
            kernels += all.len();
            instructions += good;
        }
    }
    println!("{objects} code objects, {kernels} kernels, {instructions} instructions");
    assert!(
        objects >= 8 && kernels > 200,
        "{objects} objects, {kernels} kernels"
    );
}
