//! The end of a kernel's stack. Compilers call the stack dynamic as soon as a kernel calls, and no code may write behind a dynamic stack.

use crate::common::{Tool, compile_file, full_kernel, launch, plan_of_full, words};
use codeobj::CodeObject;
use lift::Module;
use rewrite::{Lanes, Refusal};
use verify::{Input, Subject, Verdict, lockstep};

#[test]
fn stacks_that_compilers_only_call_dynamic_are_told_from_those_that_are() {
    for target in ["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let bytes = compile_file("stack.c", target, &["-O0"]);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        for (name, fixed) in [
            ("deep", true),
            ("recursive", false),
            ("pointed", false),
            ("allocates", false),
        ] {
            let descriptor = object.kernel(name).expect("is there").descriptor;
            assert_eq!(descriptor.get("uses_dynamic_stack"), Some(1), "{target}");
            let kernel = module.function(name).expect("is there");
            assert_eq!(module.stack_is_fixed(kernel), fixed, "{target} {name}");
        }
    }
}

/// `full_kernel` with a descriptor that says so of its stack.
fn with_stack(target: &str, fixed: u64) -> Vec<u8> {
    // (Without s32, the stack pointer.)
    let mut bytes = full_kernel(target, 30, 256);
    let object = CodeObject::parse(&bytes).expect("assembled");
    let before = object.kernel("full").expect("is there").descriptor;
    let mut after = before.clone();
    for (field, value) in [
        ("private_segment_fixed_size", fixed),
        ("uses_dynamic_stack", 1),
    ] {
        after.set(field, value).expect("is a field");
    }
    let at = bytes
        .windows(64)
        .position(|window| window == before.bytes());
    let at = at.expect("the descriptor lies in the file");
    bytes[at..at + 64].copy_from_slice(after.bytes());
    bytes
}

/// A hook in all lanes of a kernel all of whose registers are live, so that some go to scratch: behind what the descriptor says, or
/// else behind what the launch does.
#[test]
fn registers_are_saved_behind_the_stack() {
    let target = "gfx90a";
    let tool = Tool::build(target);
    let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
    for fixed in [16, 0] {
        let bytes = with_stack(target, fixed);
        let object = CodeObject::parse(&bytes).expect("assembled");
        let module = Module::lift(&object).expect("lifts");
        let kernel = module.function("full").expect("is there");
        let mut plan = plan_of_full(&module, &tool, "count", Lanes::Active);
        let globals = &tool.bundle.globals;
        let first = rewrite::rewrite(&object, &module, kernel, &plan);
        let is_refused = matches!(first, Err(Refusal::DynamicStack));
        assert_eq!(is_refused, fixed == 0, "{first:?}");
        let stack = Subject::from(&launch).stack_size(&object).expect("known");
        assert!(stack >= 1024, "{stack}");
        plan.stack_size = Some(stack);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan).expect("has room");
        // (Spills one by one have room for what the hook takes, no more.)
        let (before, after) = rewritten.report.scratch;
        let more = after - before;
        assert!(
            before == fixed as u32 && (20..272).contains(&more),
            "{after}"
        );
        let verdict = lockstep(&object, &module, &rewritten, globals, &launch).expect("runs");
        assert!(matches!(verdict, Verdict::Same { .. }), "{verdict:?}");
        // No file knows its launches.
        let placed = rewrite::static_object(&[rewritten], &object, globals);
        assert_eq!(placed.err() == Some(Refusal::DynamicStack), fixed == 0);
    }
}
