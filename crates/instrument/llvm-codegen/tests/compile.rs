//! Bitcode of every origin to machine code: text, clang 22, clang 15, and the section that `-fembed-bitcode` leaves.

use llvm_codegen::{Bitcode, File, Job, Parameter, split};
use object::{Object, ObjectSection};
use std::process::Command;

const SOURCE: &str = "
#define __device__ __attribute__((device))
__device__ __attribute__((used)) unsigned total = 7;
extern \"C\" __device__ __attribute__((used)) void add(unsigned n) { total += n; }
";

/// Hooks that change registers.
const CHANGES: &str = "
#define HOOK extern \"C\" __attribute__((device, used)) void
struct words { unsigned all[17]; };
HOOK number(double &x) { x = 1; }
HOOK pointer(double *x) { *x = 1; }
HOOK row(words &x) { x = {}; }
HOOK none(double *) {}
";

fn clang(program: &str, arguments: &[&str]) -> Vec<u8> {
    clang_of(SOURCE, program, arguments)
}

fn clang_of(source: &str, program: &str, arguments: &[&str]) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let (file, output) = (
        directory.path().join("tool.hip"),
        directory.path().join("tool.o"),
    );
    std::fs::write(&file, source).expect("writes");
    let result = Command::new(program)
        .args([
            "-x",
            "hip",
            "--cuda-device-only",
            "--offload-arch=gfx90a",
            "-O2",
        ])
        .args(["-nogpulib", "-nogpuinc"])
        .args(arguments)
        .arg(&file)
        .arg("-o")
        .arg(&output)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(
        result.status.success(),
        "{}",
        String::from_utf8_lossy(&result.stderr)
    );
    std::fs::read(output).expect("reads")
}

fn job(parameters: &[Parameter]) -> Job {
    Job {
        cpu: "gfx90a".to_owned(),
        parameters: parameters.to_vec(),
        padding: 4,
        ..Job::default()
    }
}

fn check(bytes: &[u8]) {
    let mut module = Bitcode::parse(bytes).expect("parses");
    assert_eq!(module.functions().expect("lists"), ["add"]);
    let globals = module.globals().expect("lists");
    let total = globals
        .iter()
        .find(|global| global.name == "total")
        .expect("is there");
    assert_eq!(
        (total.size, total.initial.as_deref()),
        (4, Some(&[7, 0, 0, 0][..]))
    );
    let compiled = job(&[Parameter::Input(File::Vector)])
        .compile(&mut module, "add")
        .expect("compiles");
    assert_eq!(compiled.code.len() % 4, 0);
    assert!(!compiled.code.is_empty());
    let symbols: Vec<&str> = compiled
        .relocations
        .iter()
        .map(|found| &*found.symbol)
        .collect();
    assert_eq!(symbols, ["total", "total"]);
    let [binding] = &compiled.bindings[..] else {
        panic!("{:?}", compiled.bindings);
    };
    assert_eq!(
        (&*binding.name, binding.first, binding.read),
        ("parameter:0", 0, true)
    );
    // The same job with a constant needs no input.
    let compiled = job(&[Parameter::Constant(3)])
        .compile(&mut module, "add")
        .expect("compiles");
    assert!(compiled.bindings.is_empty());
}

#[test]
fn bitcode_of_clang_22_and_15() {
    check(&clang("clang-22", &["-emit-llvm", "-c"]));
    check(&clang("clang-15", &["-emit-llvm", "-c"]));
}

#[test]
fn assembly_text() {
    check(&clang("clang-22", &["-emit-llvm", "-S"]));
}

#[test]
fn embedded_bitcode() {
    let object = clang(
        "clang-22",
        &["-Xclang", "-fembed-bitcode=all", "--no-gpu-bundle-output"],
    );
    let file = object::File::parse(&*object).expect("an ELF file");
    let section = file.section_by_name(".llvmbc").expect("is embedded");
    let parts = split(section.data().expect("has data")).expect("splits");
    assert_eq!(parts.len(), 1);
    check(parts[0]);
}

/// A pointer does not say how many registers stand behind it, and a slot of one would lose what the hook stores in the others.
#[test]
fn references_stand_for_the_registers_of_their_types() {
    let text = clang_of(CHANGES, "clang-22", &["-emit-llvm", "-S"]);
    let mut module = Bitcode::parse(&text).expect("parses");
    let reference = Parameter::Reference {
        file: File::Vector,
        dwords: 1,
    };
    let mut compile = |hook: &str| {
        let compiled = job(&[reference]).compile(&mut module, hook);
        compiled.map_err(|error| error.to_string())
    };
    let number = compile("number").expect("compiles");
    let widths: Vec<u32> = number.bindings.iter().map(|one| one.dwords).collect();
    assert_eq!(widths, [2]);
    compile("none").expect("changes nothing");
    for (hook, reason) in [
        (
            "pointer",
            "parameter 0 of the hook is a pointer, which does not say how many registers the hook changes; declare it as a reference",
        ),
        (
            "row",
            "parameter 0 of the hook refers to 544 bits; registers in a row have at most 512",
        ),
    ] {
        let said = compile(hook).expect_err(hook);
        assert!(said.contains(reason), "{hook}: {said}");
    }
}

#[test]
fn errors_are_values() {
    let text = clang("clang-22", &["-emit-llvm", "-S"]);
    let mut module = Bitcode::parse(&text).expect("parses");
    let wrong = Job {
        cpu: "gfx1".to_owned(),
        ..job(&[Parameter::Constant(0)])
    };
    let error = wrong
        .compile(&mut module, "add")
        .expect_err("no such processor");
    assert!(error.to_string().contains("gfx1"), "{error}");
    let host = b"target triple = \"x86_64-linux-gnu\"\n";
    let error = Bitcode::parse(host).err().expect("not for a GPU");
    assert!(error.to_string().contains("--cuda-device-only"), "{error}");
    for cut in (0..text.len()).step_by(97) {
        let _ = Bitcode::parse(&text[..cut]);
    }
}
