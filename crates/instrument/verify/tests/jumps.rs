//! Code that goes where registers say: jumps to computed, chosen and stored addresses, return addresses of its own making. All of
//! it runs instrumented, is counted to the last instruction and sees what it sees otherwise; what goes elsewhere says so.

use crate::common::{Tool, assembled_with, compile, launch, launches, plan_each, plan_sum, words};
use codeobj::CodeObject;
use lift::{FunctionIndex, Module};
use rewrite::{Action, Insertion, Lanes, Plan, Point, Value};
use template::Global;
use verify::{Input, Launch, Verdict, lockstep};

const TARGETS: [&str; 6] = [
    "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201",
];

/// Eight rounds, with the round's number in s10 and its lowest two bits in s11.
const ROUNDS: &str = "s_mov_b32 s10, 0\n.Lround:\ns_and_b32 s11, s10, 3\n";
/// Four places, behind which rounds go on.
const PLACES: &str = ".La: v_add_u32 v1, 1, v1\ns_branch .Lnext\n.Lb: v_add_u32 v1, 10, v1\ns_branch .Lnext\n\
                      .Lc: s_movk_i32 s12, 100\nv_add_u32 v1, s12, v1\ns_branch .Lnext\n\
                      .Ld: s_movk_i32 s12, 1000\nv_add_u32 v1, s12, v1\n\
                      .Lnext: s_add_u32 s10, s10, 1\ns_cmp_lt_u32 s10, 8\ns_cbranch_scc1 .Lround\n";
/// Two functions.
const FUNCTIONS: &str = ".p2align 8\n.type one,@function\none: v_add_u32 v1, 1, v1\ns_setpc_b64 s[30:31]\n\
                         .Lone: .size one, .Lone-one\n.p2align 8\n.type two,@function\ntwo: v_add_u32 v1, 10, v1\n\
                         s_cmp_eq_u32 s10, 3\ns_cbranch_scc1 .Lodd\nv_add_u32 v1, 2, v1\n.Lodd: s_setpc_b64 s[30:31]\n\
                         .Ltwo: .size two, .Ltwo-two\n";

/// The address of a label to a pair of registers.
fn address(pair: u16, label: &str) -> String {
    let high = pair + 1;
    let here = format!(".Lhere_{pair}_{}", label.trim_start_matches(".L"));
    format!(
        "s_getpc_b64 s[{pair}:{high}]\n{here}:\ns_add_u32 s{pair}, s{pair}, {label}-{here}\ns_addc_u32 s{high}, s{high}, ({label}-{here})>>32\n"
    )
}

/// Examples: a name, the middle of a kernel, and the code behind the kernel.
fn shapes() -> Vec<(&'static str, String, String)> {
    let none = String::new;
    let functions = || FUNCTIONS.to_owned();
    let base = "s_getpc_b64 s[4:5]\n.Lh:\ns_add_u32 s4, s4, s11\ns_addc_u32 s5, s5, 0\n\
                s_add_u32 s4, s4, .Lt-.Lh\ns_addc_u32 s5, s5, 0\ns_setpc_b64 s[4:5]\n.Lt:\n";
    vec![
        (
            "a table of branches",
            format!(
                "{ROUNDS}s_lshl_b32 s11, s11, 2\n{base}s_branch .La\ns_branch .Lb\ns_branch .Lc\ns_branch .Ld\n{PLACES}"
            ),
            none(),
        ),
        (
            "the middle of straight code",
            format!(
                "{ROUNDS}s_lshl_b32 s11, s11, 2\n{base}v_add_u32 v1, 1, v1\nv_add_u32 v1, 2, v1\nv_add_u32 v1, 4, v1\n{PLACES}"
            ),
            none(),
        ),
        (
            "slots of code",
            format!(
                "{ROUNDS}s_lshl_b32 s11, s11, 3\n{base}v_add_u32 v1, 1, v1\ns_branch .Lnext\nv_add_u32 v1, 2, v1\n\
                 s_branch .Lnext\nv_add_u32 v1, 4, v1\ns_branch .Lnext\n{PLACES}"
            ),
            none(),
        ),
        (
            "one of two places",
            format!(
                "{ROUNDS}{}{}s_cmp_eq_u32 s11, 2\ns_cselect_b32 s18, s14, s16\ns_cselect_b32 s19, s15, s17\ns_setpc_b64 s[18:19]\n{PLACES}",
                address(14, ".La"),
                address(16, ".Lc"),
            ),
            none(),
        ),
        (
            "SCC behind a jump, and a load on its way",
            format!(
                "{ROUNDS}{}{}s_cmp_eq_u32 s11, 1\ns_cselect_b32 s18, s14, s16\ns_cselect_b32 s19, s15, s17\n\
                 s_load_dwordx4 s[0:3], s[4:5], 0x0\ns_cmp_eq_u32 s11, 2\ns_setpc_b64 s[18:19]\n.Lt: v_add_u32 v1, 64, v1\n\
                 .Lu: s_waitcnt lgkmcnt(0)\ns_cbranch_scc1 .Lb\n{PLACES}",
                address(14, ".Lt"),
                address(16, ".Lu"),
            ),
            none(),
        ),
        (
            "places in data",
            format!(
                "{ROUNDS}{}s_lshl_b32 s11, s11, 3\ns_add_u32 s14, s14, s11\ns_addc_u32 s15, s15, 0\n\
                 s_load_dwordx2 s[18:19], s[14:15], 0x0\ns_waitcnt lgkmcnt(0)\ns_setpc_b64 s[18:19]\n{PLACES}",
                "s_getpc_b64 s[14:15]\ns_add_u32 s14, s14, places@rel32@lo+4\ns_addc_u32 s15, s15, places@rel32@hi+12\n",
            ),
            ".section .data.rel.ro,\"aw\"\n.p2align 3\nplaces: .quad .La, .Lb, .Lc, .Ld\n.text\n"
                .to_owned(),
        ),
        (
            "places in memory",
            format!(
                "s_lshl_b32 s20, s6, 2\nv_mov_b32 v5, s20\nv_mov_b32 v2, 0\n{}{}v_mov_b32 v6, s14\nv_mov_b32 v7, s15\nv_mov_b32 v8, s16\n\
                 v_mov_b32 v9, s17\nglobal_store_dwordx4 v5, v[6:9], s[0:1]\n{ROUNDS}s_and_b32 s11, s10, 1\ns_lshl_b32 s11, s11, 3\n\
                 s_add_u32 s11, s11, s20\nv_mov_b32 v5, s11\nglobal_load_dwordx2 v[6:7], v5, s[0:1]\ns_waitcnt vmcnt(0)\n\
                 v_readfirstlane_b32 s18, v6\nv_readfirstlane_b32 s19, v7\nWAIT\ns_setpc_b64 s[18:19]\n{PLACES}BARRIER\n",
                address(14, ".Lb"),
                address(16, ".Ld"),
            ),
            none(),
        ),
        (
            "one of two functions",
            format!(
                "{ROUNDS}{}{}s_cmp_eq_u32 s11, 2\ns_cselect_b64 s[18:19], s[14:15], s[16:17]\ns_swappc_b64 s[30:31], s[18:19]\n\
                 s_branch .La\n{PLACES}",
                address(14, "one"),
                address(16, "two"),
            ),
            functions(),
        ),
        (
            "return addresses of one's own",
            format!(
                "{ROUNDS}{}s_branch two\n.Lback: v_add_u32 v1, 3, v1\ns_call_b64 s[30:31], one\n{PLACES}",
                address(30, ".Lback"),
            ),
            functions(),
        ),
        (
            "many callers",
            format!(
                "{ROUNDS}{}{PLACES}",
                "s_call_b64 s[30:31], two\nv_add_u32 v1, 1, v1\n".repeat(9)
            ),
            functions(),
        ),
        (
            "two sides that resume each other",
            format!(
                "{}{ROUNDS}s_swappc_b64 s[14:15], s[14:15]\ns_branch .La\n.Lother: v_add_u32 v1, 5, v1\ns_swappc_b64 s[14:15], s[14:15]\n\
                 v_add_u32 v1, 7, v1\ns_swappc_b64 s[14:15], s[14:15]\ns_branch .Lother\n{PLACES}",
                address(14, ".Lother"),
            ),
            none(),
        ),
    ]
}

/// Code that no wave comes to. It names every SGPR, so that none is left for translating jumps.
fn naming_all(target: &str) -> String {
    let count = if target.starts_with("gfx9") { 102 } else { 106 };
    let names: String = (0..count)
        .map(|number| format!("s_mov_b32 s{number}, 0\n"))
        .collect();
    format!("s_cmp_eq_u32 s6, s6\ns_cbranch_scc1 .Lnamed\n{names}.Lnamed:\n")
}

fn assemble(target: &str, middle: &str, others: &str) -> Vec<u8> {
    // Since gfx12 code waits for scalar registers that vector instructions wrote.
    let (wait, barrier) = match target.starts_with("gfx12") {
        true => ("s_wait_alu 0x0", "s_barrier_signal -1\ns_barrier_wait -1"),
        false => ("s_nop 0", "s_barrier"),
    };
    let middle = middle.replace("WAIT", wait).replace("BARRIER", barrier);
    let (mut middle, mut others) = (middle, others.to_owned());
    if !target.starts_with("gfx9") {
        for text in [&mut middle, &mut others] {
            *text = text.replace("v_add_u32", "v_add_nc_u32");
        }
    }
    assembled_with(target, &middle, &others, 102, 16, 0)
}

fn full() -> Launch {
    launch("full", vec![words(0), words(1), Input::number(0)])
}

fn total(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}

#[test]
fn wherever_code_goes_it_is_counted_and_sees_the_same() {
    for target in TARGETS {
        let tool = Tool::build(target);
        for (shape, middle, others) in shapes() {
            runs_alike(target, &tool, shape, &assemble(target, &middle, &others));
            let full = format!("{}{middle}", naming_all(target));
            let bytes = assemble(target, &full, &others);
            match shape {
                KEEPS_ITS_PAIR => refused(
                    target,
                    &tool,
                    &bytes,
                    "overwrites those that hold its target",
                ),
                // Another plan has an accumulator, which would need registers.
                _ => runs_alike_with(target, &tool, shape, &bytes, &[plan_each]),
            }
        }
    }
}

/// In this shape, a call overwrites its target with its return address. With borrowed registers, a target that is no known place would be lost.
const KEEPS_ITS_PAIR: &str = "two sides that resume each other";

fn refused(target: &str, tool: &Tool, bytes: &[u8], because: &str) {
    let object = CodeObject::parse(bytes).expect("the assembler's output");
    let module = Module::lift(&object).expect("lifts");
    let kernel = module.function("full").expect("is there");
    let plan = plan_each(&module, kernel, tool);
    let refusal = rewrite::rewrite(&object, &module, kernel, &plan).map(drop);
    let reason = refusal.expect_err("no registers are free").to_string();
    assert!(reason.contains(because), "{target}: {reason}");
}

/// Each jump has a search of its own where registers are borrowed, so that many jumps to many places are too much code.
#[test]
fn borrowed_registers_are_for_few_places() {
    let jump = "s_lshl_b32 s11, s11, 2\ns_getpc_b64 s[4:5]\n.Lh:\ns_add_u32 s4, s4, s11\ns_addc_u32 s5, s5, 0\n\
                s_add_u32 s4, s4, .Lt-.Lh\ns_addc_u32 s5, s5, 0\ns_setpc_b64 s[4:5]\n.Lt:\n";
    for target in ["gfx90a", "gfx1030"] {
        let tool = Tool::build(target);
        for (count, fits) in [(1000, true), (5000, false)] {
            let long = "v_add_u32 v1, 3, v1\n".repeat(count);
            let middle = format!("{}{ROUNDS}{jump}{long}{PLACES}", naming_all(target));
            let bytes = assemble(target, &middle, "");
            match fits {
                true => runs_alike_with(target, &tool, "few places", &bytes, &[plan_each]),
                false => refused(target, &tool, &bytes, "too much code"),
            }
        }
    }
}

/// More possible places than branches of one search reach.
#[test]
fn jumps_find_their_places_in_long_code() {
    let jump = "s_lshl_b32 s11, s11, 2\ns_getpc_b64 s[4:5]\n.Lh:\ns_add_u32 s4, s4, s11\ns_addc_u32 s5, s5, 0\n\
                s_add_u32 s4, s4, .Lt-.Lh\ns_addc_u32 s5, s5, 0\ns_setpc_b64 s[4:5]\n";
    let long = "v_add_u32 v1, 3, v1\n".repeat(10_000);
    // The jumps go to either end of the code, one of which is far from the search.
    let first = format!(
        "{ROUNDS}{jump}.Lt: v_add_u32 v1, 1, v1\nv_add_u32 v1, 2, v1\nv_add_u32 v1, 4, v1\n{PLACES}{long}"
    );
    let last = format!(
        "{long}{ROUNDS}{jump}.Lt: v_add_u32 v1, 1, v1\nv_add_u32 v1, 2, v1\nv_add_u32 v1, 4, v1\n{PLACES}"
    );
    for target in ["gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let tool = Tool::build(target);
        for (shape, middle) in [("in front", &first), ("behind", &last)] {
            runs_alike(target, &tool, shape, &assemble(target, middle, ""));
        }
    }
}

/// Compares the kernel with itself below hooks, and what is counted with what it executes.
fn runs_alike(target: &str, tool: &Tool, shape: &str, bytes: &[u8]) {
    runs_alike_with(target, tool, shape, bytes, &[plan_each, plan_sum]);
}

type Planner = for<'t> fn(&Module, FunctionIndex, &'t Tool) -> Plan<'t>;

fn runs_alike_with(target: &str, tool: &Tool, shape: &str, bytes: &[u8], planners: &[Planner]) {
    let place = format!("{target}, {shape}");
    let object = CodeObject::parse(bytes).expect("the assembler's output");
    let module = Module::lift(&object).expect("lifts");
    let kernel = module.function("full").expect("is there");
    let launch = full();
    let before = verify::run(bytes, &launch, &[])
        .unwrap_or_else(|error| panic!("{place}: the original: {error}"));
    for planner in planners {
        let plan = planner(&module, kernel, tool);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{place}: {refusal}"));
        let globals = &tool.bundle.globals;
        let verdict = lockstep(&object, &module, &rewritten, globals, &launch);
        assert_eq!(stopped(&place, verdict), None, "{place}");
        let instrumented = rewrite::static_object(&[rewritten], &object, globals).expect("writes");
        let after = verify::run(&instrumented, &launch, &[("total", 8)])
            .unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(after.buffers == before.buffers, "{place}");
        let counted = total(&after.variables[0]);
        assert_eq!(counted, before.wave_instructions, "{place}");
    }
}

/// Both sides have to be the same; why they were stopped before their end, if they were.
fn stopped(place: &str, verdict: Result<Verdict, verify::Error>) -> Option<String> {
    match verdict.unwrap_or_else(|error| panic!("{place}: {error}")) {
        Verdict::Same { stopped, .. } => stopped,
        Verdict::Diverged(divergence) => panic!("{place}: {divergence}"),
        other => panic!("{place}: {other:?}"),
    }
}

/// A place that no analysis knows: as far behind a return address as the code says.
#[test]
fn what_goes_elsewhere_runs_as_it_was_and_says_so() {
    for target in TARGETS {
        let tool = Tool::build(target);
        let functions = ".p2align 8\n.type skips,@function\nskips: s_add_u32 s30, s30, 4\ns_addc_u32 s31, s31, 0\n\
                         returns: s_setpc_b64 s[30:31]\n.Lskips: .size skips, .Lskips-skips\n";
        let call = |name: &str| {
            format!(
                "{ROUNDS}s_call_b64 s[30:31], {name}\nv_add_u32 v1, 64, v1\nv_add_u32 v1, 1, v1\n{PLACES}"
            )
        };
        let (elsewhere, known) = (call("skips"), call("returns"));
        let crowded = |middle: &String| format!("{}{middle}", naming_all(target));
        for (middle, leaves) in [
            (crowded(&elsewhere), true),
            (crowded(&known), false),
            (elsewhere, true),
            (known, false),
        ] {
            let bytes = assemble(target, &middle, functions);
            let object = CodeObject::parse(&bytes).expect("the assembler's output");
            let module = Module::lift(&object).expect("lifts");
            let kernel = module.function("full").expect("is there");
            let plan = Plan {
                left: Some("left".to_owned()),
                ..plan_each(&module, kernel, &tool)
            };
            let before = verify::run(&bytes, &full(), &[]).expect("the original runs");
            let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
                .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
            let mut globals = tool.bundle.globals.clone();
            globals.push(Global {
                name: "left".to_owned(),
                size: 4,
                alignment: 4,
                initial: None,
            });
            let instrumented =
                rewrite::static_object(&[rewritten], &object, &globals).expect("writes");
            let after = verify::run(&instrumented, &full(), &[("left", 4)])
                .unwrap_or_else(|error| panic!("{target}: {error}"));
            assert!(after.buffers == before.buffers, "{target}");
            assert_eq!(after.variables[0] != [0; 4], leaves, "{target}");
        }
    }
}

/// Hooks behind calls, and behind everything else.
#[test]
fn hooks_behind_calls_change_nothing() {
    for target in ["gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let bytes = compile(target);
        let object = CodeObject::parse(&bytes).expect("clang's output");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        for launch in launches() {
            let kernel = module.function(&launch.kernel).expect("compiled");
            let mut insertions = Vec::new();
            for index in crate::common::closure(&module, kernel) {
                let function = &module.functions[index];
                for inst in 0..function.insts.len() {
                    insertions.push(Insertion {
                        function: index,
                        inst,
                        point: Point::After,
                        action: Action::Call {
                            hook: 0,
                            arguments: vec![("parameter:0".to_owned(), Value::Constant(1))],
                            lanes: Lanes::First,
                        },
                    });
                }
            }
            let plan = Plan {
                hooks: vec![tool.hook("count")],
                insertions,
                ..Plan::default()
            };
            let place = format!("{target} {}", launch.kernel);
            let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
                .unwrap_or_else(|refusal| panic!("{place}: {refusal}"));
            let globals = &tool.bundle.globals;
            let verdict = lockstep(&object, &module, &rewritten, globals, &launch);
            stopped(&place, verdict);
        }
    }
}
