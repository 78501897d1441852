//! Hooks that cannot be inserted, refused with their source line; compilation around a site's live registers; and literals.

use gfx::Target;
use hook::{Arg, Bitcode, CompileError, Compiler, RegisterFile, Request, Site};
use std::{collections::BTreeSet, path::Path};

fn bitcode(source: &str, target: &str, further: &[&str]) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("tool.hip");
    let text = format!("#include <luthier_device.h>\n{source}\n");
    std::fs::write(&file, text).expect("writes");
    let output = directory.path().join("tool.bc");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include");
    let status = compiled::Compiler::new("clang-22")
        .args([
            "-x",
            "hip",
            "--cuda-device-only",
            "-O2",
            "-nogpulib",
            "-nogpuinc",
        ])
        .args([
            "-gline-tables-only",
            "-emit-llvm",
            "-c",
            "-Xclang",
            "-disable-llvm-passes",
        ])
        .arg(format!("--offload-arch={target}"))
        .args(further)
        .arg("-I")
        .arg(include)
        .arg(&file)
        .arg("-o")
        .arg(&output)
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    std::fs::read(output).expect("reads")
}

fn request<'a>(hook: &'a str, arguments: &'a [Arg]) -> Request<'a> {
    Request {
        hook,
        arguments,
        preserve_scc: true,
        preserve_vcc: true,
        attributes: &[],
    }
}

#[test]
fn refusals_name_the_construct_and_its_line() {
    // Every hook stands on line 3.
    let cases: &[(&str, &str, &str)] = &[
        ("", "__builtin_amdgcn_s_barrier();", "barrier"),
        ("", "__builtin_trap();", "trap"),
        (
            "extern __attribute__((shared)) luthier_u32 local[];",
            "local[n] = n;",
            "LDS variable local, whose size",
        ),
        (
            "extern \"C\" __device__ void elsewhere();",
            "elsewhere();",
            "elsewhere",
        ),
        (
            "LUTHIER_GLOBAL void (*pointer)();",
            "pointer();",
            "function pointer",
        ),
        (
            "LUTHIER_GLOBAL luthier_u32 sink;",
            "volatile luthier_u32 a[n]; a[n & 31] = n; sink = a[n >> 27];",
            "known at run time only",
        ),
        (
            "LUTHIER_GLOBAL luthier_u32 sink;",
            "volatile luthier_u32 a[32768]; a[n & 31] = n; sink = a[n >> 27];",
            "131072 bytes per lane",
        ),
        ("", "luthier::write_vgpr(n, 1);", "not a constant"),
    ];
    let target = Target::find("gfx90a").expect("a known target");
    let compiler = Compiler::new(target, 64, "").expect("a compiler");
    for (global, body, word) in cases {
        let source = format!("{global}\nLUTHIER_HOOK void hook(luthier_u32 n) {{ {body} }}");
        let bytes = bitcode(&source, "gfx90a", &[]);
        let mut module = Bitcode::parse(&bytes).expect("parses");
        let error = compiler
            .template(&mut module, &request("hook", &[Arg::Scalar]))
            .expect_err(body);
        let CompileError::Codegen { source, .. } = &error else {
            panic!("{body}: {error}");
        };
        let found = source
            .diagnostics()
            .iter()
            .find(|found| found.message.contains(word));
        let found = found.unwrap_or_else(|| panic!("{body}: {error}"));
        assert!(
            found.file.ends_with("tool.hip") || found.file.ends_with("luthier_device.h"),
            "{found:?}"
        );
        assert!(found.line != 0, "{body}: {error}");
    }
    let bytes = bitcode("LUTHIER_HOOK void hook() {}", "gfx90a", &[]);
    let mut module = Bitcode::parse(&bytes).expect("parses");
    for (hook, arguments, word) in [
        ("other", &[][..], "no hook named other"),
        (
            "hook",
            &[Arg::Scalar][..],
            "the number of arguments is 1, but the hook takes 0",
        ),
    ] {
        let error = compiler.template(&mut module, &request(hook, arguments));
        let text = error.expect_err(hook).to_string();
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn sites_keep_every_live_register() {
    let source = "LUTHIER_GLOBAL luthier_u64 total;\n\
        LUTHIER_HOOK void hook(luthier_u32 n) { luthier::count_lanes(&total, n * luthier::vgpr(9)); }";
    for (name, wave) in [
        ("gfx90a", 64),
        ("gfx942", 64),
        ("gfx1030", 32),
        ("gfx1100", 32),
        ("gfx1200", 32),
    ] {
        let target = Target::find(name).expect("a known target");
        let compiler = Compiler::new(target, wave, "").expect("a compiler");
        let mut module = Bitcode::parse(&bitcode(source, name, &[])).expect("parses");
        let mut live: BTreeSet<(RegisterFile, u16)> = BTreeSet::new();
        live.extend((0..80).map(|index| (RegisterFile::Sgpr, index)));
        live.extend((0..100).map(|index| (RegisterFile::Vgpr, index)));
        let site = Site {
            live,
            inputs: vec![("vgpr:9".to_owned(), 9), ("parameter:0".to_owned(), 77)],
            copy: false,
        };
        let arguments = [Arg::Scalar];
        let template = compiler
            .for_site(&mut module, &request("hook", &arguments), &site)
            .unwrap_or_else(|error| panic!("{error}"));
        for group in template.groups.iter().filter(|group| group.written) {
            let lowest = if group.file == RegisterFile::Sgpr {
                80
            } else {
                100
            };
            assert!(group.first >= lowest, "{name}: {group:?}");
        }
        let reads_v9 = template
            .groups
            .iter()
            .any(|group| group.file == RegisterFile::Vgpr && group.first == 9 && group.preserved);
        assert!(reads_v9, "{name}: {:?}", template.groups);
    }
}

#[test]
fn pressure_is_an_error_not_an_exit() {
    let source = "LUTHIER_GLOBAL luthier_u64 total;\n\
        LUTHIER_HOOK void hook() { luthier::count_lanes(&total, 1); }";
    let target = Target::find("gfx900").expect("a known target");
    let compiler = Compiler::new(target, 64, "").expect("a compiler");
    let mut module = Bitcode::parse(&bitcode(source, "gfx900", &[])).expect("parses");
    let mut site = Site::default();
    site.live
        .extend((0..102).map(|index| (RegisterFile::Sgpr, index)));
    site.live
        .extend((0..256).map(|index| (RegisterFile::Vgpr, index)));
    let error = compiler.for_site(&mut module, &request("hook", &[]), &site);
    assert!(error.is_err());
    // The compiler is as good as new.
    assert!(
        compiler
            .template(&mut module, &request("hook", &[]))
            .is_ok()
    );
}

#[test]
fn concatenated_modules_are_told_apart() {
    let one = bitcode("LUTHIER_HOOK void one() {}", "gfx90a", &[]);
    let two = bitcode("LUTHIER_HOOK void two() {}", "gfx90a", &["-g"]);
    let both = [&one[..], &two[..]].concat();
    let parts = llvm_codegen::split(&both).expect("splits");
    assert_eq!(parts, [&one[..], &two[..]]);
    let names: Vec<Vec<String>> = parts
        .iter()
        .map(|part| {
            Bitcode::parse(part)
                .expect("parses")
                .functions()
                .expect("lists")
                .into_iter()
                // The function that `assert` calls is the header's, too.
                .filter(|name| !name.contains("luthier") && name != "__assert_fail")
                .collect()
        })
        .collect();
    assert_eq!(names, [["one"], ["two"]]);
    for cut in 0..both.len() {
        // No panic, whatever is cut off.
        let _ = llvm_codegen::split(&both[..cut]);
    }
    assert!(Bitcode::parse(&one[..one.len() / 2]).is_err());
    assert!(Bitcode::parse(b"hello").is_err());
}

#[test]
fn divergent_loops_get_their_lanes_back() {
    let source = "LUTHIER_GLOBAL luthier_u64 total;\n\
        LUTHIER_HOOK void hook(luthier_u32 n) {\n\
        luthier_u32 steps = 0;\n\
        while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; ++steps; }\n\
        __scoped_atomic_fetch_add((luthier::global_u64)&total, steps, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }";
    for (name, wave) in [
        ("gfx900", 64),
        ("gfx90a", 64),
        ("gfx942", 64),
        ("gfx1030", 32),
        ("gfx1200", 32),
    ] {
        let target = Target::find(name).expect("a known target");
        let compiler = Compiler::new(target, wave, "").expect("a compiler");
        let mut module = Bitcode::parse(&bitcode(source, name, &[])).expect("parses");
        let template = compiler
            .template(&mut module, &request("hook", &[Arg::Vector]))
            .unwrap_or_else(|error| panic!("{error}"));
        let relocated = |offset: u32| template.code[offset as usize..][..4] == [0; 4];
        assert_eq!(template.relocations.len(), 2);
        assert!(
            template
                .relocations
                .iter()
                .all(|relocation| relocated(relocation.offset))
        );
        let backwards = compiler
            .decoder()
            .decode_all(&template.code, 0)
            .flatten()
            .any(|inst| inst.target().is_some_and(|target| target <= inst.pc));
        assert!(backwards, "{name}: the loop is still there");
    }
}

#[test]
fn values_that_are_numbers_are_literals_where_they_are_read() {
    let source = "LUTHIER_GLOBAL luthier_u64 total;\n\
        LUTHIER_HOOK void hook(luthier_u32 n) {\n\
        if (n == 7) { luthier::add(&total, luthier::pc() + luthier::access_size()); } }";
    let target = Target::find("gfx90a").expect("a known target");
    let compiler = Compiler::new(target, 64, "").expect("a compiler");
    let mut module = Bitcode::parse(&bitcode(source, "gfx90a", &[])).expect("parses");
    let template = compiler
        .template(&mut module, &request("hook", &[Arg::Scalar]))
        .unwrap_or_else(|error| panic!("{error}"));
    let ports: Vec<&str> = template.ports.iter().map(|port| &*port.name).collect();
    assert_eq!(ports, ["parameter:0"]);
    let mut values: Vec<(Option<&str>, u32)> = template
        .relocations
        .iter()
        .map(|relocation| (relocation.value(), relocation.shift()))
        .collect();
    values.sort_unstable();
    let expected = [
        (None, 0),
        (None, 32),
        (Some("access_size"), 0),
        (Some("pc"), 0),
        (Some("pc"), 32),
    ];
    assert_eq!(values, expected);
    // The branch comes before all of them.
    let mut instructions = compiler.decoder().decode_all(&template.code, 0);
    let mut behind = 0;
    let is_branch = instructions.any(|inst| {
        let inst = inst.expect("decodes");
        behind += u64::from(inst.size);
        inst.effects.contains(isa::Effects::BRANCH)
    });
    let offsets = template
        .relocations
        .iter()
        .map(|relocation| u64::from(relocation.offset));
    assert!(is_branch && offsets.min() > Some(behind));
}

#[test]
fn parameters_that_are_literals_are_of_one_width_and_in_no_register() {
    let source = "LUTHIER_GLOBAL luthier_u64 total;\n\
        LUTHIER_HOOK void narrow(luthier_u32 n) { luthier::add(&total, n); }\n\
        LUTHIER_HOOK void wide(luthier_u64 n) { luthier::add(&total, n); }";
    let target = Target::find("gfx90a").expect("a known target");
    let compiler = Compiler::new(target, 64, "").expect("a compiler");
    let mut module = Bitcode::parse(&bitcode(source, "gfx90a", &[])).expect("parses");
    let error = compiler
        .template(&mut module, &request("narrow", &[Arg::Literal]))
        .expect_err("32 bits");
    let text = error.to_string();
    assert!(text.contains("has 32 bits; a `literal` has 64"), "{text}");
    let mut module = Bitcode::parse(&bitcode(source, "gfx90a", &[])).expect("parses");
    let template = compiler
        .template(&mut module, &request("wide", &[Arg::Literal]))
        .unwrap_or_else(|error| panic!("{error}"));
    let [port] = &template.ports[..] else {
        panic!("{:?}", template.ports)
    };
    assert_eq!(
        (port.parameter(), &port.dwords[..]),
        (Some(0), &[None; 2][..])
    );
    let values = template.relocations.iter().map(|one| one.value());
    assert_eq!(values.filter(|one| *one == Some("parameter:0")).count(), 2);
}
