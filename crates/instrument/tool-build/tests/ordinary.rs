//! Ordinary hooks build for every target, and what cannot be built is refused in words of the hook.

use luthier::ToolFile;

/// Hooks as authors write them: LDS of all widths with computed values, values of lanes beside registers that are written, many values
/// at a time.
const HOOKS: &str = r#"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 n;
LUTHIER_GLOBAL unsigned table[4096];
struct __attribute__((aligned(16))) wide { luthier_u32 a, b, c, d; };
struct triple { luthier_u32 a, b, c; };
__shared__ luthier_u64 words[32];
__shared__ double numbers[32];
__shared__ wide wides[32];
__shared__ triple triples[32];
__shared__ luthier::per_wave<luthier_u64> own;
LUTHIER_HOOK void store() {
  unsigned l = luthier::lane();
  words[l & 31] = n;
  words[(l + 1) & 31] = luthier::exec();
  __atomic_fetch_add(&words[(l + 2) & 31], n + l, __ATOMIC_RELAXED);
  numbers[l & 31] = numbers[l & 7] * 1.5 + n;
  wides[l & 31] = wide{l, (unsigned)n, wides[l & 7].c + 1, wides[(l + 1) & 31].d};
  triples[l & 31] = triple{l, (unsigned)n, triples[(l + 3) & 31].a};
  own.own() = own.own() + n;
  luthier::add(&n, own.own());
}
LUTHIER_HOOK void values() { luthier::add(&n, luthier::workitem_id_x()); luthier::write_vgpr(2, 5); }
LUTHIER_HOOK void more(luthier_u32 x, luthier_u64 y) {
  luthier::add(&n, x * (luthier_u64)luthier::workitem_id_x() + y); luthier::write_vgpr(3, x); luthier::write_vgpr(9, (luthier_u32)y);
}
LUTHIER_HOOK void reads() { luthier::add(&n, luthier::vgpr(1) + (luthier_u64)luthier::vgpr(4)); luthier::write_sgpr(6, luthier::sgpr(7)); }
LUTHIER_HOOK void loads(luthier_u32 x) {
  unsigned v[96], s = 0;
  _Pragma("unroll") for (int i = 0; i < 96; i++) v[i] = ((volatile unsigned *)table)[i * 7 + luthier::lane()];
  _Pragma("unroll") for (int i = 0; i < 96; i++) s = s * 31 + v[95 - i];
  luthier::add(&n, s + x);
}
LUTHIER_HOOK void mathematics(luthier_u32 x) {
  float f = x;
  double d = x;
  f = __builtin_sinf(f) + __builtin_cosf(f) + __builtin_expf(f) + __builtin_logf(f) + __builtin_powf(f, 3) + __builtin_fmodf(f, 7);
  d = __builtin_sqrt(d) + __builtin_floor(d) + __builtin_fma(d, d, d) + __builtin_fmod(d, 7) + __builtin_ldexp(d, 3) + __builtin_round(d);
  luthier::add(&n, (luthier_u64)(f + d));
}
LUTHIER_TOOL(R"(
hooks = { more = ["vector", "vector"] }
insert = [{ hook = "store" }, { hook = "values" }, { hook = "reads" }, { hook = "more", arguments = ["operand.0", "address"] },
          { hook = "loads", arguments = [5] }, { hook = "mathematics", arguments = ["v0"] }]
)")
"#;

#[test]
fn ordinary_hooks_build_for_every_target() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("ordinary.hip");
    std::fs::write(&source, HOOKS).unwrap();
    let mut refused = Vec::new();
    for target in tool_build::TARGETS {
        match tool_build::build(&source, &[target], "clang-22") {
            Ok(bytes) => {
                let file = ToolFile::parse("ordinary", &bytes).unwrap();
                assert_eq!(file.targets(), [target]);
            }
            Err(error) => refused.push(format!("{target}: {error}")),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// Things that hooks cannot use, on one line.
const BESIDE: &str = "LUTHIER_GLOBAL luthier_u64 *table[4] = {&n, &n, (luthier_u64 *)&big[2], 0}; \
    struct pair { int which; luthier_u64 *to[2]; }; LUTHIER_GLOBAL pair nested[2] = {{1, {&n, &n}}, {2, {&n, &n}}}; \
    __attribute__((device)) static int sum(int count, ...) { __builtin_va_list all; __builtin_va_start(all, count); int s = 0; \
    for (int i = 0; i < count; i++) s += __builtin_va_arg(all, int); __builtin_va_end(all); return s; }";

/// A variable that no source of the tool has would be missed only when a kernel is instrumented.
#[test]
fn a_variable_that_nobody_defines_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("lacks.hip");
    let text = "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier_u64 n;\nextern LUTHIER_GLOBAL luthier_u64 elsewhere[4];\n\
                LUTHIER_HOOK void h() { luthier::add(&n, elsewhere[luthier::lane() & 3]); }\n\
                LUTHIER_TOOL(R\"(insert = [{ hook = \"h\" }])\")\n";
    std::fs::write(&source, text).unwrap();
    let said = tool_build::build(&source, &["gfx90a"], "clang-22").unwrap_err();
    let wanted = format!(
        "{}: the hook h uses the variable elsewhere, which no source of the tool defines",
        source.display()
    );
    assert!(said.to_string().contains(&wanted), "{said}");
}

#[test]
fn refusals_have_the_line_and_words_of_the_author() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("refused.hip");
    for (body, words) in [
        (
            "asm volatile(\"s_sethalt 1\");",
            "contains `s_sethalt 1`, which halts the wave",
        ),
        (
            "asm volatile(\"s_setprio 1\");",
            "contains `s_setprio 1`, which changes the wave's priority",
        ),
        (
            "double x = n; luthier::add(&n, (luthier_u64)__builtin_sin(x));",
            "the hook calls sin of a double, a function of HIP's device library, which `luthier tool build` does not have; build the tool with hipcc",
        ),
        (
            "double x = n; luthier::add(&n, (luthier_u64)__builtin_pow(x, x + 1));",
            "the hook calls pow of a double, a function of HIP's device library",
        ),
        (
            "float x = n; luthier::add(&n, (luthier_u64)__builtin_tanf(x));",
            "the hook calls tan of a float, a function of HIP's device library",
        ),
        (
            "double x = n; luthier::add(&n, (luthier_u64)__builtin_erf(x));",
            "the hook calls erf, a function of HIP's device library",
        ),
        (
            "static const void *const to[] = {&&a, &&b}; goto *to[luthier::lane() & 1]; a: luthier::add(&n, 1); return; b: luthier::add(&n, 2);",
            "the hook jumps to the address of a label (`goto *`), which cannot be moved into a kernel; use a switch",
        ),
        (
            "int *p = new int[4]; p[luthier::lane() & 3] = 1; luthier::add(&n, p[0]);",
            "the hook allocates memory (operator new[](unsigned long)), which hooks cannot; use an array",
        ),
        (
            "float x = n; luthier::add(&n, (luthier_u64)__builtin_cbrtf(x));",
            "the hook calls cbrtf, a function of HIP's device library",
        ),
        (
            "luthier::add(&n, sum(3, 1, 2, (int)luthier::lane()));",
            "the hook calls sum(int, ...), which takes a variable number of arguments and so cannot be inlined; use a template",
        ),
        (
            "luthier::add(table[luthier::lane() & 3], 1);",
            "the hook uses table, a variable that begins with addresses in it, which are known only when a program runs",
        ),
        (
            "luthier::add(table[2], 1);",
            "the hook uses table, a variable that begins with addresses in it, which are known only when a program runs",
        ),
        (
            "luthier::add(nested[luthier::lane() & 1].to[1], 1);",
            "the hook uses nested, a variable that begins with addresses in it",
        ),
    ] {
        let text = format!(
            "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier_u64 n; LUTHIER_GLOBAL unsigned big[8192]; {BESIDE}\n\
             LUTHIER_HOOK void h() {{ {body} }}\n\
             LUTHIER_TOOL(R\"(insert = [{{ hook = \"h\" }}])\")\n"
        );
        std::fs::write(&source, text).unwrap();
        let error = tool_build::build(&source, &["gfx90a"], "clang-22").unwrap_err();
        let said = error.to_string();
        let place = format!("{}:3: ", source.display());
        assert!(said.contains(&place) && said.contains(words), "{said}");
        assert!(said.contains("hook h for gfx90a"), "{said}");
        for inside in ["luthier_template", "Vgpr", "tuple", "0x"] {
            assert!(!said.contains(inside), "{inside}: {said}");
        }
    }
}

/// LLVM alone refuses it, for it has no stack to put values on.
#[test]
fn a_hook_with_more_values_than_registers_builds() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("many.hip");
    let text = r#"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 n;
LUTHIER_GLOBAL unsigned big[8192];
LUTHIER_HOOK void many() {
  unsigned v[270], s = 0;
  _Pragma("unroll") for (int i = 0; i < 270; i++) v[i] = ((volatile unsigned *)big)[i * 7 + luthier::lane()];
  _Pragma("unroll") for (int i = 0; i < 270; i++) s = s * 31 + v[269 - i];
  luthier::add(&n, s);
}
LUTHIER_TOOL(R"(insert = [{ hook = "many" }])")
"#;
    std::fs::write(&source, text).unwrap();
    let bytes = tool_build::build(&source, &["gfx90a"], "clang-22").unwrap();
    let file = ToolFile::parse("many", &bytes).unwrap();
    assert_eq!(file.targets(), ["gfx90a"]);
}
