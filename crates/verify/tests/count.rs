//! A counter before every instruction counts what the device retires, and changes nothing else.

mod common;

use codeobj::CodeObject;
use common::{Tool, compile, launches, plan_each};
use lift::Module;

fn check(target: &str) {
    let bytes = compile(target);
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let tool = Tool::build(target);
    for launch in launches() {
        let kernel = module.function(&launch.kernel).expect("compiled above");
        let before = verify::run(&bytes, &launch, &[]).expect("the original runs");
        let plan = plan_each(&module, kernel, &tool);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{target} {}: {refusal}", launch.kernel));
        let instrumented =
            rewrite::static_object(&[rewritten], &object, &tool.bundle.globals).expect("writes");
        let after = verify::run(&instrumented, &launch, &[("total", 8)])
            .unwrap_or_else(|error| panic!("{target} {}: {error}", launch.kernel));
        assert_eq!(before.buffers, after.buffers, "{target} {}", launch.kernel);
        let total = u64::from_le_bytes(after.variables[0].clone().try_into().expect("8 bytes"));
        assert_eq!(
            total, before.wave_instructions,
            "{target} {}",
            launch.kernel
        );
    }
}

#[test]
fn every_instruction_is_counted_gfx90a() {
    check("gfx90a");
}

#[test]
fn every_instruction_is_counted_elsewhere() {
    for target in ["gfx900", "gfx906", "gfx908", "gfx1030"] {
        check(target);
    }
}
