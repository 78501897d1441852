//! Nothing in code that LLVM emitted, everything that was planted.

use codeobj::CodeObject;
use compiled::Compiler;
use gfx::Target;
use hazard::check;
use isa::Assembler;
use lift::{FunctionKind, FunctionSeed, Module, Options, Program};

fn complaints(object: &CodeObject<'_>) -> (usize, Vec<String>) {
    let module = Module::lift(object).unwrap();
    let mut found = Vec::new();
    let mut insts = 0;
    for function in &module.functions {
        insts += function.insts.len();
        let violations = check(function, module.target);
        found.extend(
            violations
                .iter()
                .map(|violation| format!("{} {}: {violation}", module.target.name, function.name)),
        );
    }
    (insts, found)
}

#[test]
fn rocrand_is_clean() {
    let path = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";
    let bytes = std::fs::read(path)
        .unwrap_or_else(|_| panic!("{path} is missing; install librocrand1 or run ./dev setup"));
    let mut insts = 0;
    for entry in codeobj::walk(&bytes).unwrap().code_objects() {
        let Ok(object) = CodeObject::parse(&entry.bytes) else {
            continue;
        };
        let (count, found) = complaints(&object);
        insts += count;
        assert!(
            found.is_empty(),
            "{} violations:\n{}",
            found.len(),
            found[..found.len().min(10)].join("\n")
        );
    }
    assert!(insts > 200_000);
}

/// Device code that runs into many hazards; no headers, so that any target compiles.
const SOURCE: &str = r#"
#define GLOBAL __attribute__((amdgpu_kernel))
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef __fp16 h4 __attribute__((ext_vector_type(4)));
GLOBAL void divide(float *out, const float *a, const float *b) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    out[i] = a[i] / b[i] + __builtin_sqrtf(a[i]) + __builtin_amdgcn_rcpf(b[i]) * a[i];
}
GLOBAL void lanes(int *out, const int *in, int n) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    int x = in[i] * 3 + 1;
    int y = __builtin_amdgcn_update_dpp(0, x, 0x111, 0xf, 0xf, 0);
    int first = __builtin_amdgcn_readfirstlane(x + y);
    int lane = __builtin_amdgcn_readlane(y, first & 31);
    out[i] = y + first + lane + in[first];
    if (x > n) out[i + 64] = __builtin_amdgcn_readfirstlane(y) + in[lane & 15];
}
GLOBAL void doubles(double *out, const double *a, const double *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] / b[i];
    out[__builtin_amdgcn_workitem_id_x()] = s;
}
GLOBAL void wide(f4 *out, const f4 *in, int n) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    f4 x = in[i];
    for (int k = 0; k < n; k++) { out[i + k * 64] = x; x = x * 2.0f + 1.0f; }
}
#ifdef MATRIX
GLOBAL void matrix(f16 *out, const f16 *c, const h4 *a, const h4 *b, float s) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    f16 x = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i] , b[i], c[i], 0, 0, 0);
    out[i] = x * s;
    f4 y = {s, s, s, s};
    y = __builtin_amdgcn_mfma_f32_16x16x16f16(a[i + 1], b[i], y, 0, 0, 0);
    y = __builtin_amdgcn_mfma_f32_4x4x4f16(a[i + 2], b[i], y * s, 0, 0, 0);
    ((f4 *)out)[i + 999] = y * s;
}
GLOBAL void chain(f4 *out, const f4 *c, const float *a) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    f4 x = c[i], d = c[i + 64];
    float f = a[i];
    f4 y = __builtin_amdgcn_mfma_f32_4x4x1f32(f, x[0], x, 0, 0, 0);
    x = __builtin_amdgcn_mfma_f32_4x4x1f32(y[1], f, d, 0, 0, 0);
    f = x[2] + f;
    out[i] = __builtin_amdgcn_mfma_f32_4x4x1f32(f, x[0], y, 0, 0, 0);
}
#endif
#ifdef DOUBLES
typedef double d4 __attribute__((ext_vector_type(4)));
GLOBAL void products(d4 *out, const d4 *c, const double *a) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    d4 x = c[i];
    double f = a[i];
    d4 y = __builtin_amdgcn_mfma_f64_16x16x4f64(f, x[0], x, 0, 0, 0);
    f = __builtin_amdgcn_mfma_f64_4x4x4f64(y[1], f, f, 0, 0, 0);
    y[3] = __builtin_fma(f, f, y[2]);
    out[i] = y;
}
#endif
"#;

/// [`SOURCE`] compiled for a target; `further` is one more option or empty.
fn compile(target: &str, further: &str) -> Vec<u8> {
    let work = tempfile::tempdir().unwrap();
    let source = work.path().join("hazards.c");
    let out = work.path().join("hazards.co");
    std::fs::write(&source, SOURCE).unwrap();
    let mut command = Compiler::new("clang-22");
    command.args([
        "-x",
        "c",
        "--target=amdgcn-amd-amdhsa",
        "-nogpulib",
        "-w",
        "-O2",
        "-fno-math-errno",
    ]);
    command
        .arg(format!("-mcpu={target}"))
        .arg("-o")
        .arg(&out)
        .arg(&source);
    command.args(further.split_whitespace());
    let output = command
        .output()
        .expect("clang-22 is installed (./dev setup)");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{target}: {errors}");
    std::fs::read(&out).unwrap()
}

#[test]
fn what_clang_emits_is_clean() {
    for (target, further) in [
        ("gfx900", ""),
        ("gfx908", "-DMATRIX"),
        ("gfx90a", "-DMATRIX -DDOUBLES"),
        ("gfx942", "-DMATRIX -DDOUBLES"),
        ("gfx950", "-DMATRIX -DDOUBLES"),
        ("gfx1010", ""),
        ("gfx1010", "-mwavefrontsize64"),
        ("gfx1030", ""),
        ("gfx1100", ""),
        ("gfx1150", ""),
        ("gfx1200", ""),
    ] {
        let bytes = compile(target, further);
        let (insts, found) = complaints(&CodeObject::parse(&bytes).unwrap());
        assert!(insts > 100, "{target}: {insts}");
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

/// The compiler pads no more than it must: any `s_nop` taken out is a violation.
#[test]
fn missing_padding_is_found() {
    // With XNACK on, some break up clauses of loads instead.
    let (mut removed, mut found) = (0, 0);
    for (target, further) in [
        ("gfx900", ""),
        ("gfx906", ""),
        ("gfx908:xnack-", "-DMATRIX"),
        ("gfx90a:xnack-", "-DMATRIX -DDOUBLES"),
        ("gfx942:xnack-", "-DMATRIX -DDOUBLES"),
    ] {
        let bytes = compile(target, further);
        let module = Module::lift(&CodeObject::parse(&bytes).unwrap()).unwrap();
        for function in &module.functions {
            let nops = (0..function.insts.len()).filter(|&index| {
                let block = &function.blocks[function.block_of(index)];
                function.insts.at(index).mnemonic() == "s_nop" && block.reachable && block.len() > 1
            });
            for nop in nops {
                let mut changed = function.clone();
                changed.insts.remove(nop);
                for block in &mut changed.blocks {
                    block.first -= usize::from(block.first > nop);
                    block.end -= usize::from(block.end > nop);
                }
                let complaints = check(&changed, module.target).len();
                if complaints == 0 {
                    eprintln!("{target} {} {:#x}", function.name, function.insts.pc(nop));
                }
                removed += 1;
                found += usize::from(complaints != 0);
            }
        }
    }
    eprintln!("{found} of {removed} found");
    assert!(removed >= 10, "{removed}");
    assert_eq!(found, removed);
}

/// Violations in a snippet, by rule.
fn rules(target: &str, text: &str) -> Vec<&'static str> {
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
    check(&module.functions[0], target)
        .into_iter()
        .map(|violation| violation.rule)
        .collect()
}

/// Target, instructions with as much padding as needed (`PAD`), wait states of it.
#[rustfmt::skip]
const PLANTED: &[(&str, &str, u32)] = &[
    ("gfx90a",  "v_readfirstlane_b32 s2, v1\nPAD\nglobal_load_dword v2, v0, s[2:3]",                       5),
    ("gfx900",  "v_cmp_eq_u32_e64 s[2:3], v0, v1\nPAD\nbuffer_load_dword v2, v0, s[0:3], 0 offen",         5),
    ("gfx90a",  "v_cmpx_eq_u32_e32 vcc, v0, v1\nPAD\nv_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf", 5),
    ("gfx906",  "v_mov_b32_e32 v3, v1\nPAD\nv_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf",    2),
    ("gfx90a",  "v_cmp_eq_u32_e32 vcc, v0, v1\nPAD\nv_div_fmas_f32 v0, v1, v2, v3",                        4),
    ("gfx908",  "v_readfirstlane_b32 s2, v1\nPAD\nv_readlane_b32 s3, v4, s2",                              4),
    ("gfx90a",  "v_readfirstlane_b32 s2, v1\nPAD\nv_writelane_b32 v4, 1, s2",                             4),
    ("gfx90a",  "s_setreg_b32 hwreg(HW_REG_MODE), s0\nPAD\ns_getreg_b32 s1, hwreg(HW_REG_MODE)",           2),
    ("gfx90a",  "s_mov_b32 m0, s0\nPAD\ns_sendmsg sendmsg(MSG_INTERRUPT)",                                 1),
    ("gfx90a",  "global_store_dwordx4 v0, v[4:7], s[0:1]\nPAD\nv_mov_b32_e32 v5, 0",                       1),
    ("gfx942",  "global_store_dwordx4 v0, v[4:7], s[0:1]\nPAD\nv_mov_b32_e32 v5, 0",                       2),
    ("gfx942",  "v_cmp_eq_u32_e64 s[2:3], v0, v1\nPAD\nv_cndmask_b32_e64 v2, v0, v1, s[2:3]",              2),
    ("gfx942",  "v_mov_b32_e32 v1, v0\nPAD\nv_readfirstlane_b32 s2, v1",                                   1),
    ("gfx942",  "v_rcp_f32_e32 v1, v0\nPAD\nv_add_f32_e32 v2, v1, v1",                                     1),
    // The distance that llc-22 leaves between a product and its first use.
    ("gfx942",  "v_mfma_f32_4x4x1_16b_f32 v[0:3], v8, v9, v[0:3]\nPAD\nv_add_f32_e32 v10, v1, v1",         4),
    ("gfx942",  "v_mfma_f32_16x16x4_f32 v[0:3], v8, v9, v[0:3]\nPAD\nv_add_f32_e32 v10, v1, v1",          10),
    ("gfx942",  "v_mfma_f32_32x32x2_f32 v[0:15], v18, v19, v[0:15]\nPAD\nglobal_store_dword v20, v1, s[0:1]", 18),
    ("gfx942",  "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[8:9], v[10:11], v[0:3]\nPAD\nv_mov_b32_e32 v1, 0",     5),
    ("gfx942",  "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]\nPAD\nv_mov_b32_e32 v1, 0",      7),
    ("gfx942",  "v_mfma_f32_16x16x8_xf32 v[0:3], v[8:9], v[10:11], v[0:3]\nPAD\nv_mov_b32_e32 v1, 0",      7),
    ("gfx942",  "v_smfmac_f32_16x16x32_f16 v[0:3], v[8:9], v[12:15], v16\nPAD\nv_mov_b32_e32 v1, 0",       7),
    ("gfx942",  "v_mfma_f32_32x32x8_f16 v[0:15], v[18:19], v[20:21], v[0:15]\nPAD\nv_mov_b32_e32 v1, 0",  11),
    ("gfx942",  "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[32:33], v[34:35], v[0:31]\nPAD\nv_mov_b32_e32 v1, 0", 19),
    ("gfx950",  "v_mfma_f32_16x16x32_f16 v[0:3], v[8:11], v[12:15], v[0:3]\nPAD\nv_mov_b32_e32 v1, 0",     8),
    ("gfx950",  "v_mfma_f32_32x32x16_f16 v[0:15], v[18:21], v[22:25], v[0:15]\nPAD\nv_mov_b32_e32 v1, 0", 12),
    ("gfx950",  "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[32:33], v[34:35], v[0:31]\nPAD\nv_mov_b32_e32 v1, 0", 20),
    ("gfx90a",  "v_mov_b32_e32 v1, v0\nPAD\nv_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[0:3]",                   2),
    ("gfx90a",  "v_mfma_f32_4x4x1f32 v[0:3], v8, v9, v[0:3]\nPAD\nv_add_f32_e32 v10, v1, v1",              5),
    ("gfx90a",  "v_mfma_f32_16x16x1f32 v[0:15], v18, v19, v[0:15]\nPAD\nv_mov_b32_e32 v4, 0",             11),
    ("gfx90a",  "v_mfma_f32_32x32x2f32 v[0:15], v18, v19, v[0:15]\nPAD\nglobal_store_dword v20, v1, s[0:1]", 19),
];

#[test]
fn planted_violations_are_found_and_padding_helps() {
    for (target, text, states) in PLANTED {
        let padded = |states: u32| {
            let nops: String = std::iter::repeat_n("s_nop 0\n", states as usize).collect();
            rules(target, &(text.replace("PAD\n", &nops) + "\ns_endpgm\n"))
        };
        assert!(!padded(0).is_empty(), "{target}: {text}");
        assert!(
            !padded(states - 1).is_empty(),
            "{target} with one wait state less: {text}"
        );
        assert_eq!(padded(*states), Vec::<&str>::new(), "{target}: {text}");
    }
}

#[test]
fn a_loop_carries_a_hazard_to_its_start() {
    let text = "L:\nglobal_load_dword v2, v0, s[2:3]\ns_nop NOP\nv_readfirstlane_b32 s2, v1\ns_cbranch_scc1 L\ns_endpgm\n";
    assert_eq!(
        rules("gfx90a", &text.replace("NOP", "7")),
        ["VALU writes SGPR, VMEM reads it"]
    );
    let apart = text
        .replace("NOP", "0")
        .replace("s_cbranch", "s_nop 3\ns_cbranch");
    assert!(rules("gfx90a", &apart).is_empty());
}

#[test]
fn gfx11_transcendental_results_need_distance() {
    let close = "v_rcp_f32_e32 v1, v0\nv_add_f32_e32 v2, v1, v1\ns_endpgm\n";
    assert_eq!(rules("gfx1100", close).len(), 1);
    let waited =
        "v_rcp_f32_e32 v1, v0\ns_waitcnt_depctr 0xfff\nv_add_f32_e32 v2, v1, v1\ns_endpgm\n";
    assert!(rules("gfx1100", waited).is_empty());
    // Five others are too few, and so is one transcendental one.
    for (between, clean) in [
        ("v_mov_b32_e32 v3, v0\n".repeat(5), false),
        ("v_mov_b32_e32 v3, v0\n".repeat(6), true),
        ("v_rcp_f32_e32 v4, v0\n".to_owned(), false),
        ("v_rcp_f32_e32 v4, v0\n".repeat(2), true),
    ] {
        let text = close.replace("v_add", &format!("{between}v_add"));
        assert_eq!(rules("gfx1100", &text).is_empty(), clean, "{between}");
    }
    // Memory instructions are issued when there are no vector results to wait for.
    for memory in ["ds_load_b32 v4, v5", "global_store_b32 v4, v5, s[2:3]"] {
        let text = close.replace("v_add", &format!("{memory}\nv_add"));
        assert!(rules("gfx1100", &text).is_empty(), "{memory}");
    }
}

/// As clang pads them: one instruction of the vector unit between a product and one of which it is a factor.
#[test]
fn products_of_products_need_distance() {
    for (target, first, factor, sum, sparse) in [
        (
            "gfx1100",
            "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
            "v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[16:23], v[24:31]",
            "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
            None,
        ),
        (
            "gfx1200",
            "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[16:19], v[0:7]",
            "v_wmma_f32_16x16x16_f16 v[24:31], v[12:15], v[4:7], v[24:31]",
            "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[16:19], v[0:7]",
            Some("v_swmmac_f32_16x16x32_f16 v[24:31], v[8:11], v[12:19], v7"),
        ),
    ] {
        for second in [Some(factor), sparse].into_iter().flatten() {
            let close = format!("{first}\n{second}\ns_endpgm\n");
            assert_eq!(rules(target, &close).len(), 1, "{target}: {second}");
            for between in ["v_nop", "v_mov_b32_e32 v40, v41", first] {
                let between = between.replace("v[0:7]", "v[32:39]");
                let text = format!("{first}\n{between}\n{second}\ns_endpgm\n");
                assert!(rules(target, &text).is_empty(), "{target}: {text}");
            }
            let text = format!("{first}\ns_nop 3\n{second}\ns_endpgm\n");
            assert_eq!(rules(target, &text).len(), 1, "{target}: {text}");
        }
        let text = format!("{first}\n{sum}\ns_endpgm\n");
        assert!(rules(target, &text).is_empty(), "{target}: {text}");
    }
}

/// Target, two instructions of gfx10's hazards with `GAP` between them, what does not help there, and what does. From the
/// descriptions of the hazards in LLVM's subtarget features and the passes' comments.
#[rustfmt::skip]
const BETWEEN: &[(&str, &str, &[&str], &[&str])] = &[
    ("gfx1010", "global_load_dword v0, v2, s[0:1]\nGAP\ns_mov_b32 s0, 0",
        &["s_nop 7", "s_add_u32 s9, s8, s8"],
        &["v_mov_b32_e32 v7, v8", "s_waitcnt_depctr 0xffe3", "s_waitcnt 0"]),
    ("gfx1010", "ds_read_b32 v0, v2\nGAP\ns_mov_b32 exec_lo, s0", &["s_nop 7"], &["v_mov_b32_e32 v7, v8"]),
    ("gfx1010", "global_load_dword v0, v2, s[0:1]\nGAP\ns_load_dword s0, s[2:3], 0x0", &["s_nop 7"], &["v_mov_b32_e32 v7, v8"]),
    ("gfx1010", "s_load_dword s5, s[2:3], 0x0\nGAP\nv_readfirstlane_b32 s3, v0",
        &["s_nop 7", "v_mov_b32_e32 v7, v8", "s_waitcnt_vscnt null, 0x0"],
        &["s_mov_b32 null, 0", "s_waitcnt lgkmcnt(0)"]),
    ("gfx1010", "s_load_dword s5, s[2:3], 0x0\nGAP\nv_cmp_eq_u32_e64 s2, v0, v1", &["s_nop 7"], &["s_mov_b32 s9, 0"]),
    ("gfx1010", "s_mov_b32 s0, exec_lo\nGAP\nv_cmpx_eq_u32_e32 v0, v1",
        &["s_nop 7", "v_mov_b32_e32 v7, v8"],
        &["s_waitcnt_depctr 0xfffe", "v_cmp_eq_u32_e32 vcc_lo, v0, v1"]),
    ("gfx1030", "v_cmpx_eq_u32_e32 v0, v1\nGAP\nv_permlane16_b32 v2, v3, s0, s1",
        &["s_nop 7", "v_nop"], &["v_mov_b32_e32 v3, v3"]),
    ("gfx1030", "global_atomic_fcmpswap v2, v[4:5], s[0:1]\nGAP\ns_denorm_mode 0", &["s_nop 7"], &["v_mov_b32_e32 v7, v8", "s_waitcnt vmcnt(0)"]),
    ("gfx1010", "ds_read_b32 v0, v2\ns_cbranch_scc0 L\nL:\nGAP\nglobal_store_dword v4, v5, s[0:1]",
        &["s_nop 7", "v_mov_b32_e32 v7, v8"],
        &["s_waitcnt_vscnt null, 0x0", "ds_read_b32 v6, v7"]),
    ("gfx1010", "global_load_dword v0, v2, s[0:1]\ns_cbranch_scc0 L\nL:\nGAP\nds_write_b32 v4, v5",
        &["s_nop 7"], &["s_waitcnt_vscnt null, 0x0"]),
];

#[test]
fn some_hazards_need_something_in_between() {
    for (target, text, useless, useful) in BETWEEN {
        let with = |gap: &str| rules(target, &(text.replace("GAP", gap) + "\ns_endpgm\n"));
        assert_eq!(with("").len(), 1, "{target}: {text}");
        for gap in *useless {
            assert_eq!(with(gap).len(), 1, "{target} with {gap}: {text}");
        }
        for gap in *useful {
            let found = with(gap);
            assert_eq!(found, Vec::<&str>::new(), "{target} with {gap}: {text}");
        }
    }
    // Without a branch, LDS and memory may follow each other; and gfx10.3 has none of gfx10.1's hazards.
    let text = "ds_read_b32 v0, v2\nglobal_store_dword v4, v5, s[0:1]\ns_endpgm\n";
    assert!(rules("gfx1010", text).is_empty());
    let text = "global_load_dword v0, v2, s[0:1]\ns_mov_b32 s0, 0\ns_endpgm\n";
    assert!(rules("gfx1030", text).is_empty());
}
