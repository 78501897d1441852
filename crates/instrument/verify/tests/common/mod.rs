//! Kernels, a tool and launches that the tests share.

use compiled::Compiler;
use hook::{Arg, Bundle, ToolRequest, build_tool};
use lift::{FunctionIndex, FunctionKind, FunctionSeed, Module, Options, Program};
use rewrite::{
    Accumulator, Action, CounterArray, HookVariants, Insertion, Lanes, Plan, Point, Rewritten,
    Value,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use verify::{Input, Launch};

/// `kernels.c` for a target.
pub fn compile(target: &str) -> Vec<u8> {
    compile_with(target, &[])
}

/// The same, with further options.
pub fn compile_with(target: &str, options: &[&str]) -> Vec<u8> {
    compile_file("kernels.c", target, options)
}

/// Another file of this folder for a target.
pub fn compile_file(name: &str, target: &str, options: &[&str]) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name);
    let work = tempfile::tempdir().expect("a temporary directory");
    let out = work.path().join("kernels.co");
    let output = Compiler::new("clang-22")
        .args([
            "-x",
            "c",
            "--target=amdgcn-amd-amdhsa",
            "-nogpulib",
            "-O2",
            "-g1",
        ])
        .arg("-fno-optimize-sibling-calls")
        .args(options)
        .arg(format!("-mcpu={target}"))
        .arg("-o")
        .args([&out, &source])
        .output()
        .expect("clang-22 is installed (./dev setup)");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{target}: {errors}");
    std::fs::read(&out).expect("clang wrote it")
}

/// A kernel that fills all of so many registers, does something everywhere, and adds all registers up.
pub fn full_kernel(target: &str, sgprs: u32, vgprs: u32) -> Vec<u8> {
    fuller_kernel(target, sgprs, vgprs, 0)
}

/// The same with so many AccVGPRs beside the VGPRs.
pub fn fuller_kernel(target: &str, sgprs: u32, vgprs: u32, agprs: u32) -> Vec<u8> {
    assembled(target, &filling(sgprs, vgprs, agprs), sgprs, vgprs, agprs)
}

/// [`full_kernel`] that begins with the instructions `first`.
pub fn full_kernel_behind(target: &str, first: &str, sgprs: u32, vgprs: u32) -> Vec<u8> {
    let middle = filling(sgprs, vgprs, 0);
    assembled_behind(target, first, &middle, "", [sgprs, vgprs, 0])
}

/// The middle of [`fuller_kernel`].
fn filling(sgprs: u32, vgprs: u32, agprs: u32) -> String {
    let mut text = String::new();
    // Every value that is there at the start is used.
    let first = [2, 3, 5, 7];
    for sgpr in first {
        text += &format!("s_mov_b32 s{sgpr}, 0x2468{sgpr:02}\n");
    }
    for sgpr in 8..sgprs {
        text += &format!(
            "s_mul_i32 s{sgpr}, s6, {sgpr}\ns_add_u32 s{sgpr}, s{sgpr}, 0x1357{sgpr:02}\n"
        );
    }
    for vgpr in 2..vgprs {
        text += &format!(
            "v_mul_lo_u32 v{vgpr}, v{}, s{}\n",
            vgpr - 1,
            8 + vgpr % (sgprs - 8)
        );
    }
    for agpr in 0..agprs {
        text += &format!("v_accvgpr_write_b32 a{agpr}, v{}\n", agpr % vgprs);
    }
    text += "s_mov_b32 s4, 3\nloop:\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 done\nv_cmp_gt_u32 vcc, s9, v7\n\
             s_and_saveexec_b64 s[10:11], vcc\n";
    for vgpr in (2..vgprs).step_by(9) {
        text += &format!("v_add_u32 v{vgpr}, v{}, v1\n", (vgpr + 40) % vgprs);
    }
    text += "s_or_b64 exec, exec, s[10:11]\ns_sub_u32 s4, s4, 1\ns_branch loop\ndone:\n";
    for sgpr in first.into_iter().chain([6]).chain(8..sgprs) {
        text += &format!("v_add_u32 v1, s{sgpr}, v1\n");
    }
    for vgpr in 2..vgprs {
        text += &format!("v_xor_b32 v1, v1, v{vgpr}\n");
    }
    for agpr in 0..agprs {
        text += &format!("v_accvgpr_read_b32 v2, a{agpr}\ns_nop 0\nv_xor_b32 v1, v1, v2\n");
    }
    text
}

/// The instructions that are written otherwise for waves of 32 lanes, and since gfx10.
const WAVE32: [(&str, &str); 6] = [
    ("v_add_u32", "v_add_nc_u32"),
    ("v_cmp_gt_u32 vcc,", "v_cmp_gt_u32 vcc_lo,"),
    (
        "s_and_saveexec_b64 s[10:11], vcc",
        "s_and_saveexec_b32 s10, vcc_lo",
    ),
    (
        "s_or_b64 exec, exec, s[10:11]",
        "s_or_b32 exec_lo, exec_lo, s10",
    ),
    (".wavefront_size: 64", ".wavefront_size: 32"),
    (
        ".amdhsa_user_sgpr_private_segment_buffer 0",
        ".amdhsa_wavefront_size32 1",
    ),
];

/// A kernel of more than 200 KB: `steps` short ways that waves go or do not, sixteen of them at a time in a loop.
pub fn large_kernel(target: &str, steps: u32) -> Vec<u8> {
    let mut text = String::from("s_mov_b32 s9, 0x5a17c0de\n");
    for step in 0..steps {
        if step % 16 == 0 {
            text += &format!("s_mov_b32 s8, 2\nloop{step}:\n");
        }
        text += &format!(
            "s_add_u32 s9, s9, s6\ns_bitcmp1_b32 s9, {}\ns_cbranch_scc0 over{step}\nv_mul_lo_u32 v1, v1, s9\n\
             v_add_u32 v1, {step}, v1\nover{step}:\nv_xor_b32 v1, s9, v1\n",
            step % 32
        );
        if step % 16 == 15 {
            let head = step - 15;
            text +=
                &format!("s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop{head}\n");
        }
    }
    assembled(target, &text, 16, 8, 0)
}

/// The instructions that are written otherwise since gfx12.
const SINCE_GFX12: [(&str, &str); 3] = [
    ("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0"),
    ("s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0"),
    ("s_lshl_b32 s6, s6, 6", "s_lshl_b32 s6, ttmp9, 6"),
];

fn assembled(target: &str, middle: &str, sgprs: u32, vgprs: u32, agprs: u32) -> Vec<u8> {
    assembled_with(target, middle, "", sgprs, vgprs, agprs)
}

/// Kernel `full`, which goes on with `middle` once v1 is the work-item's input and stores v1. `others`: what is behind its code.
pub fn assembled_with(
    target: &str,
    middle: &str,
    others: &str,
    sgprs: u32,
    vgprs: u32,
    agprs: u32,
) -> Vec<u8> {
    assembled_behind(target, "", middle, others, [sgprs, vgprs, agprs])
}

/// The same, and the kernel begins with the instructions `first`.
fn assembled_behind(
    target: &str,
    first: &str,
    middle: &str,
    others: &str,
    [sgprs, vgprs, agprs]: [u32; 3],
) -> Vec<u8> {
    let mut text = String::from(
        ".amdgcn_target \"amdgcn-amd-amdhsa--TARGET\"\n.text\n.globl full\n.p2align 8\n.type full,@function\nfull:\n",
    );
    text += first;
    // Left alone until the end: the arguments' address, the workgroup and, in lanes, the work-item.
    text += "\
         s_load_dwordx4 s[0:3], s[4:5], 0x0\ns_lshl_b32 s6, s6, 6\ns_mov_b32 s7, 0\nv_and_b32 v0, 0x3ff, v0\nv_add_u32 v0, s6, v0\n\
         v_lshlrev_b32 v0, 2, v0\nv_mov_b32 v1, 0\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v1, v0, s[2:3]\ns_waitcnt vmcnt(0)\n";
    text += middle;
    text += "global_store_dword v0, v1, s[0:1]\ns_endpgm\n.Lend:\n.size full, .Lend-full\n";
    text += others;
    text += ".rodata\n.p2align 6\n\
             .amdhsa_kernel full\n.amdhsa_user_sgpr_private_segment_buffer 0\n.amdhsa_user_sgpr_dispatch_ptr 1\n\
             .amdhsa_user_sgpr_queue_ptr 1\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\
             .amdhsa_system_sgpr_workgroup_id_x 1\n.amdhsa_kernarg_size 24\nACCUM\n\
             .amdhsa_next_free_vgpr VGPRS\n.amdhsa_next_free_sgpr SGPRS\n.end_amdhsa_kernel\n\
             .amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: full\n    .symbol: full.kd\n    \
             .kernarg_segment_size: 24\n    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n    \
             .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 108\n    .vgpr_count: VGPRS\n    \
             .max_flat_workgroup_size: 256\n    .args:\n      - {.size: 8, .offset: 0, .value_kind: global_buffer}\n      \
             - {.size: 8, .offset: 8, .value_kind: global_buffer}\n      - {.size: 4, .offset: 16, .value_kind: by_value}\n...\n\
             .end_amdgpu_metadata\n";
    let accum = if ["gfx90a", "gfx942"].contains(&target) {
        format!(".amdhsa_accum_offset {}", vgprs.next_multiple_of(4))
    } else {
        String::new()
    };
    for (gfx9, since) in WAVE32.iter().filter(|_| !target.starts_with("gfx9")) {
        text = text.replace(gfx9, since);
    }
    if target == "gfx942" {
        // Scratch is addressed without a buffer.
        text = text.replace(".amdhsa_user_sgpr_private_segment_buffer 0\n", "");
    }
    for (before, since) in SINCE_GFX12.iter().filter(|_| target.starts_with("gfx12")) {
        text = text.replace(before, since);
    }
    let text = text
        .replace(
            "VGPRS",
            &match target {
                // One file.
                "gfx90a" | "gfx942" => {
                    (vgprs.next_multiple_of(4) * agprs.min(1) + agprs).max(vgprs)
                }
                _ => vgprs.max(agprs),
            }
            .to_string(),
        )
        .replace("SGPRS", &sgprs.to_string())
        .replace("ACCUM", &accum)
        .replace("TARGET", target);
    let work = tempfile::tempdir().expect("a temporary directory");
    let (source, out) = (work.path().join("full.s"), work.path().join("full.co"));
    std::fs::write(&source, text).expect("writes");
    let output = Compiler::new("clang-22")
        .args(["-x", "assembler", "--target=amdgcn-amd-amdhsa", "-nogpulib"])
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
    ("trace", &[]),
    ("untrace", &[]),
    ("entry_values", &[]),
];

impl Tool {
    pub fn build(target: &str) -> Tool {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let request = ToolRequest {
            source: &root.join("tests/hooks.hip"),
            include: &root.join("../../../include"),
            hooks: &|_| {
                let own =
                    |(hook, arguments): &(&str, &[Arg])| ((*hook).to_owned(), arguments.to_vec());
                Ok(HOOKS.iter().map(own).collect())
            },
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
        HookVariants::find(&self.bundle, name, &self.target, self.wave_size).expect("built")
    }
}

/// The kernel and all it may call.
pub fn closure(module: &Module, kernel: FunctionIndex) -> BTreeSet<FunctionIndex> {
    module.closure(kernel).into_iter().collect()
}

/// A hook before every instruction of kernel `full`, in these lanes.
pub fn plan_of_full<'t>(module: &Module, tool: &'t Tool, hook: &str, lanes: Lanes) -> Plan<'t> {
    let kernel = module.function("full").expect("is there");
    let call = |inst| Insertion {
        function: kernel,
        inst,
        point: Point::Before,
        action: Action::Call {
            hook: 0,
            arguments: vec![("parameter:0".to_owned(), Value::Constant(1))],
            lanes,
        },
    };
    let insts = 0..module.functions[kernel].insts.len();
    Plan {
        hooks: vec![tool.hook(hook)],
        insertions: insts.map(call).collect(),
        ..Plan::default()
    }
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

/// Hazards in new code.
pub fn hazards(rewritten: &Rewritten, module: &Module) -> Vec<String> {
    let wave_size = module.target.wave_size;
    let program = Program {
        target: module.target,
        code: vec![(0, &rewritten.text)],
        functions: rewritten
            .functions
            .iter()
            .map(|function| FunctionSeed {
                name: function.name.clone(),
                kind: match function.offset == rewritten.entry {
                    true => FunctionKind::Kernel,
                    false => FunctionKind::Device,
                },
                entry: function.offset,
                size: function.size,
                wave_size: Some(wave_size),
            })
            .collect(),
        pointers: BTreeMap::new(),
    };
    let module = Module::of_program(&program, Options::default()).expect("lifts");
    let mut found = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        let violations = hazard::check(function, module.target);
        if let Some(first) = violations.first() {
            // The instructions around it, for the developer who looks for the cause.
            let near = first.producer.saturating_sub(32)..=first.consumer;
            let insts =
                (0..function.insts.len()).filter(|inst| near.contains(&function.insts.pc(*inst)));
            for inst in insts {
                eprintln!(
                    "{:#x} {}",
                    function.insts.pc(inst),
                    function.insts.at(inst).mnemonic()
                );
            }
        }
        found.extend(violations.iter().map(ToString::to_string));
        let unwaited = hazard::check_waits(&module, index);
        found.extend(unwaited.iter().map(ToString::to_string));
    }
    found
}

const WORK_ITEMS: u32 = 128;

pub fn words(seed: u32) -> Input {
    Input::words((0..WORK_ITEMS).map(move |i| (i + seed).wrapping_mul(2_654_435_761) >> 12))
}

pub fn launch(kernel: &str, inputs: Vec<Input>) -> Launch {
    Launch {
        kernel: kernel.to_owned(),
        grid: [2, 1, 1],
        block: [64, 1, 1],
        dynamic_lds: 256,
        inputs,
    }
}

/// A launch of every kernel.
pub fn launches() -> Vec<Launch> {
    let floats = || Input::words((0..WORK_ITEMS).map(|i| (1.0f32 + i as f32 / 64.0).to_bits()));
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
        launch("indexed", vec![words(0), words(1), number(9)]),
        launch("indirect", vec![words(0), words(1), number(5)]),
        launch("halves", vec![words(0), words(1), number(12)]),
    ]
}
