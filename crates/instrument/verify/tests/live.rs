//! The object that is loaded beside the original: it runs, LLVM's tools read it, and source lines are found in it.

use crate::common::{Tool, compile, launches, plan_each};
use codeobj::{CodeObject, SourceLines};
use emulate::{Argument, Device, Shape};
use lift::Module;
use rewrite::Symbol;
use std::process::Command;
use verify::Input;

#[test]
fn live_objects_run_beside_the_original() {
    let bytes = compile("gfx90a");
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let tool = Tool::build("gfx90a");
    for launch in launches() {
        let name = &launch.kernel;
        let kernel = module.function(name).expect("compiled above");
        let before = verify::run(&bytes, &launch, &[]).expect("the original runs");
        let rewritten =
            rewrite::rewrite(&object, &module, kernel, &plan_each(&module, kernel, &tool))
                .expect("is rewritten");
        let (live, patches) = rewrite::live_object(&rewritten, &object).expect("is written");
        let parsed = CodeObject::parse(&live).expect("is a code object");
        let device = Device::new(parsed, 1).expect("loads");
        let descriptor = device.global(&format!("{name}.kd")).expect("is exported");
        let parsed = CodeObject::parse(&live).expect("is a code object");
        let base = descriptor
            - parsed
                .symbol(&format!("{name}.kd"))
                .expect("is there")
                .value;
        // The original as it would be loaded, for its data.
        let image = object.image();
        let mut memory = vec![0; image.size as usize];
        image.copy_to(&mut memory);
        let original = device.buffer(&memory, image.size).expect("fits");
        for relocation in object.dynamic_relocations().expect("reads") {
            const RELATIVE64: u32 = 13;
            assert_eq!(relocation.kind, RELATIVE64);
            let value = original.wrapping_add_signed(relocation.addend.expect("has one"));
            device
                .write(original + relocation.offset, &value.to_le_bytes())
                .expect("is mapped");
        }
        let total = device.buffer(&[], 8).expect("fits");
        for patch in &patches {
            let address = match &patch.symbol {
                Symbol::Original(address) => original + address,
                Symbol::Tool(name) => {
                    assert_eq!(name, "total");
                    total
                }
                Symbol::Text(_) => panic!("is left to the loader"),
            };
            let mut patched = live.clone();
            patch.apply(&mut patched, address);
            let at = patch.offset as usize;
            device
                .write(base + patch.offset, &patched[at..at + 4])
                .expect("is mapped");
        }
        let mut buffers = Vec::new();
        let arguments: Vec<Argument> = launch
            .inputs
            .iter()
            .map(|input| match input {
                Input::Buffer(contents) => {
                    let address = device
                        .buffer(contents, contents.len() as u64)
                        .expect("fits");
                    buffers.push((address, contents.len()));
                    Argument::pointer(address)
                }
                Input::Value(bytes) => Argument(bytes.clone()),
            })
            .collect();
        let shape = Shape {
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.dynamic_lds,
        };
        device
            .launch(name, &shape, &arguments)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for ((address, size), expected) in buffers.iter().zip(&before.buffers) {
            let mut contents = vec![0; *size];
            device.read(*address, &mut contents).expect("is mapped");
            assert_eq!(&contents, expected, "{name}");
        }
        let mut counted = [0; 8];
        device.read(total, &mut counted).expect("is mapped");
        assert_eq!(
            u64::from_le_bytes(counted),
            before.wave_instructions,
            "{name}"
        );
    }
}

#[test]
fn llvm_reads_it_and_lines_are_found() {
    let bytes = compile("gfx90a");
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let tool = Tool::build("gfx90a");
    let kernel = module.function("collatz").expect("compiled above");
    let rewritten = rewrite::rewrite(&object, &module, kernel, &plan_each(&module, kernel, &tool))
        .expect("is rewritten");
    let (live, _) = rewrite::live_object(&rewritten, &object).expect("is written");
    let work = tempfile::tempdir().expect("a temporary directory");
    let path = work.path().join("live.co");
    std::fs::write(&path, &live).expect("writes");
    let output = Command::new("llvm-readelf-22")
        .args(["--all"])
        .arg(&path)
        .output()
        .expect("llvm-22 is installed (./dev setup)");
    let text = String::from_utf8_lossy(&output.stdout);
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && warnings.is_empty(), "{warnings}");
    for expected in ["collatz.kd", "AMDGPU Metadata", "DYNAMIC", "gfx90a"] {
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    let parsed = CodeObject::parse(&live).expect("is a code object");
    let section = parsed.elf().section(".text").expect("is there");
    let lines = SourceLines::read(&parsed)
        .expect("reads")
        .expect("are there");
    let original = SourceLines::read(&object)
        .expect("reads")
        .expect("are there");
    let (mut found, mut depth) = (0, 0);
    for pair in rewritten.pairs(&module).filter(|pair| !pair.inserted) {
        let expected = original.line(pair.old).expect("reads");
        if expected.is_some() {
            let line = lines.line(section.address + pair.new).expect("reads");
            assert_eq!(line, expected, "at {:#x}", pair.old);
            // Inlined calls too; columns are not carried over.
            let place = |lines: &SourceLines, pc| {
                let frames = lines.frames(pc).expect("reads").into_iter();
                frames
                    .map(|frame| (frame.function, frame.file, frame.line))
                    .collect::<Vec<_>>()
            };
            let frames = place(&lines, section.address + pair.new);
            assert_eq!(frames, place(&original, pair.old), "at {:#x}", pair.old);
            depth = depth.max(frames.len());
            found += 1;
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn nothing_inserted_changes_nothing() {
    let bytes = compile("gfx90a");
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let unchanged = rewrite::static_object(&[], &object, &[]).expect("writes");
    assert_eq!(unchanged, bytes);
    // And a kernel laid out anew without insertions is the same code but for addresses of data.
    let module = Module::lift(&object).expect("lifts");
    let kernel = module.function("collatz").expect("compiled above");
    let plan = rewrite::Plan::default();
    let rewritten = rewrite::rewrite(&object, &module, kernel, &plan).expect("is rewritten");
    let function = &module.functions[kernel];
    let code = object
        .code_at(function.entry, function.size)
        .expect("is there");
    assert_eq!(&rewritten.text[..code.len()], code);
}
