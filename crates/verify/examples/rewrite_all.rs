//! Rewrites every kernel of a file: `rewrite_all FILE [TARGET]`. Prints time, sites, refusals and hazards.

use codeobj::CodeObject;
use lift::{FunctionKind, Module, Options, Program};
use rewrite::{Action, HookVariants, Insertion, Lanes, Plan, Point, Value};
use std::{collections::BTreeMap, path::Path, time::Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let bytes = std::fs::read(&arguments[0]).expect("readable");
    for entry in codeobj::walk(&bytes).expect("reads").code_objects() {
        let Ok(object) = CodeObject::parse(&entry.bytes) else {
            continue;
        };
        let target = object.target().target;
        if arguments.get(1).is_some_and(|wanted| wanted != target.name) {
            continue;
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let bundle = hook::build_tool(&hook::ToolRequest {
            source: &root.join("tests/hooks.hip"),
            include: &root.join("../../include"),
            hooks: &|_| Ok(vec![("count".to_owned(), vec![hook::Arg::Scalar])]),
            targets: &[target.name],
            clang: "clang-22",
        })
        .unwrap_or_else(|error| panic!("{error}"));
        let start = Instant::now();
        let module = Module::lift(&object).expect("lifts");
        let lifted = start.elapsed();
        let start = Instant::now();
        let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
        let (mut kernels, mut sites, mut after) = (0, 0u64, 0u64);
        let mut hazards = Vec::new();
        for (index, function) in module.functions.iter().enumerate() {
            if function.kind != FunctionKind::Kernel {
                continue;
            }
            kernels += 1;
            let hook = HookVariants::of(&bundle, "count", target.name, function.wave_size);
            let mut plan = Plan {
                hooks: hook.into_iter().collect(),
                ..Plan::default()
            };
            for inst in 0..function.insts.len() {
                plan.insertions.push(Insertion {
                    function: index,
                    inst,
                    point: Point::Before,
                    action: Action::Call {
                        hook: 0,
                        arguments: vec![("parameter:0".to_owned(), Value::Constant(1))],
                        lanes: Lanes::First,
                    },
                });
            }
            match rewrite::rewrite(&object, &module, index, &plan) {
                Ok(rewritten) => {
                    sites += u64::from(rewritten.report.sites);
                    after += rewritten.text.len() as u64;
                    if arguments.get(2).is_some_and(|what| what == "hazards") {
                        let functions = rewritten.functions.iter().map(|new| lift::FunctionSeed {
                            name: new.name.clone(),
                            kind: FunctionKind::Device,
                            entry: new.offset,
                            size: new.size,
                            wave_size: Some(function.wave_size),
                        });
                        let program = Program {
                            target,
                            code: vec![(0, &rewritten.text)],
                            functions: functions.collect(),
                            pointers: BTreeMap::new(),
                        };
                        let again =
                            Module::of_program(&program, Options::default()).expect("lifts");
                        for function in &again.functions {
                            for violation in hazard::check(function, target) {
                                hazards.push(format!("{}: {violation}", function.name));
                            }
                        }
                    }
                }
                Err(refusal) => {
                    let text = refusal.to_string();
                    let text: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
                    *refusals.entry(text).or_default() += 1;
                }
            }
        }
        let took = start.elapsed();
        println!(
            "{}: lift {:.2} s, {kernels} kernels, {} refused, {sites} sites, {after} bytes, {:.2} s, {:.2} us per site, {} hazards",
            target.name,
            lifted.as_secs_f64(),
            refusals.values().sum::<usize>(),
            took.as_secs_f64(),
            took.as_secs_f64() * 1e6 / sites as f64,
            hazards.len(),
        );
        for (text, count) in refusals.iter().take(10) {
            println!("  {count}: {text}");
        }
        for hazard in hazards.iter().take(5) {
            println!("  {hazard}");
        }
    }
}
