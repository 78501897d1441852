//! Loads without a wait: none in what compilers emit, and every one that is planted.

use codeobj::CodeObject;
use gfx::Target;
use hazard::check_waits;
use isa::{Assembler, Effects};
use lift::{FunctionKind, FunctionSeed, Module, Options, Program};

const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";

#[test]
fn rocrand_waits_for_all_it_loads() {
    let bytes = std::fs::read(LIBRARY)
        .unwrap_or_else(|_| panic!("{LIBRARY} is missing; install librocrand1 or run ./dev setup"));
    let (mut loads, mut found) = (0, Vec::new());
    for entry in codeobj::walk(&bytes).unwrap().code_objects() {
        let Ok(object) = CodeObject::parse(&entry.bytes) else {
            continue;
        };
        let module = Module::lift(&object).unwrap();
        for (index, function) in module.functions.iter().enumerate() {
            let insts = function.insts.iter();
            loads += insts
                .filter(|inst| inst.effects.contains(Effects::LOAD))
                .count();
            let unwaited = check_waits(&module, index);
            let text = |unwaited| format!("{} {}: {unwaited}", module.target.name, function.name);
            found.extend(unwaited.into_iter().map(text));
        }
    }
    assert!(loads > 5000, "{loads}");
    assert!(
        found.is_empty(),
        "{} violations:\n{}",
        found.len(),
        found[..found.len().min(10)].join("\n")
    );
}

fn unwaited(target: &str, text: &str) -> usize {
    let target = Target::find(target).unwrap();
    let code = Assembler::new(target).unwrap().assemble(text).unwrap();
    let program = Program {
        target,
        code: vec![(0, &code)],
        functions: vec![FunctionSeed {
            name: "main".to_owned(),
            kind: FunctionKind::Kernel,
            entry: 0,
            size: 0,
            wave_size: None,
        }],
        pointers: Default::default(),
    };
    let module = Module::of_program(&program, Options::default()).unwrap();
    check_waits(&module, 0).len()
}

/// Target, code that is right with the wait, and the wait (`WAIT` in the code).
#[rustfmt::skip]
const PLANTED: &[(&str, &str, &str)] = &[
    ("gfx90a",  "global_load_dword v1, v0, s[2:3]\nWAIT\nv_add_u32 v2, v1, v1",              "s_waitcnt vmcnt(0)"),
    ("gfx90a",  "global_load_dword v1, v0, s[2:3]\nglobal_load_dword v3, v0, s[2:3]\nWAIT\nv_mov_b32 v1, 0", "s_waitcnt vmcnt(1)"),
    ("gfx90a",  "s_load_dwordx4 s[8:11], s[2:3], 0x0\nWAIT\ns_mov_b32 s11, 0",              "s_waitcnt lgkmcnt(0)"),
    ("gfx900",  "ds_read_b32 v1, v0\nWAIT\nv_add_u32 v2, v1, v1",                           "s_waitcnt lgkmcnt(0)"),
    ("gfx1030", "global_load_dword v1, v0, s[2:3]\nWAIT\nv_mov_b32 v1, v2",                 "s_waitcnt vmcnt(0)"),
    ("gfx1100", "ds_load_b32 v1, v0\nWAIT\nglobal_store_b32 v0, v1, s[2:3]",                "s_waitcnt lgkmcnt(0)"),
    // Both components are in one register, whatever the family calls the load.
    ("gfx900",  "buffer_load_format_d16_xy v1, v0, s[4:7], 0 offen\nWAIT\nglobal_store_short_d16_hi v0, v1, s[2:3]", "s_waitcnt vmcnt(0)"),
    ("gfx1100", "buffer_load_d16_format_xy v1, v0, s[4:7], 0 offen\nWAIT\nglobal_store_d16_hi_b16 v0, v1, s[2:3]", "s_waitcnt vmcnt(0)"),
    ("gfx1200", "s_load_b32 s8, s[2:3], 0x0\nWAIT\ns_add_u32 s9, s8, s8",                   "s_wait_kmcnt 0x0"),
    ("gfx1200", "global_load_b32 v1, v0, s[2:3]\nWAIT\nv_mov_b32 v2, v1",                   "s_wait_loadcnt 0x0"),
];

#[test]
fn a_missing_wait_is_found() {
    for (target, text, wait) in PLANTED {
        let with = |wait: &str| {
            unwaited(
                target,
                &format!("{}\ns_endpgm\n", text.replace("WAIT", wait)),
            )
        };
        assert_eq!(with(wait), 0, "{target}: {text}");
        assert_eq!(with("s_nop 0"), 1, "{target}: {text}");
    }
}
