//! Kernels that wait are compared as far as they go, and those that wait for each other or not for ever to their end.

use crate::common::{Tool, compile_file, launch, plan_each};
use codeobj::CodeObject;
use lift::Module;
use rewrite::Rewritten;
use verify::{Difference, Input, StopReason, Verdict, Wait, lockstep, poison};

const SOURCE: &str = include_str!("waits.c");
const TARGETS: [&str; 4] = ["gfx90a", "gfx1030", "gfx1100", "gfx1201"];
const NUMBER: u32 = 128;

struct Bench {
    target: &'static str,
    bytes: Vec<u8>,
    tool: Tool,
}

impl Bench {
    fn new(target: &'static str) -> Bench {
        Bench {
            target,
            bytes: compile_file("waits.c", target, &[]),
            tool: Tool::build(target),
        }
    }
}

/// The verdict on `kernel` with a hook at every instruction, after `change` has changed the new code.
fn judge(bench: &Bench, kernel: &str, change: impl Fn(&mut Rewritten)) -> Verdict {
    let Bench {
        target,
        bytes,
        tool,
    } = bench;
    let object = CodeObject::parse(bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let index = module.function(kernel).expect("is there");
    let plan = plan_each(&module, index, tool);
    let mut rewritten = rewrite::rewrite(&object, &module, index, &plan)
        .unwrap_or_else(|refusal| panic!("{target} {kernel}: {refusal}"));
    change(&mut rewritten);
    let zeros = || Input::Buffer(vec![0; 4 * NUMBER as usize]);
    let launch = launch(kernel, vec![zeros(), zeros(), Input::number(NUMBER)]);
    let verdict = lockstep(&object, &module, &rewritten, &tool.bundle.globals, &launch)
        .unwrap_or_else(|error| panic!("{target} {kernel}: {error}"));
    let own = poison(&object, &module, &launch, 0x9e37_79b9)
        .unwrap_or_else(|error| panic!("{target} {kernel}, poisoned: {error}"));
    assert_eq!(
        std::mem::discriminant(&own),
        std::mem::discriminant(&match &verdict {
            Verdict::Diverged(_) => own.clone(),
            other => other.clone(),
        }),
        "{target} {kernel}, poisoned: {own:?}"
    );
    verdict
}

/// Checks that the kernel waits, and looks at memory in one of the lines that contain a text.
fn waits(bench: &Bench, kernel: &str, line: &str) -> Wait {
    let target = bench.target;
    let verdict = judge(bench, kernel, |_| ());
    let Verdict::Part {
        compared,
        waves,
        why: StopReason::Waits(wait),
    } = verdict
    else {
        panic!("{target} {kernel}: {verdict:?}")
    };
    assert!(
        waves >= 2 && compared > 10 * waves,
        "{target}: {compared} of {waves}"
    );
    let read = wait.reads.clone().expect("it reads");
    assert!(read.address != 0, "{target} {kernel}: {read:?}");
    assert!(read.instruction.contains("load_"), "{read:?}");
    let source = read.source.expect("there are line tables");
    let mut lines = (1..)
        .zip(SOURCE.lines())
        .filter(|(_, text)| text.contains(line));
    assert!(
        lines.any(|(number, _)| source.contains(&format!("waits.c:{number} "))),
        "{target} {kernel}: {source}"
    );
    wait
}

#[test]
fn who_waits_for_somebody_outside_is_told_apart() {
    for target in TARGETS {
        let bench = Bench::new(target);
        let wait = waits(&bench, "answer", "while (look(&in[3])");
        let place = wait.place.expect("has a place");
        assert!(place.instruction.contains("branch"), "{place}");
        waits(&bench, "question", "look(&in[5])");
    }
}

#[test]
fn who_waits_for_each_other_or_not_for_ever_ends() {
    for target in TARGETS {
        let bench = Bench::new(target);
        for kernel in ["turns", "barriers", "patience"] {
            let verdict = judge(&bench, kernel, |_| ());
            assert!(
                matches!(verdict, Verdict::Same { stopped: None, .. }),
                "{target} {kernel}: {verdict:?}"
            );
        }
    }
}

/// A difference before the wait is found: the first store is left out.
#[test]
fn what_goes_wrong_before_a_wait_is_found() {
    let bench = Bench::new("gfx90a");
    let object = CodeObject::parse(&bench.bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let function = &module.functions[module.function("answer").expect("is there")];
    let store = function
        .insts
        .iter()
        .find(|inst| inst.effects.contains(isa::Effects::STORE))
        .expect("it stores");
    let verdict = judge(&bench, "answer", |rewritten| {
        let mut pairs = rewritten.pairs(&module);
        let new = pairs
            .find(|pair| pair.old == store.pc && !pair.inserted)
            .expect("was laid out")
            .new;
        drop(pairs);
        let start = new as usize;
        for word in rewritten.text[start..start + usize::from(store.size)].chunks_exact_mut(4) {
            // s_nop 0
            word.copy_from_slice(&0xbf80_0000_u32.to_le_bytes());
        }
    });
    let Verdict::Diverged(divergence) = verdict else {
        panic!("not noticed: {verdict:?}")
    };
    assert!(
        matches!(divergence.what, Difference::Memory { buffer: 0, .. }),
        "{divergence}"
    );
}
