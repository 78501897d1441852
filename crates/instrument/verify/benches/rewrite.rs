//! Seconds to instrument every kernel of rocRAND: a hook at every instruction, a counter in every block. Times are the
//! least of some rounds.
//! `cargo bench -p verify --bench rewrite`

use codeobj::CodeObject;
use lift::{FunctionKind, Module};
use rewrite::{Action, CounterArray, HookVariants, Insertion, Lanes, Plan, Point, Value};
use std::{path::Path, time::Instant};

/// Each measurement is the least of so many.
const ROUNDS: u32 = 30;
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";

fn main() {
    let Ok(bytes) = std::fs::read(LIBRARY) else {
        eprintln!("{LIBRARY} is missing; install librocrand1 or run ./dev setup");
        return;
    };
    for entry in codeobj::walk(&bytes).expect("reads").code_objects() {
        let Ok(object) = CodeObject::parse(&entry.bytes) else {
            continue;
        };
        let target = object.target().target;
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let bundle = hook::build_tool(&hook::ToolRequest {
            source: &root.join("tests/hooks.hip"),
            include: &root.join("../../../include"),
            hooks: &|_| Ok(vec![("count".to_owned(), vec![hook::Arg::Scalar])]),
            targets: &[target.name],
            clang: "clang-22",
        })
        .unwrap_or_else(|error| panic!("{error}"));
        let hook = HookVariants::find(&bundle, "count", target.name, target.wave_size);
        let hook = hook.expect("built above");
        let (mut module, mut lifted) = (None, f64::INFINITY);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            module = Some(Module::lift(&object).expect("lifts"));
            lifted = lifted.min(start.elapsed().as_secs_f64());
        }
        let module = module.expect("lifted above");
        let every = measure(&object, &module, |kernel| {
            every_instruction(&module, kernel, &hook)
        });
        let blocks = measure(&object, &module, |kernel| every_block(&module, kernel));
        let code: u64 = module.functions.iter().map(|function| function.size).sum();
        println!(
            "{:8} lift {lifted:.4} s; {} sites with a hook {:.4} s, {:.2} us each; {} counted blocks {:.4} s; \
             every block of 20 MB {:.2} s",
            target.name,
            every.0,
            every.1,
            every.1 * 1e6 / f64::from(every.0),
            blocks.2,
            blocks.1,
            (lifted + blocks.1) * 2e7 / code as f64,
        );
    }
}

/// Sites, seconds, insertions.
fn measure<'t>(
    object: &CodeObject<'_>,
    module: &Module,
    plan: impl Fn(usize) -> Plan<'t>,
) -> (u32, f64, usize) {
    let (mut sites, mut insertions, mut plans) = (0, 0, Vec::new());
    for (index, function) in module.functions.iter().enumerate() {
        if function.kind == FunctionKind::Kernel {
            let plan = plan(index);
            insertions += plan.insertions.len();
            plans.push((index, plan));
        }
    }
    let mut seconds = f64::INFINITY;
    for _ in 0..ROUNDS {
        sites = 0;
        let start = Instant::now();
        let kernels = rewrite::Kernels::all(object).expect("reads");
        for (index, plan) in &plans {
            let rewritten = rewrite::rewrite_of(&kernels, module, *index, plan)
                .unwrap_or_else(|refusal| panic!("{}: {refusal}", module.functions[*index].name));
            sites += rewritten.report.sites;
        }
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    (sites, seconds, insertions)
}

fn every_instruction<'t>(module: &Module, kernel: usize, hook: &HookVariants<'t>) -> Plan<'t> {
    let call = |inst| Insertion {
        function: kernel,
        inst,
        point: Point::Before,
        action: Action::Call {
            hook: 0,
            arguments: vec![("parameter:0".to_owned(), Value::Constant(1))],
            lanes: Lanes::First,
        },
    };
    Plan {
        hooks: vec![hook.clone()],
        insertions: (0..module.functions[kernel].insts.len())
            .map(call)
            .collect(),
        ..Plan::default()
    }
}

fn every_block(module: &Module, kernel: usize) -> Plan<'static> {
    let blocks = &module.functions[kernel].blocks;
    let count = |(index, block): (usize, &lift::Block)| Insertion {
        function: kernel,
        inst: block.first,
        point: Point::Before,
        action: Action::Count {
            array: 0,
            index,
            amount: 1,
        },
    };
    Plan {
        insertions: blocks.iter().enumerate().map(count).collect(),
        counters: vec![CounterArray {
            global: 0,
            length: blocks.len(),
        }],
        globals: vec!["blocks".to_owned()],
        ..Plan::default()
    }
}
