//! A counter before every instruction counts what the device retires, and changes nothing else.

use crate::common;

use crate::common::{Tool, compile, compile_with, launch, launches, plan_each, words};
use codeobj::CodeObject;
use lift::Module;
use verify::{Input, Launch};

/// Returns how many scalars, and how many first lanes, had to be put aside.
fn check(target: &str, bytes: &[u8], launches: &[Launch]) -> (u32, u32) {
    let mut saved = (0, 0);
    let object = CodeObject::parse(bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let tool = Tool::build(target);
    for launch in launches {
        let name = &launch.kernel;
        let kernel = module.function(name).expect("compiled");
        let before = verify::run(bytes, launch, &[])
            .unwrap_or_else(|error| panic!("the original on {target}: {error}"));
        let plan = plan_each(&module, kernel, &tool);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}"));
        saved.0 += rewritten.report.saved_scalars;
        saved.1 += rewritten.report.saved_lanes;
        let instrumented =
            rewrite::static_object(&[rewritten], &object, &tool.bundle.globals).expect("writes");
        let after = verify::run(&instrumented, launch, &[("total", 8)])
            .unwrap_or_else(|error| panic!("{target} {name}: {error}"));
        assert_eq!(before.buffers, after.buffers, "{target} {name}");
        let total = u64::from_le_bytes(after.variables[0].clone().try_into().expect("8 bytes"));
        assert_eq!(total, before.wave_instructions, "{target} {name}");
    }
    saved
}

#[test]
fn every_instruction_is_counted() {
    for target in [
        "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030", "gfx1100", "gfx1151", "gfx1200",
        "gfx1201",
    ] {
        check(target, &compile(target), &launches());
    }
}

/// Code grows beyond what a branch reaches.
#[test]
fn far_branches_hop() {
    let bytes = compile_with("gfx90a", &["-DBIG"]);
    let launch = launch("big", vec![words(0), words(1), Input::number(3)]);
    check("gfx90a", &bytes, &[launch]);
}

#[test]
fn a_large_kernel_is_counted() {
    let bytes = common::large_kernel("gfx90a", 7000);
    let object = CodeObject::parse(&bytes).expect("assembled");
    let full = object.symbols().iter().find(|symbol| symbol.name == "full");
    let size = full.expect("there").size;
    assert!(size > 200_000, "{size}");
    let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
    check("gfx90a", &bytes, &[launch]);
}

/// Kernels to whose SGPRs, and to whose VGPRs, nothing can be added: all are named, and most are live.
#[test]
fn live_registers_are_put_aside() {
    for target in ["gfx900", "gfx90a"] {
        let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        let launch = [launch];
        let (scalars, _) = check(target, &common::full_kernel(target, 102, 60), &launch);
        assert!(scalars > 100, "{scalars}");
        let (_, lanes) = check(target, &common::full_kernel(target, 60, 256), &launch);
        assert!(lanes > 100, "{lanes}");
    }
}
