//! Kernels that leave hooks nothing: all registers named and live, all LDS taken, loads on their way to dead registers.

use crate::common::{
    Tool, compile, full_kernel, full_kernel_behind, fuller_kernel, hazards, launch, plan_each,
    plan_of_full, words,
};
use codeobj::CodeObject;
use isa::{Assembler, Decoder, Effects, Operand};
use lift::{FunctionKind, FunctionSeed, Module, Options, Program};
use rewrite::{Action, Insertion, Lanes, Plan, Point, Rewritten, Value};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use verify::{Input, Launch, Verdict, lockstep};

/// Kernel `full` of `bytes` with a hook in all lanes at every place, the same in lockstep.
fn in_all_lanes(target: &str, bytes: &[u8], launch: &Launch, tool: &Tool) -> Rewritten {
    let object = CodeObject::parse(bytes).expect("assembled");
    let module = Module::lift(&object).expect("lifts");
    let plan = plan_of_full(&module, tool, "count", Lanes::Active);
    let kernel = module.function("full").expect("is there");
    let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
        .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
    let saved = rewritten.report.saved_vectors;
    assert!(saved > 100, "{target}: {:?}", rewritten.report);
    match lockstep(&object, &module, &rewritten, &tool.bundle.globals, launch).expect("runs") {
        Verdict::Same { compared, .. } => assert!(compared > 1000, "{compared}"),
        Verdict::Diverged(divergence) => panic!("{target}: {divergence}"),
        other => panic!("{target}: {other:?}"),
    }
    rewritten
}

/// Runs the original and the instrumented object, which must leave the same in memory: how many wave instructions the original
/// executed, and the words of the tool's variable.
fn both<const WORDS: usize>(
    bytes: &[u8],
    rewritten: Rewritten,
    tool: &Tool,
    launch: &Launch,
    variable: &str,
    case: &str,
) -> (u64, [u64; WORDS]) {
    let object = CodeObject::parse(bytes).expect("assembled");
    let before = verify::run(bytes, launch, &[]).expect("the original runs");
    let globals = &tool.bundle.globals;
    let instrumented = rewrite::static_object(&[rewritten], &object, globals).expect("writes");
    let after = verify::run(&instrumented, launch, &[(variable, 8 * WORDS)]).expect("runs");
    assert_eq!(before.buffers, after.buffers, "{case}");
    let word = |at: usize| {
        let bytes = &after.variables[0][8 * at..8 * at + 8];
        u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
    };
    (before.wave_instructions, std::array::from_fn(word))
}

/// A hook in all lanes has no SGPR for each VGPR's lane: those of the application go to scratch, which the kernel has none of.
#[test]
fn live_vector_registers_go_to_scratch() {
    for target in ["gfx900", "gfx90a"] {
        let bytes = full_kernel(target, 60, 256);
        let tool = Tool::build(target);
        let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        let rewritten = in_all_lanes(target, &bytes, &launch, &tool);
        // (Spills one by one have room for what the hook takes, no more.)
        let (before, after) = rewritten.report.scratch;
        assert!(
            before == 0 && (20..272).contains(&after),
            "{target}: {after}"
        );
        let (executed, [total]) = both(&bytes, rewritten, &tool, &launch, "total", target);
        // Nowhere is EXEC zero for long: only the part behind the comparison, in waves where it holds in no lane.
        assert!(total <= executed, "{target}");
        assert!(total * 2 > executed, "{target}: {total}");
    }
}

/// SGPRs and VGPRs all named, and nearly all live: what is dead at each place has to do, if only VCC or M0.
#[test]
fn both_files_full_count_exactly() {
    for (target, sgprs) in [
        ("gfx900", 102),
        ("gfx90a", 102),
        ("gfx1012", 106),
        ("gfx1100", 106),
    ] {
        let bytes = full_kernel(target, sgprs, 256);
        let object = CodeObject::parse(&bytes).expect("assembled");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        let kernel = module.function("full").expect("is there");
        let plan = plan_each(&module, kernel, &tool);
        let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
        let report = &rewritten.report;
        assert!(report.saved_vectors > 100, "{target}: {report:?}");
        assert_eq!(report.vgprs, (256, 256), "{target}");
        assert_eq!(hazards(&rewritten, &module), [""; 0], "{target}");
        let globals = &tool.bundle.globals;
        let verdict = lockstep(&object, &module, &rewritten, globals, &launch);
        assert!(
            matches!(verdict, Ok(Verdict::Same { .. })),
            "{target}: {verdict:?}"
        );
        let (executed, [total]) = both(&bytes, rewritten, &tool, &launch, "total", target);
        assert_eq!(total, executed, "{target}");
    }
}

/// The code at the entry that finds scratch for such a kernel changes VCC on gfx10, and the code that keeps values there changes SCC.
/// Neither holds anything yet, also where the kernel reads them before it writes them.
#[test]
fn conditions_hold_nothing_at_the_entry() {
    let first = "s_cselect_b32 s2, 1, 0\ns_and_b32 s3, vcc_lo, vcc_hi\n";
    for (target, sgprs) in [("gfx900", 102), ("gfx1012", 106)] {
        let bytes = full_kernel_behind(target, first, sgprs, 256);
        let object = CodeObject::parse(&bytes).expect("assembled");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        let kernel = module.function("full").expect("is there");
        let plan = plan_of_full(&module, &tool, "entry_values", Lanes::Active);
        let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
        let globals = &tool.bundle.globals;
        let verdict = lockstep(&object, &module, &rewritten, globals, &launch);
        assert!(
            matches!(verdict, Ok(Verdict::Same { .. })),
            "{target}: {verdict:?}"
        );
    }
}

/// Full files again, below a hook that asks for values of the kernel's entry: they come from scratch at every place, also in a
/// work-group that fills no wave.
#[test]
fn entry_values_come_from_scratch_where_no_register_keeps_them() {
    for (target, sgprs, block) in [
        ("gfx900", 102, 64),
        ("gfx900", 102, 5),
        ("gfx90a", 102, 64),
        ("gfx1012", 106, 64),
        ("gfx1100", 106, 5),
    ] {
        let bytes = full_kernel(target, sgprs, 256);
        let object = CodeObject::parse(&bytes).expect("assembled");
        let module = Module::lift(&object).expect("lifts");
        let tool = Tool::build(target);
        let kernel = module.function("full").expect("is there");
        let plan = plan_of_full(&module, &tool, "entry_values", Lanes::Active);
        let mut launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        launch.block[0] = block;
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
        assert_eq!(rewritten.report.vgprs, (256, 256), "{target}");
        assert_eq!(hazards(&rewritten, &module), [""; 0], "{target}");
        let globals = &tool.bundle.globals;
        let verdict = lockstep(&object, &module, &rewritten, globals, &launch);
        assert!(
            matches!(verdict, Ok(Verdict::Same { .. })),
            "{target} {block}: {verdict:?}"
        );
        let case = format!("{target} {block}");
        let (_, seen) = both::<8>(&bytes, rewritten, &tool, &launch, "seen", &case);
        // The kernel's first argument is a buffer, its third a number; there is one row of work-groups.
        assert!(seen[0] != 0 && seen[0] == seen[1], "{target}: {seen:x?}");
        assert_eq!(seen[2..4], [3, 3], "{target}: {seen:x?}");
        assert_eq!(seen[5], 0, "{target}: {seen:x?}");
    }
}

/// 256 VGPRs and 256 AccVGPRs, all live: a hook in all lanes puts VGPRs aside in scratch and leaves the others alone.
#[test]
fn accumulators_keep_what_they_hold() {
    for target in ["gfx908", "gfx90a"] {
        let bytes = fuller_kernel(target, 60, 256, 256);
        let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        in_all_lanes(target, &bytes, &launch, &Tool::build(target));
    }
}

/// However many registers are left: each number of them ends the supply at another step of a splice.
#[test]
fn every_number_of_free_registers_counts_exactly() {
    let target = "gfx90a";
    let tool = Tool::build(target);
    for sgprs in 88..=102 {
        let bytes = full_kernel(target, sgprs, 60);
        let object = CodeObject::parse(&bytes).expect("assembled");
        let module = Module::lift(&object).expect("lifts");
        let kernel = module.function("full").expect("is there");
        let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        let plan = plan_each(&module, kernel, &tool);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{sgprs}: {refusal}"));
        let (executed, [total]) = both(
            &bytes,
            rewritten,
            &tool,
            &launch,
            "total",
            &sgprs.to_string(),
        );
        assert_eq!(total, executed, "{sgprs}");
    }
}

/// The registers that keep SCC and VCC may themselves be saved, and must be restored after them.
#[test]
fn conditions_are_kept_in_registers_that_are_put_aside() {
    for target in ["gfx900", "gfx908", "gfx90a"] {
        let bytes = full_kernel(target, 102, 60);
        let object = CodeObject::parse(&bytes).expect("assembled");
        let module = Module::lift(&object).expect("lifts");
        let kernel = module.function("full").expect("is there");
        let launch = launch("full", vec![words(0), words(1), Input::number(3)]);
        let tool = Tool::build(target);
        let mut plan = plan_of_full(&module, &tool, "entry_values", Lanes::Active);
        // As if the hook could not be compiled so that it keeps them itself.
        plan.hooks[0].templates.retain(|(scc, vcc, _)| !scc && !vcc);
        let rewritten = rewrite::rewrite(&object, &module, kernel, &plan)
            .unwrap_or_else(|refusal| panic!("{target}: {refusal}"));
        assert!(rewritten.report.saved_scalars > 0, "{target}");
        assert_eq!(hazards(&rewritten, &module), [""; 0], "{target}");
        let globals = &tool.bundle.globals;
        let verdict = lockstep(&object, &module, &rewritten, globals, &launch);
        assert!(
            matches!(verdict, Ok(Verdict::Same { .. })),
            "{target}: {verdict:?}"
        );
    }
}

/// The new code lifted again, the kernel as one.
fn unwaited(rewritten: &Rewritten, module: &Module) -> Vec<String> {
    let program = Program {
        target: module.target,
        code: vec![(0, &rewritten.text)],
        functions: vec![FunctionSeed {
            name: rewritten.kernel.clone(),
            kind: FunctionKind::Kernel,
            entry: rewritten.entry,
            size: rewritten.functions[0].size,
            wave_size: Some(64),
        }],
        pointers: BTreeMap::new(),
    };
    let module = Module::of_program(&program, Options::default()).expect("lifts");
    let found = hazard::check_waits(&module, 0);
    found.iter().map(ToString::to_string).collect()
}

/// A hook that reads what was only just asked for waits for it. Without any one of the waits that were put in, code meets a
/// load.
#[test]
fn every_wait_that_is_put_in_is_missed() {
    let target = gfx::Target::find("gfx90a").expect("a known target");
    let bytes = compile(target.name);
    let object = CodeObject::parse(&bytes).expect("clang's output");
    let module = Module::lift(&object).expect("lifts");
    let tool = Tool::build(target.name);
    let kernel = module.function("wide").expect("compiled");
    let mut plan = Plan {
        hooks: vec![tool.hook("count")],
        ..Plan::default()
    };
    for (inst, decoded) in module.functions[kernel].insts.iter().enumerate() {
        let loaded = decoded.operands.iter().find_map(|operand| match operand {
            Operand::Def(reg) => Some(*reg),
            _ => None,
        });
        if let Some(reg) = loaded.filter(|_| decoded.effects.contains(Effects::LOAD)) {
            plan.insertions.push(Insertion {
                function: kernel,
                inst,
                point: Point::After,
                action: Action::Call {
                    hook: 0,
                    arguments: vec![("parameter:0".to_owned(), Value::Register(reg))],
                    lanes: Lanes::Active,
                },
            });
        }
    }
    let rewritten = rewrite::rewrite(&object, &module, kernel, &plan).expect("rewrites");
    assert!(rewritten.report.seam_waits > 2, "{:?}", rewritten.report);
    assert_eq!(unwaited(&rewritten, &module), Vec::<String>::new());
    let decoder = Decoder::new(target).expect("a decoder");
    let nop = Assembler::new(target)
        .expect("an assembler")
        .assemble("s_nop 0")
        .expect("assembles");
    // Waits of the application are at the places that the table of addresses calls its own.
    let pairs = rewritten.pairs(&module);
    let own: BTreeSet<u64> = pairs
        .filter(|pair| !pair.inserted)
        .map(|pair| pair.new)
        .collect();
    let insts = decoder
        .decode_all(&rewritten.text, 0)
        .filter_map(Result::ok);
    let insts: Vec<_> = insts.collect();
    let mut noticed = 0;
    for inst in insts
        .iter()
        .filter(|inst| inst.mnemonic() == "s_waitcnt" && !own.contains(&inst.pc))
    {
        let mut mutated = rewritten.clone();
        let at = inst.pc as usize;
        mutated.text[at..at + 4].copy_from_slice(&nop);
        noticed += u32::from(!unwaited(&mutated, &module).is_empty());
    }
    assert_eq!(noticed, rewritten.report.seam_waits);
}
