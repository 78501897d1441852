//! Hooks at every instruction leave every live register and all memory alone; planted mistakes are found.

use crate::common::{Tool, compile, compile_with, launches, plan_each};
use codeobj::CodeObject;
use isa::{Assembler, Effects, Operand, RegKind};
use lift::Module;
use rewrite::{Change, ChangeAt, Plan, Point};
use verify::{Difference, Verdict, lockstep, poison};

fn same(target: &str) {
    same_with(target, &[]);
}

/// With further options of the compiler.
fn same_with(target: &str, options: &[&str]) {
    let bytes = compile_with(target, options);
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let tool = Tool::build(target);
    let mut different = Vec::new();
    for launch in launches() {
        let name = &launch.kernel;
        let kernel = module.function(name).expect("compiled above");
        let plan = plan_each(&module, kernel, &tool);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}"));
        let globals = &tool.bundle.globals;
        let verdicts = [
            lockstep(&object, &module, &rewritten, globals, &launch),
            poison(&object, &module, &launch, 0x9e37_79b9),
        ];
        for verdict in verdicts {
            match verdict.unwrap_or_else(|error| panic!("{target} {name}: {error}")) {
                Verdict::Same {
                    compared,
                    waves,
                    stopped: None,
                } => assert!(compared > waves && waves > 0),
                Verdict::Diverged(divergence) => different.push(format!("{name}: {divergence}")),
                other => different.push(format!("{name}: {other:?}")),
            }
        }
    }
    assert!(different.is_empty(), "{target}: {different:#?}");
}

#[test]
fn registers_and_memory_stay_the_same_gfx90a() {
    same("gfx90a");
}

#[test]
fn registers_and_memory_stay_the_same_elsewhere() {
    same("gfx908");
    same("gfx1030");
}

/// 64-bit moves and sums, scratch without a resource, work-group numbers in other registers.
#[test]
fn registers_and_memory_stay_the_same_gfx94x() {
    same("gfx942");
    same("gfx950");
}

/// Halves of registers, dual instructions and waits of gfx11, in both wave sizes.
#[test]
fn registers_and_memory_stay_the_same_gfx11() {
    same("gfx1100");
    same("gfx1151");
    same_with("gfx1100", &["-mwavefrontsize64"]);
}

/// Split counters and scalar floats of gfx12.
#[test]
fn registers_and_memory_stay_the_same_gfx12() {
    same("gfx1200");
    same("gfx1201");
    same_with("gfx1201", &["-mwavefrontsize64"]);
}

/// Adds one instruction in front of the first store of `scale`, which writes what is stored there.
#[test]
fn a_changed_register_is_named() {
    let bytes = compile("gfx90a");
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let launch = launches()
        .into_iter()
        .find(|launch| launch.kernel == "scale")
        .expect("there is a launch of it");
    let kernel = module.function("scale").expect("compiled above");
    let function = &module.functions[kernel];
    let store = (0..function.insts.len())
        .find(|&inst| function.insts.at(inst).effects.contains(Effects::STORE))
        .expect("it stores");
    let register = function
        .insts
        .at(store)
        .operands
        .iter()
        .find_map(|operand| match operand {
            Operand::Use(reg) if reg.kind == RegKind::Vgpr && reg.width == 1 => Some(reg.index),
            _ => None,
        })
        .expect("an address or data in one VGPR");
    let assembler = Assembler::new(module.target).expect("gfx90a has one");
    let text = format!("v_add_u32 v{register}, 1, v{register}");
    let plan = Plan {
        changes: vec![ChangeAt {
            function: kernel,
            inst: store,
            change: Change::Add {
                point: Point::Before,
                bytes: assembler.assemble(&text).expect("valid"),
            },
        }],
        ..Plan::default()
    };
    let rewritten = rewrite::rewrite(&object, &module, kernel, &plan).expect("rewrites");
    let verdict = lockstep(&object, &module, &rewritten, &[], &launch).expect("runs");
    let Verdict::Diverged(divergence) = verdict else {
        panic!("not noticed")
    };
    let place = divergence.place.as_ref().expect("has a place");
    assert_eq!(place.pc, function.insts.pc(store), "{divergence}");
    let Difference::Register { part, .. } = divergence.what else {
        panic!("{divergence}")
    };
    assert!(part.to_string().starts_with(&format!("v{register} lane")));
}
