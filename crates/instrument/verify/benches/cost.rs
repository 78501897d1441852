//! Wave instructions that instrumenting adds per instruction of the application, over the launches of the tests. It measures a hook that
//! does nothing at every instruction, and a counter in every block. The naive way to count blocks is beside them: a call around which all
//! registers of the kernel are saved and restored. `cargo bench -p verify --bench cost`

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/common/mod.rs"]
mod common;

use codeobj::CodeObject;
use common::{closure, compile, launches, plan_blocks};
use isa::Assembler;
use lift::{Module, RegisterSet};
use rewrite::{Action, Change, ChangeAt, HookVariants, Insertion, Lanes, Plan, Point, Rewritten};
use std::fmt::Write;
use template::Global;
use verify::Launch;

const TARGETS: [&str; 2] = ["gfx900", "gfx90a"];

/// Instructions retired with this code instead of the original's; its results must be the same.
fn retired(
    rewritten: Rewritten,
    object: &CodeObject<'_>,
    globals: &[Global],
    launch: &Launch,
    before: &verify::Outcome,
) -> u64 {
    let bytes = rewrite::static_object(&[rewritten], object, globals).expect("writes");
    let after = verify::run(&bytes, launch, &[]).expect("runs");
    assert_eq!(before.buffers, after.buffers, "{}", launch.kernel);
    after.wave_instructions
}

fn empty_everywhere<'t>(module: &Module, kernel: usize, hook: &HookVariants<'t>) -> Plan<'t> {
    let mut plan = Plan {
        hooks: vec![hook.clone()],
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
                    arguments: Vec::new(),
                    lanes: Lanes::Active,
                },
            });
        }
    }
    plan
}

/// Registers for the naive way: those of the kernel, and some that it does not name.
struct Registers {
    scalars: u16,
    vectors: u16,
    free: u16,
}

/// Saves everything, calls a function that returns at once, restores everything.
fn naive_call(registers: &Registers, scratch: u32) -> String {
    let Registers {
        scalars,
        vectors,
        free,
    } = *registers;
    let (exec, link, target, offset, scc) = (free, free + 2, free + 4, free + 6, free + 7);
    let mut text = format!(
        "s_cselect_b32 s{scc}, 1, 0\ns_mov_b64 s[{exec}:{}], exec\ns_mov_b64 exec, -1\ns_mov_b32 s{offset}, {scratch}\n",
        exec + 1
    );
    let special = ["vcc_lo", "vcc_hi"];
    for v in 0..vectors {
        let _ = writeln!(
            text,
            "scratch_store_dword off, v{v}, s{offset} offset:{}",
            4 * v
        );
    }
    let lane = |index: u16| format!("v{}, {{}}, {}", index / 64, index % 64);
    let names: Vec<String> = (0..scalars)
        .map(|number| format!("s{number}"))
        .chain(special.map(str::to_owned))
        .collect();
    for (index, name) in names.iter().enumerate() {
        let _ = writeln!(
            text,
            "v_writelane_b32 {}",
            lane(index as u16).replace("{}", name)
        );
    }
    let pair = |first: u16| format!("s[{first}:{}]", first + 1);
    let (to, back) = (pair(target), pair(link));
    let _ = write!(
        text,
        "s_mov_b64 exec, {}\ns_getpc_b64 {to}\ns_add_u32 s{target}, s{target}, 16\ns_addc_u32 s{}, s{}, 0\n\
         s_swappc_b64 {back}, {to}\ns_branch 1\ns_setpc_b64 {back}\ns_mov_b64 exec, -1\n",
        pair(exec),
        target + 1,
        target + 1
    );
    for (index, name) in names.iter().enumerate() {
        let (vgpr, lane) = (index / 64, index % 64);
        let _ = writeln!(text, "v_readlane_b32 {name}, v{vgpr}, {lane}");
    }
    for v in 0..vectors {
        let _ = writeln!(
            text,
            "scratch_load_dword v{v}, off, s{offset} offset:{}",
            4 * v
        );
    }
    let _ = write!(
        text,
        "s_waitcnt vmcnt(0)\ns_mov_b64 exec, {}\ns_cmp_lg_u32 s{scc}, 0\n",
        pair(exec)
    );
    text
}

/// The naive call at the start of every block.
fn naive(object: &CodeObject<'_>, module: &Module, kernel: usize) -> Rewritten {
    let functions = closure(module, kernel);
    let mut named = RegisterSet::default();
    for function in &functions {
        named.unite(module.named_alone(*function));
    }
    let below = |set: Option<u16>| set.map_or(0, |highest| highest + 1);
    let scalars = below(named.scalars.iter().filter(|number| *number < 94).max());
    let registers = Registers {
        scalars,
        vectors: below(named.vectors.iter().filter(|number| *number < 256).max()).max(2),
        free: scalars.next_multiple_of(2),
    };
    let name = &module.functions[kernel].name;
    let before = object.kernel(name).expect("is there").descriptor;
    let scratch = before.private_segment_size().next_multiple_of(4);
    let assembler = Assembler::new(module.target).expect("an assembler");
    let mut plan = Plan::default();
    for function in functions {
        for block in &module.functions[function].blocks {
            let text = naive_call(&registers, scratch);
            plan.changes.push(ChangeAt {
                function,
                inst: block.first,
                change: Change::Add {
                    point: Point::Before,
                    bytes: assembler
                        .assemble(&text)
                        .unwrap_or_else(|error| panic!("{error}")),
                },
            });
        }
    }
    let mut rewritten = rewrite::rewrite(object, module, kernel, &plan)
        .unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    let descriptor = &mut rewritten.descriptor;
    let size = scratch + 4 * u32::from(registers.vectors);
    let sgprs = u32::from(registers.free) + 8 + 6;
    descriptor
        .set("private_segment_fixed_size", size.into())
        .expect("fits");
    descriptor.set("enable_private_segment", 1).expect("fits");
    descriptor.require_sgprs(sgprs).expect("fits");
    descriptor
        .require_vgprs(registers.vectors.into())
        .expect("fits");
    rewritten
}

fn main() {
    for target in TARGETS {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let bundle = hook::build_tool(&hook::ToolRequest {
            source: &root.join("../tools/hooks/empty.hip"),
            include: &root.join("../../../include"),
            hooks: &|_| Ok(vec![("nothing".to_owned(), Vec::new())]),
            targets: &[target],
            clang: "clang-22",
        })
        .unwrap_or_else(|error| panic!("{error}"));
        let hook = HookVariants::find(&bundle, "nothing", target, 64).expect("built above");
        let (mut original, mut added) = (0, [0u64; 3]);
        for launch in launches() {
            // Its frames overlap what lies behind them, as launches here know nothing of stacks that grow.
            if launch.kernel == "recurse" || launch.kernel == "indirect" {
                continue;
            }
            let kernel = module.function(&launch.kernel).expect("compiled");
            let before = verify::run(&bytes, &launch, &[]).expect("the original runs");
            let rewritten = |plan: &Plan<'_>| {
                rewrite::rewrite(&object, &module, kernel, plan)
                    .unwrap_or_else(|refusal| panic!("{}: {refusal}", launch.kernel))
            };
            let blocks = plan_blocks(&module, kernel).0;
            let counters = Global {
                name: "blocks".to_owned(),
                size: 32768,
                alignment: 8,
                initial: None,
            };
            let ways = [
                (
                    rewritten(&empty_everywhere(&module, kernel, &hook)),
                    bundle.globals.clone(),
                ),
                (rewritten(&blocks), vec![counters]),
                (naive(&object, &module, kernel), Vec::new()),
            ];
            original += before.wave_instructions;
            for ((rewritten, globals), added) in ways.into_iter().zip(&mut added) {
                let after = retired(rewritten, &object, &globals, &launch, &before);
                *added += after - before.wave_instructions;
            }
        }
        let [empty, blocks, naive] = added.map(|added| added as f64 / original as f64);
        println!(
            "{target}: {original} wave instructions; added per instruction: empty at each {empty:.3}, a counter per block \
             {blocks:.3}, a call per block that saves and restores everything {naive:.1}"
        );
    }
}
