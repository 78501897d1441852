//! The text of a kernel after each pass: one hook at one place, and counted blocks. `INSTA_UPDATE=always` writes what is new.

use codeobj::CodeObject;
use compiled::Compiler;
use isa::Assembler;
use lift::{FunctionKind, Module};
use rewrite::{Action, CounterArray, HookVariants, Insertion, Kernels, Lanes, Plan, Point, Value};
use template::{Clobbers, Group, Patch, Port, RegisterFile, Template};

const TARGET: &str = "gfx90a";

/// SCC is alive at its branch, and a load is on its way to s[0:1].
const KERNEL: &str = "
.amdgcn_target \"amdgcn-amd-amdhsa--gfx90a\"
.text
.globl store
.p2align 8
.type store,@function
store:
    s_load_dwordx2 s[0:1], s[4:5], 0x0
    v_lshlrev_b32 v0, 2, v0
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc1 done
    v_mov_b32 v1, s6
    s_waitcnt lgkmcnt(0)
    global_store_dword v0, v1, s[0:1]
done:
    s_endpgm
.Lend:
.size store, .Lend-store
.rodata
.p2align 6
.amdhsa_kernel store
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_kernarg_size 8
    .amdhsa_accum_offset 4
    .amdhsa_next_free_vgpr 2
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: store
    .symbol: store.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 2
    .max_flat_workgroup_size: 256
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer}
...
.end_amdgpu_metadata
";

fn object() -> Vec<u8> {
    let work = tempfile::tempdir().expect("a temporary directory");
    let (source, out) = (work.path().join("store.s"), work.path().join("store.co"));
    std::fs::write(&source, KERNEL).expect("writes");
    let output = Compiler::new("clang-22")
        .args(["-x", "assembler", "--target=amdgcn-amd-amdhsa", "-nogpulib"])
        .arg(format!("-mcpu={TARGET}"))
        .arg("-o")
        .args([&out, &source])
        .output()
        .expect("clang-22 is installed (./dev setup)");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    std::fs::read(&out).expect("clang wrote it")
}

/// Adds two numbers in SGPRs, which changes SCC.
fn template() -> Template {
    let target = gfx::Target::find(TARGET).expect("a known target");
    let assembler = Assembler::new(target).expect("an assembler");
    let group = |written| Group {
        file: RegisterFile::Sgpr,
        first: 0,
        width: 1,
        alignment: 1,
        limit: 102,
        written,
        preserved: false,
        all_lanes: false,
    };
    let port = |name: &str, group| Port {
        name: name.to_owned(),
        file: RegisterFile::Sgpr,
        read: true,
        written: false,
        dwords: vec![Some((group, 0))],
    };
    let patch = |bit, group, length| Patch {
        bit,
        group,
        offset: 0,
        shift: 0,
        length,
    };
    Template {
        target: TARGET.to_owned(),
        wave_size: 64,
        code: assembler
            .assemble("s_add_u32 s0, s0, s0")
            .expect("assembles"),
        droppable_tail: 0,
        ports: vec![port("parameter:0", 0), port("parameter:1", 1)],
        groups: vec![group(true), group(false)],
        clobbers: Clobbers::SCC,
        // SOP2: destination from bit 16, sources from bits 0 and 8.
        patches: vec![patch(16, 0, 7), patch(0, 0, 8), patch(8, 1, 8)],
        relocations: Vec::new(),
        instructions: 1,
        stack: 0,
        shared: Vec::new(),
        reads_mode: false,
        counts_waves: false,
        constants: Vec::new(),
    }
}

#[test]
fn each_pass() {
    let bytes = object();
    let object = CodeObject::parse(&bytes).expect("reads");
    let module = Module::lift(&object).expect("lifts");
    let kernels = Kernels::all(&object).expect("reads");
    let function = &module.functions[0];
    assert_eq!(function.kind, FunctionKind::Kernel);
    let template = template();
    let at = |inst, action| Insertion {
        function: 0,
        inst,
        point: Point::Before,
        action,
    };
    let workgroup = Value::Register(isa::Reg {
        kind: isa::RegKind::Sgpr,
        index: 0,
        width: 1,
        half: None,
    });
    let arguments = vec![
        ("parameter:0".to_owned(), Value::Constant(0x1234)),
        ("parameter:1".to_owned(), workgroup),
    ];
    let hook = at(
        3,
        Action::Call {
            hook: 0,
            arguments,
            lanes: Lanes::First,
        },
    );
    let counted = function.blocks.iter().enumerate().map(|(index, block)| {
        let amount = 1;
        let array = 0;
        let action = Action::Count {
            array,
            index,
            amount,
        };
        at(block.first, action)
    });
    let plan = Plan {
        hooks: vec![HookVariants {
            name: "add".to_owned(),
            templates: vec![(false, false, &template)],
        }],
        counters: vec![CounterArray {
            global: 0,
            length: function.blocks.len(),
        }],
        globals: vec!["blocks".to_owned()],
        insertions: counted.chain([hook]).collect(),
        ..Plan::default()
    };
    let mut dumps = Vec::new();
    let mut dump = |name: &'static str, text: &str| dumps.push((name, text.to_owned()));
    rewrite::rewrite_with_dumps(&kernels, &module, 0, &plan, &mut dump).expect("rewrites");
    for (name, text) in dumps {
        insta::assert_snapshot!(name, text);
    }
}
