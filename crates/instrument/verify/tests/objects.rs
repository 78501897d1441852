//! Hooks with private arrays, LDS variables, floating-point numbers, condition codes and MODE: they get what they were compiled
//! for, and the application notices nothing but what they write.

use crate::common::{closure, compile, compile_with, launches};
use codeobj::CodeObject;
use hook::{Arg, Bundle, ToolRequest, build_tool};
use lift::Module;
use rewrite::{Action, HookVariants, Insertion, Lanes, Plan, Point, Refusal, Rewritten, Value};
use std::{path::Path, sync::OnceLock};
use verify::{Launch, Outcome};

const TARGETS: [&str; 5] = ["gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];

const HOOKS: &[(&str, &[Arg])] = &[
    ("count_lanes", &[]),
    ("keeps", &[Arg::Scalar]),
    ("shares", &[Arg::Scalar]),
    ("computes", &[Arg::Scalar, Arg::Scalar]),
    ("writes_codes", &[Arg::Scalar]),
    ("reads_mode", &[]),
    ("writes_mode", &[Arg::Scalar]),
    ("counts_literally", &[Arg::Literal, Arg::Literal]),
];

/// An option for [`compile_with`]: a kernel that rounds up.
const UPWARD: &str = "-DPROLOGUE=asm volatile(\"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\")";

/// The tool for a target, built once for all tests.
fn build(target: &str) -> &'static Bundle {
    static BUILT: [OnceLock<Bundle>; TARGETS.len()] = [const { OnceLock::new() }; TARGETS.len()];
    let number = TARGETS.iter().position(|known| *known == target);
    BUILT[number.expect("one of the targets")].get_or_init(|| build_for(target))
}

fn build_for(target: &str) -> Bundle {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let request = ToolRequest {
        source: &root.join("tests/objects.hip"),
        include: &root.join("../../../include"),
        hooks: &|_| {
            let own = |(hook, arguments): &(&str, &[Arg])| ((*hook).to_owned(), arguments.to_vec());
            Ok(HOOKS.iter().map(own).collect())
        },
        targets: &[target],
        clang: "clang-22",
    };
    build_tool(&request).unwrap_or_else(|error| panic!("{error}"))
}

/// A hook with these arguments before every instruction.
fn everywhere<'t>(
    module: &Module,
    kernel: usize,
    bundle: &'t Bundle,
    hooks: &[(&str, &[u64])],
) -> Plan<'t> {
    let target = module.target.name;
    let wave_size = module.functions[kernel].wave_size;
    let mut plan = Plan::default();
    for (number, (name, values)) in hooks.iter().enumerate() {
        plan.hooks
            .push(HookVariants::find(bundle, name, target, wave_size).expect("built"));
        for function in closure(module, kernel) {
            for inst in 0..module.functions[function].insts.len() {
                let constants = values.iter().enumerate();
                plan.insertions.push(Insertion {
                    function,
                    inst,
                    point: Point::Before,
                    action: Action::Call {
                        hook: number,
                        arguments: constants
                            .map(|(index, value)| {
                                (format!("parameter:{index}"), Value::Constant(*value))
                            })
                            .collect(),
                        lanes: Lanes::Active,
                    },
                });
            }
        }
    }
    plan
}

struct Run {
    before: Outcome,
    after: Outcome,
    rewritten: Rewritten,
    variables: Vec<u64>,
}

fn run(
    bytes: &[u8],
    bundle: &Bundle,
    launch: &Launch,
    hooks: &[(&str, &[u64])],
    variables: &[&str],
) -> Result<Run, Refusal> {
    run_where(bytes, bundle, launch, hooks, variables, |_| true)
}

/// The same, with hooks before the instructions that `wanted` picks by mnemonic.
fn run_where(
    bytes: &[u8],
    bundle: &Bundle,
    launch: &Launch,
    hooks: &[(&str, &[u64])],
    variables: &[&str],
    wanted: impl Fn(&str) -> bool,
) -> Result<Run, Refusal> {
    let object = CodeObject::parse(bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let name = &launch.kernel;
    let kernel = module.function(name).expect("compiled");
    let mut plan = everywhere(&module, kernel, bundle, hooks);
    plan.insertions.retain(|place| {
        wanted(
            module.functions[place.function]
                .insts
                .at(place.inst)
                .mnemonic(),
        )
    });
    let sized: Vec<(&str, usize)> = variables.iter().map(|name| (*name, 8)).collect();
    run_plan(bytes, &module, &plan, bundle, launch, &sized)
}

/// The same for a plan. All words of `variables`, with their sizes, are read.
fn run_plan(
    bytes: &[u8],
    module: &Module,
    plan: &Plan<'_>,
    bundle: &Bundle,
    launch: &Launch,
    variables: &[(&str, usize)],
) -> Result<Run, Refusal> {
    let name = &launch.kernel;
    let object = CodeObject::parse(bytes).expect("clang's output");
    let kernel = module.function(name).expect("compiled");
    let rewritten = rewrite::rewrite(&object, module, kernel, plan)?;
    let instrumented =
        rewrite::static_object(std::slice::from_ref(&rewritten), &object, &bundle.globals)?;
    let before = verify::run(bytes, launch, &[]).expect("the original runs");
    let after = verify::run(&instrumented, launch, variables)
        .unwrap_or_else(|error| panic!("{} {name}: {error}", module.target.name));
    let words = after.variables.iter().flat_map(|bytes| bytes.chunks(8));
    let words = words.map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes")));
    Ok(Run {
        variables: words.collect(),
        before,
        after,
        rewritten,
    })
}

/// Numbers and addresses of variables are literals of the hook's code, which no register holds.
#[test]
fn numbers_of_a_place_are_literals() {
    const NUMBER: u64 = 7 << 32 | 3;
    for target in TARGETS {
        let bytes = compile(target);
        let (object, bundle) = (CodeObject::parse(&bytes).expect("clang's"), build(target));
        let module = Module::lift(&object).expect("lifts");
        let mut launches = launches().into_iter();
        let launch = launches.find(|launch| launch.kernel == "wide");
        let launch = launch.expect("there is a launch of it");
        let kernel = module.function("wide").expect("compiled");
        let hooks: &[(&str, &[u64])] = &[
            ("reads_mode", &[]),
            ("counts_literally", &[u64::MAX, NUMBER]),
        ];
        let mut plan = everywhere(&module, kernel, bundle, hooks);
        plan.globals = vec!["waves".to_owned(), "literally".to_owned()];
        for insertion in &mut plan.insertions {
            if let Action::Call { arguments, .. } = &mut insertion.action
                && let Some((_, value)) = arguments.first_mut()
            {
                *value = Value::ToolAddress {
                    global: 1,
                    addend: 8,
                };
            }
        }
        let variables = [("waves", 8), ("literally", 24)];
        let run = run_plan(&bytes, &module, &plan, bundle, &launch, &variables);
        let run = run.unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
        assert_eq!(run.before.buffers, run.after.buffers, "{target}");
        let [waves, rest @ ..] = &run.variables[..] else {
            panic!("none")
        };
        assert!(*waves > 0, "{target}");
        assert_eq!(rest, [0, waves * NUMBER, waves * 3], "{target}");
        let variants = &plan.hooks[1];
        let groups = variants.templates.iter().map(|(_, _, template)| template);
        for template in groups {
            let bound = template.ports.iter().flat_map(|port| &port.dwords);
            assert!(bound.flatten().next().is_none(), "{target}");
        }
    }
}

#[test]
fn private_arrays_and_lds_variables_hold_what_is_put_in() {
    for target in TARGETS {
        let bytes = compile(target);
        let bundle = build(target);
        for launch in launches() {
            let name = &launch.kernel;
            let run = run(
                &bytes,
                bundle,
                &launch,
                &[("count_lanes", &[]), ("keeps", &[3]), ("shares", &[5])],
                &["lanes", "kept", "shared"],
            );
            let run = match run {
                // Their stacks grow as far as a launch says: nothing but a launch can make room.
                Err(Refusal::DynamicStack) => {
                    assert!(matches!(&**name, "recurse" | "indirect"), "{name}");
                    continue;
                }
                run => run.unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}")),
            };
            assert_eq!(run.before.buffers, run.after.buffers, "{target} {name}");
            let [lanes, kept, shared] = run.variables[..] else {
                panic!("three were asked for")
            };
            assert!(lanes > 0, "{target} {name}");
            assert_eq!((kept, shared), (lanes, lanes), "{target} {name}");
            let report = &run.rewritten.report;
            assert_eq!(report.scratch.1, report.scratch.0.next_multiple_of(4) + 48);
            assert!(report.lds.1 >= report.lds.0 + 64 * 12, "{:?}", report.lds);
        }
    }
}

/// 1 + half an ulp is 1, and twice a denormal is one, whatever the application's MODE says.
#[test]
fn hooks_compute_in_their_own_mode() {
    const ONE: u64 = 0x3f80_0000;
    let arguments: &[u64] = &[0x3380_0000, 5];
    for target in TARGETS {
        let bundle = build(target);
        let flushing = "-fdenormal-fp-math-f32=preserve-sign,preserve-sign";
        for options in [&[][..], &["-Xclang", flushing], &[UPWARD]] {
            let bytes = compile_with(target, options);
            for launch in launches() {
                if !matches!(&*launch.kernel, "wide" | "calls") {
                    continue;
                }
                let name = &launch.kernel;
                let run = run(
                    &bytes,
                    bundle,
                    &launch,
                    &[("computes", arguments)],
                    &["exact", "small", "ones"],
                );
                let run = run.unwrap_or_else(|refusal| panic!("{target} {name}: {refusal}"));
                assert_eq!(
                    run.before.buffers, run.after.buffers,
                    "{target} {name} {options:?}"
                );
                let [exact, small, ones] = run.variables[..] else {
                    panic!("three were asked for")
                };
                assert!(ones > 0, "{target} {name}");
                assert_eq!(
                    (exact, small),
                    (ones * ONE, ones * 10),
                    "{target} {name} {options:?}"
                );
            }
        }
    }
}

/// Hooks everywhere make a kernel round as one does that says so itself, and go on to compute in their own MODE.
#[test]
fn mode_is_read_and_written() {
    const ONE: u64 = 0x3f80_0000;
    let computes: (&str, &[u64]) = ("computes", &[0x3380_0000, 5]);
    for target in TARGETS {
        let bundle = build(target);
        let [nearest, upward] = [&[][..], &[UPWARD]].map(|options| compile_with(target, options));
        let mut launches = launches().into_iter();
        let launch = launches.find(|launch| launch.kernel == "wide");
        let launch = launch.expect("there is a launch of it");
        let [to_nearest, up] = [&nearest, &upward].map(|bytes| {
            let outcome = verify::run(bytes, &launch, &[]);
            outcome.expect("the original runs").buffers
        });
        assert_ne!(to_nearest, up, "{target}");
        for (bytes, writing, rounding, expected) in [
            (&nearest, None, 0, &to_nearest),
            (&nearest, Some(5), 5, &up),
            (&upward, None, 5, &up),
            (&upward, Some(0), 0, &to_nearest),
        ] {
            let value = writing.map(|rounding| [rounding]);
            let mut hooks: Vec<(&str, &[u64])> = Vec::new();
            hooks.extend(value.as_ref().map(|value| ("writes_mode", &value[..])));
            hooks.extend([("reads_mode", &[][..]), computes]);
            let counted = ["rounding", "waves", "exact", "ones"];
            // The work of the kernel's first instructions is done where it stores.
            let run = run_where(bytes, bundle, &launch, &hooks, &counted, |mnemonic| {
                writing.is_some() || mnemonic.starts_with("global_store")
            });
            let run = run.unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
            let [found, waves, exact, ones] = run.variables[..] else {
                panic!("four were asked for")
            };
            assert!(waves > 0 && ones > 0, "{target}");
            assert_eq!(found, waves * rounding, "{target} {writing:?}");
            assert_eq!(exact, ones * ONE, "{target} {writing:?}");
            assert_eq!(&run.after.buffers, expected, "{target} {writing:?}");
        }
    }
}

#[test]
fn condition_codes_are_read_and_written() {
    for target in TARGETS {
        let bytes = compile(target);
        let bundle = build(target);
        let launch = launches()
            .into_iter()
            .find(|launch| launch.kernel == "scale")
            .expect("there is a launch of it");
        let same = run(&bytes, bundle, &launch, &[("writes_codes", &[0])], &[])
            .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
        assert_eq!(same.before.buffers, same.after.buffers, "{target}");
        // The lanes that pass the bounds check are those in VCC here; the others lie within the buffers, too.
        let flipped = run_where(
            &bytes,
            bundle,
            &launch,
            &[("writes_codes", &[1])],
            &[],
            |mnemonic| mnemonic.starts_with("s_and_saveexec"),
        )
        .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
        if flipped.rewritten.report.sites == 0 {
            assert!(target.starts_with("gfx1"), "{target} compares into EXEC");
            continue;
        }
        let words = |bytes: &[u8]| -> Vec<u32> {
            let words = bytes.chunks_exact(4);
            words
                .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")))
                .collect()
        };
        let (out, input) = (
            words(&flipped.after.buffers[0]),
            words(&flipped.after.buffers[1]),
        );
        let first = words(&flipped.before.buffers[0]);
        assert_eq!(out.len(), 128);
        for lane in 100..128 {
            assert_eq!(
                out[lane],
                input[lane].wrapping_mul(3).wrapping_add(1),
                "{target} {lane}"
            );
        }
        assert_ne!(out[..100], first[..100], "{target}");
    }
}
