//! Code objects that others built and published: the ROCm libraries in a wheel on PyPI.
//!
//! The wheel is fetched with pip into `target/third-party`, once, and checked against its published hash. Every instruction
//! must print as llvm-objdump prints it, and every kernel gets a control flow graph. A default run takes one library's
//! smaller objects for all targets and its larger ones for two; `LUTHIER_TEST_LARGE=1` takes all of all.

use crate::wheel;

use std::fs;

use crate::listing::agree_with_objdump;
use codeobj::CodeObject;
use isa::Decoder;
use lift::{FunctionKind, Module};

/// Larger code objects are for these targets only, unless everything is wanted.
const LARGE: usize = 300_000;
const LARGE_TARGETS: [&str; 2] = ["gfx90a", "gfx1030"];

#[test]
fn published_libraries_decode_as_llvm_prints_them() {
    let libraries = match wheel::libraries() {
        Ok(libraries) => libraries,
        Err(why) => {
            return prerequisite::skip(&format!(
                "no third-party code objects without the package index: {why}"
            ));
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
