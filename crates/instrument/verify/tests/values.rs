//! Values that a place supplies to hooks: addresses of memory accesses, values of the kernel's entry.

use crate::common::{Tool, closure, compile, full_kernel, hazards, launch, launches, words};
use codeobj::CodeObject;
use isa::{Effects, Format, Operand};
use lift::Module;
use rewrite::{Action, Insertion, Lanes, Plan, Point};
use verify::{Input, Launch, Verdict, lockstep};

const TARGETS: [&str; 6] = [
    "gfx900", "gfx908", "gfx90a", "gfx1030", "gfx1100", "gfx1201",
];

fn call(function: usize, inst: usize) -> Insertion {
    Insertion {
        function,
        inst,
        point: Point::Before,
        action: Action::Call {
            hook: 0,
            arguments: Vec::new(),
            lanes: Lanes::Active,
        },
    }
}

/// Every lane of `scale` loads and stores the word of its number.
#[test]
fn addresses_sizes_and_kinds_are_those_of_the_accesses() {
    for target in TARGETS {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        let kernel = module.function("scale").expect("compiled above");
        let mut plan = Plan {
            hooks: vec![tool.hook("trace")],
            ..Plan::default()
        };
        for (inst, decoded) in module.functions[kernel].insts.iter().enumerate() {
            let memory = Effects::LOAD | Effects::STORE;
            if decoded.effects.intersects(memory) && decoded.format != Format::Smem {
                plan.insertions.push(call(kernel, inst));
            }
        }
        assert_eq!(plan.insertions.len(), 2, "{target}");
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
        let instrumented =
            rewrite::static_object(&[rewritten], &object, &tool.bundle.globals).expect("writes");
        let launch = launches()
            .into_iter()
            .find(|launch| launch.kernel == "scale")
            .expect("is there");
        let before = verify::run(&bytes, &launch, &[]).expect("the original runs");
        let after = verify::run(&instrumented, &launch, &[("traced", 8)]).expect("runs");
        assert_eq!(before.buffers, after.buffers, "{target}");
        let traced = u64::from_le_bytes(after.variables[0].clone().try_into().expect("8 bytes"));
        // The 100 lanes that pass the bounds check load a global word, and store one.
        const LOAD: u64 = 4 * 512 + 16 + 1;
        const STORE: u64 = 4 * 512 + 16 + 2;
        let mut expected = 0u64;
        for lane in 0..100 {
            expected = expected
                .wrapping_add((after.addresses[1] + 4 * lane).wrapping_mul(LOAD))
                .wrapping_add((after.addresses[0] + 4 * lane).wrapping_mul(STORE));
        }
        assert_eq!(traced, expected, "{target}");
    }
}

/// Behind loads that overwrite their address it is what it was in front of them.
#[test]
fn overwritten_addresses_are_known_behind_the_instruction() {
    for target in TARGETS {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        let mut places = 0;
        for launch in launches() {
            let kernel = module.function(&launch.kernel).expect("compiled above");
            // The hook behind subtracts what the hook in front adds.
            let traced = |points: &[(Point, usize)]| {
                let mut plan = Plan {
                    hooks: vec![tool.hook("trace"), tool.hook("untrace")],
                    ..Plan::default()
                };
                for function in closure(&module, kernel) {
                    for (inst, decoded) in module.functions[function].insts.iter().enumerate() {
                        let points = points.iter().filter(|_| overwrites_address(&decoded));
                        plan.insertions
                            .extend(points.map(|(point, hook)| Insertion {
                                point: *point,
                                action: Action::Call {
                                    hook: *hook,
                                    arguments: Vec::new(),
                                    lanes: Lanes::Active,
                                },
                                ..call(function, inst)
                            }));
                    }
                }
                let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
                    .unwrap_or_else(|refusal| panic!("{target} {}: {refusal}", launch.kernel));
                assert_eq!(hazards(&rewritten, &module), [""; 0], "{target}");
                let globals = &tool.bundle.globals;
                let verdict = lockstep(&object, &module, &rewritten, globals, &launch);
                assert!(matches!(verdict, Ok(Verdict::Same { .. })), "{verdict:?}");
                let instrumented =
                    rewrite::static_object(&[rewritten], &object, globals).expect("writes");
                let after = verify::run(&instrumented, &launch, &[("traced", 8)]).expect("runs");
                u64::from_le_bytes(after.variables[0].clone().try_into().expect("8 bytes"))
            };
            places += usize::from(traced(&[(Point::Before, 0)]) != 0);
            let rest = traced(&[(Point::Before, 0), (Point::After, 1)]);
            assert_eq!(rest, 0, "{target} {}", launch.kernel);
        }
        assert!(places > 0, "{target}");
    }
}

/// Returns `true` if a load writes a register that it reads, beside those of images and buffers.
fn overwrites_address(inst: &isa::Decoded) -> bool {
    let formats = [Format::Global, Format::Flat, Format::Ds, Format::Smem];
    let registers = |wanted: fn(&Operand) -> Option<isa::Reg>| {
        inst.operands.iter().filter_map(wanted).collect::<Vec<_>>()
    };
    let written = registers(|operand| match operand {
        Operand::Def(reg) => Some(*reg),
        _ => None,
    });
    let read = registers(|operand| match operand {
        // Scalar loads by an address.
        Operand::Use(reg) if reg.width <= 2 => Some(*reg),
        _ => None,
    });
    let overlap = |a: &isa::Reg, b: &isa::Reg| {
        let (end_a, end_b) = (a.index + u16::from(a.width), b.index + u16::from(b.width));
        a.kind == b.kind && a.index < end_b && b.index < end_a
    };
    inst.effects.contains(Effects::LOAD)
        && !inst.effects.contains(Effects::STORE)
        && formats.contains(&inst.format)
        && read
            .iter()
            .any(|read| written.iter().any(|written| overlap(read, written)))
}

#[test]
fn values_of_the_entry_arrive_everywhere() {
    for target in TARGETS {
        let bytes = compile(target);
        let tool = Tool::build(target);
        for launch in launches() {
            entry_values(target, &bytes, &launch, &tool);
        }
    }
}

/// With every SGPR named there is none to keep them in.
#[test]
fn values_of_the_entry_wait_in_lanes() {
    for target in ["gfx900", "gfx908", "gfx90a"] {
        let bytes = full_kernel(target, 102, 40);
        let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        entry_values(target, &bytes, &launch, &Tool::build(target));
    }
}

/// At the end of every block.
fn entry_values(target: &str, bytes: &[u8], launch: &Launch, tool: &Tool) {
    let object = CodeObject::parse(bytes).expect("linked");
    let module = Module::lift(&object).expect("lifts");
    let name = &launch.kernel;
    let kernel = module.function(name).expect("is there");
    let mut plan = Plan {
        hooks: vec![tool.hook("entry_values")],
        ..Plan::default()
    };
    for function in closure(&module, kernel) {
        for block in &module.functions[function].blocks {
            plan.insertions.push(call(function, block.end - 1));
        }
    }
    let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
        .unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}"));
    assert_eq!(hazards(&rewritten, &module), [""; 0], "{target} {name}");
    let globals = &tool.bundle.globals;
    let verdict = lockstep(&object, &module, &rewritten, globals, launch);
    assert!(
        matches!(verdict, Ok(Verdict::Same { .. })),
        "{target} {name}: {verdict:?}"
    );
    let instrumented = rewrite::static_object(&[rewritten], &object, globals).expect("writes");
    let before = verify::run(bytes, launch, &[]).expect("the original runs");
    let after = verify::run(&instrumented, launch, &[("seen", 64)])
        .unwrap_or_else(|error| panic!("{target} {name}: {error}"));
    assert_eq!(before.buffers, after.buffers, "{target} {name}");
    let seen: Vec<u64> = after.variables[0]
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")))
        .collect();
    let number = number(launch);
    let first = after.addresses[0];
    // The packet has no launch number.
    assert_eq!(
        seen,
        [first, first, number, number, 0, 0, 0, 0],
        "{target} {name}"
    );
}

fn number(launch: &Launch) -> u64 {
    match &launch.inputs[2] {
        Input::Value(bytes) => {
            u32::from_le_bytes(bytes.clone().try_into().expect("4 bytes")).into()
        }
        Input::Buffer(_) => panic!("the third argument is a number"),
    }
}
