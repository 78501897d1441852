//! Counters that waves keep in registers.

use crate::common;

use crate::common::{Tool, compile, launches, plan_blocks, plan_sum};
use codeobj::CodeObject;
use lift::Module;
use rewrite::Action;

const TARGETS: [&str; 7] = [
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030", "gfx1100", "gfx1201",
];

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}

#[test]
fn sums_in_scalar_registers_are_exact() {
    for target in TARGETS {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        for launch in launches() {
            let name = &launch.kernel;
            let kernel = module.function(name).expect("compiled above");
            let before = verify::run(&bytes, &launch, &[]).expect("the original runs");
            let plan = plan_sum(&module, kernel, &tool);
            let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
                .unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}"));
            let instrumented = rewrite::static_object(&[rewritten], &object, &tool.bundle.globals)
                .expect("writes");
            let after = verify::run(&instrumented, &launch, &[("total", 8)])
                .unwrap_or_else(|error| panic!("{target} {name}: {error}"));
            assert_eq!(before.buffers, after.buffers, "{target} {name}");
            assert_eq!(
                word(&after.variables[0]),
                before.wave_instructions,
                "{target} {name}"
            );
        }
    }
}

#[test]
fn counts_of_blocks_are_exact() {
    for target in TARGETS {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        for launch in launches() {
            let name = &launch.kernel;
            let kernel = module.function(name).expect("compiled above");
            let before = verify::run(&bytes, &launch, &[]).expect("the original runs");
            let (plan, lengths) = plan_blocks(&module, kernel);
            let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
                .unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}"));
            let instrumented = rewrite::static_object(&[rewritten], &object, &tool.bundle.globals)
                .expect("writes");
            let after = verify::run(&instrumented, &launch, &[("blocks", 4096 * 8)])
                .unwrap_or_else(|error| panic!("{target} {name}: {error}"));
            assert_eq!(before.buffers, after.buffers, "{target} {name}");
            let counts: Vec<u64> = after.variables[0].chunks_exact(8).map(word).collect();
            let (counted, rest) = counts.split_at(lengths.len());
            let total: u64 = counted
                .iter()
                .zip(&lengths)
                .map(|(count, length)| count * length)
                .sum();
            assert_eq!(total, before.wave_instructions, "{target} {name}");
            assert!(rest.iter().all(|count| *count == 0), "{target} {name}");
            let added = (after.wave_instructions - before.wave_instructions) as f64;
            println!(
                "{target} {name}: {:.3} added per instruction",
                added / before.wave_instructions as f64
            );
        }
    }
}

/// Amounts of which two are more than 32 bits hold, in loops, functions and recursion: each block's sum is its count so many
/// times over.
#[test]
fn sums_of_one_wave_may_have_64_bits() {
    const AMOUNT: u32 = 0xffff_fff1;
    for target in TARGETS {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        for launch in launches() {
            let name = &launch.kernel;
            let kernel = module.function(name).expect("compiled above");
            let counts = |amount: u32| -> Vec<u64> {
                let (mut plan, _) = plan_blocks(&module, kernel);
                for insertion in &mut plan.insertions {
                    if let Action::Count { amount: of, .. } = &mut insertion.action {
                        *of = amount;
                    }
                }
                let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
                    .unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}"));
                let hazards = common::hazards(&rewritten, &module);
                assert!(hazards.is_empty(), "{target} {name}: {hazards:?}");
                let globals = &tool.bundle.globals;
                let instrumented =
                    rewrite::static_object(&[rewritten], &object, globals).expect("writes");
                let after = verify::run(&instrumented, &launch, &[("blocks", 4096 * 8)])
                    .unwrap_or_else(|error| panic!("{target} {name}: {error}"));
                after.variables[0].chunks_exact(8).map(word).collect()
            };
            let (one, many) = (counts(1), counts(AMOUNT));
            assert!(one.iter().any(|count| *count > 1), "{target} {name}");
            for (block, (one, many)) in one.iter().zip(&many).enumerate() {
                let expected = one * u64::from(AMOUNT);
                assert_eq!(*many, expected, "{target} {name} block {block}");
            }
        }
    }
}

/// On devices that are not emulated, too, nothing comes too early.
#[test]
fn sums_of_64_bits_keep_their_distances() {
    for target in ["gfx942", "gfx950", "gfx1100", "gfx1150", "gfx1200"] {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        for launch in launches() {
            let name = &launch.kernel;
            let kernel = module.function(name).expect("compiled above");
            let (mut plan, _) = plan_blocks(&module, kernel);
            for insertion in &mut plan.insertions {
                if let Action::Count { amount, .. } = &mut insertion.action {
                    *amount = 2;
                }
            }
            let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
                .unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}"));
            let hazards = common::hazards(&rewritten, &module);
            assert!(hazards.is_empty(), "{target} {name}: {hazards:?}");
        }
    }
}
