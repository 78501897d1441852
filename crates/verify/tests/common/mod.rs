//! What the tests share: kernels, a tool, launches.
#![allow(dead_code)] // not every test uses all of it

use hook::{Arg, Bundle, ToolRequest, build_tool};
use lift::{FunctionIndex, Module};
use rewrite::{
    Accumulator, Action, CounterArray, HookVariants, Insertion, Lanes, Plan, Point, Value,
};
use std::{collections::BTreeSet, path::Path, process::Command};
use verify::{Input, Launch};

/// `kernels.c` for a target.
pub fn compile(target: &str) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels.c");
    let work = tempfile::tempdir().expect("a temporary directory");
    let out = work.path().join("kernels.co");
    let output = Command::new("clang-22")
        .args([
            "-x",
            "c",
            "--target=amdgcn-amd-amdhsa",
            "-nogpulib",
            "-O2",
            "-g1",
        ])
        .arg("-fno-optimize-sibling-calls")
        .arg(format!("-mcpu={target}"))
        .arg("-o")
        .args([&out, &source])
        .output()
        .expect("clang-22 is installed (./dev setup)");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{target}: {errors}");
    std::fs::read(&out).expect("clang wrote it")
}

/// The hooks of `hooks.hip`, built for one target.
pub struct Tool {
    pub bundle: Bundle,
    target: String,
    wave_size: u8,
}

const HOOKS: &[(&str, &[Arg])] = &[
    ("count", &[Arg::Scalar]),
    ("add", &[Arg::Scalar, Arg::Scalar]),
];

impl Tool {
    pub fn build(target: &str) -> Tool {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let request = ToolRequest {
            source: &root.join("tests/hooks.hip"),
            include: &root.join("../../include"),
            hooks: HOOKS,
            targets: &[target],
            clang: "clang-22",
        };
        let bundle = build_tool(&request).unwrap_or_else(|error| panic!("{error}"));
        let wave_size = gfx::Target::find(target).expect("a known target").wave_size;
        Tool {
            bundle,
            target: target.to_owned(),
            wave_size,
        }
    }

    pub fn hook(&self, name: &str) -> HookVariants<'_> {
        HookVariants::of(&self.bundle, name, &self.target, self.wave_size).expect("built")
    }
}

/// The kernel and all it may call.
pub fn closure(module: &Module, kernel: FunctionIndex) -> BTreeSet<FunctionIndex> {
    let mut functions = BTreeSet::new();
    let mut todo = vec![kernel];
    while let Some(index) = todo.pop() {
        if functions.insert(index) {
            todo.extend(module.callees(index));
        }
    }
    functions
}

/// `count(1)` before every instruction.
pub fn plan_each<'t>(module: &Module, kernel: FunctionIndex, tool: &'t Tool) -> Plan<'t> {
    let mut plan = Plan {
        hooks: vec![tool.hook("count")],
        ..Plan::default()
    };
    for function in closure(module, kernel) {
        for inst in 0..module.functions[function].insts.len() {
            plan.insertions.push(Insertion {
                function,
                inst,
                point: Point::Before,
                action: Action::Call {
                    hook: 0,
                    arguments: vec![("parameter:0".to_owned(), Value::Constant(1))],
                    lanes: Lanes::First,
                },
            });
        }
    }
    plan
}

/// A sum in registers of what every instruction adds.
pub fn plan_sum<'t>(module: &Module, kernel: FunctionIndex, tool: &'t Tool) -> Plan<'t> {
    let mut plan = Plan {
        hooks: vec![tool.hook("add")],
        accumulators: vec![Accumulator {
            flush: 0,
            arguments: Vec::new(),
        }],
        ..Plan::default()
    };
    for function in closure(module, kernel) {
        for inst in 0..module.functions[function].insts.len() {
            plan.insertions.push(Insertion {
                function,
                inst,
                point: Point::Before,
                action: Action::Accumulate { slot: 0, amount: 1 },
            });
        }
    }
    plan
}

/// A counter for every block; returns the blocks' lengths too.
pub fn plan_blocks<'t>(module: &Module, kernel: FunctionIndex) -> (Plan<'t>, Vec<u64>) {
    let mut plan = Plan {
        globals: vec!["blocks".to_owned()],
        ..Plan::default()
    };
    let mut lengths = Vec::new();
    for function in closure(module, kernel) {
        for block in &module.functions[function].blocks {
            plan.insertions.push(Insertion {
                function,
                inst: block.first,
                point: Point::Before,
                action: Action::Count {
                    array: 0,
                    index: lengths.len(),
                    amount: 1,
                },
            });
            lengths.push(block.len() as u64);
        }
    }
    plan.counters.push(CounterArray {
        global: 0,
        length: lengths.len(),
    });
    (plan, lengths)
}

/// A launch of every kernel.
pub fn launches() -> Vec<Launch> {
    const WORK_ITEMS: u32 = 128;
    let words = |seed: u32| {
        Input::words((0..WORK_ITEMS).map(move |i| (i + seed).wrapping_mul(2_654_435_761) >> 12))
    };
    let floats = || Input::words((0..WORK_ITEMS).map(|i| (1.0f32 + i as f32 / 64.0).to_bits()));
    let launch = |kernel: &str, inputs: Vec<Input>| Launch {
        kernel: kernel.to_owned(),
        grid: [2, 1, 1],
        block: [64, 1, 1],
        dynamic_lds: 256,
        inputs,
    };
    let number = Input::number;
    vec![
        launch("scale", vec![words(0), words(1), number(100)]),
        launch("collatz", vec![words(0), words(1), number(50)]),
        launch("rare", vec![words(0), words(1), number(20)]),
        launch("reduce", vec![words(0), words(1), number(1000)]),
        launch("wide", vec![floats(), floats(), number(9)]),
        launch("calls", vec![words(0), words(1), number(77)]),
        launch("recurse", vec![words(0), words(1), number(7)]),
        launch("lookup", vec![words(0), words(1), number(6)]),
    ]
}
