//! Ways to build: several sources with relocatable device code, and with the profile of a run.

use crate::common::{Workspace, ending, sources, text};

#[test]
fn relocatable_device_code_of_several_sources() {
    let workspace = Workspace::new();
    let other = sources().join("rdc_other.hip");
    let flags = [
        "-fgpu-rdc",
        "-x",
        "hip",
        other.to_str().unwrap(),
        "-x",
        "none",
    ];
    let program = workspace.build("rdc", "rdc_main.hip", &["gfx90a"], &[], &flags);
    let output = workspace.run("gfx90a", "out", &[], &program, &[]);
    assert_eq!(
        (ending(&output), &output.stdout[..]),
        (0, &b"34\n"[..]),
        "{}",
        text(&output)
    );
    let counts = workspace.counts("out");
    // 64 lanes come in, 40 of them go on: those with more than 20 afterwards call `own` of the other source.
    let beyond = (0..40)
        .filter(|x| if x & 1 == 1 { x * 3 > 20 } else { *x > 20 })
        .count() as u64;
    assert_eq!(counts["_Z6acrossPii"], [64, 40], "{counts:?}");
    assert_eq!(counts["_Z5otheri"], [40, beyond], "{counts:?}");
    let own: Vec<u64> = counts
        .iter()
        .filter(|(name, _)| name.ends_with("_ZL3owni"))
        .map(|(_, counts)| counts[0])
        .collect();
    assert_eq!(
        (own.len(), own.iter().sum::<u64>()),
        (2, 40 + beyond),
        "{counts:?}"
    );
    let shown = workspace.report(&["show", "out"]);
    assert!(
        shown.contains("rdc_main.hip") && shown.contains("rdc_other.hip"),
        "{shown}"
    );

    let program = workspace.build(
        "rdc-at-once",
        "rdc_main.hip",
        &["gfx90a"],
        &["--immediate"],
        &flags,
    );
    let output = workspace.run("gfx90a", "at-once", &[], &program, &[]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    assert_eq!(workspace.counts("at-once"), counts);

    // In two steps, as build systems do it.
    for (source, object) in [("rdc_main.hip", "a.o"), ("rdc_other.hip", "b.o")] {
        let source = sources().join(source);
        let arch = "--offload-arch=gfx90a";
        workspace.report(&[
            "build",
            "--",
            "clang++-22",
            "-x",
            "hip",
            "-O1",
            arch,
            "-fgpu-rdc",
            "-c",
            source.to_str().unwrap(),
            "-o",
            object,
        ]);
    }
    workspace.report(&[
        "build",
        "--",
        "clang++-22",
        "--hip-link",
        "--offload-arch=gfx90a",
        "-fgpu-rdc",
        "a.o",
        "b.o",
        "-o",
        "linked",
        "-lamdhip64",
    ]);
    let output = workspace.run("gfx90a", "again", &[], &workspace.path("linked"), &[]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    assert_eq!(workspace.counts("again"), counts);
}

/// The compiler believes that a function which it does not know needs all that a kernel can have.
#[test]
fn functions_that_the_compiler_does_not_know() {
    let workspace = Workspace::new();
    let lane = 0..64_u64;
    let area = |x: &u64| match x {
        48.. => *x,
        x if x % 4 == 0 => 1,
        x => x * x,
    };
    let called = |x: &u64| match x {
        x if x % 2 == 1 => 3 * x,
        41.. => 2 * x,
        x => *x,
    };
    let sum: u64 = lane.clone().map(|x| area(&x) + called(&x)).sum();
    let doubled = lane.filter(|x| x % 2 == 0 && *x > 40).count() as u64;
    for (name, options, flags) in [
        ("gathered", &[][..], &[][..]),
        ("immediate", &["--immediate"], &[]),
        ("linked", &[], &["-fgpu-rdc"]),
    ] {
        let program = workspace.build(name, "indirect.hip", &["gfx90a"], options, flags);
        let out = format!("{name}-out");
        let output = workspace.run("gfx90a", &out, &[], &program, &[]);
        assert_eq!(
            (ending(&output), String::from_utf8_lossy(&output.stdout)),
            (0, format!("{sum}\n").into()),
            "{name}: {}",
            text(&output)
        );
        let counts = workspace.counts(&out);
        assert_eq!(counts["_Z5twicei"], [32, doubled], "{name}");
        assert_eq!(counts["_Z6thricei"], [32], "{name}");
        assert_eq!(counts["_ZN6Square4areaEi"], [48, 12], "{name}");
        assert_eq!(counts["_ZN5Shape4areaEi"], [16], "{name}");
    }
}

/// Kernels in OpenCL may enqueue others. (Device libraries that are written in OpenCL make no such kernels of HIP's.)
#[test]
fn only_kernels_of_hip_have_no_queue() {
    let workspace = Workspace::new();
    let compiled = |language: &str, code: &str| {
        let source = workspace.path("kernel");
        std::fs::write(&source, code).unwrap();
        let mut plugin = std::ffi::OsString::from("-fpass-plugin=");
        plugin.push(crate::common::libraries().join("libluthier_coverage_pass.so"));
        let mut clang = std::process::Command::new("clang-22");
        clang.args(["-x", language, "--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a"]);
        clang.args(["-nogpulib", "-O1", "-S", "-emit-llvm", "-o", "-"]);
        let output = clang.arg(plugin).arg(&source).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let ir = "\
        target triple = \"amdgcn-amd-amdhsa\"\n\
        define amdgpu_kernel void @k(ptr %f) {\n  call void %f()\n  ret void\n}\n\
        !opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}\n";
    assert!(compiled("ir", ir).contains("\"amdgpu-no-default-queue\""));
    let cl = "void f(void); kernel void k(global int *x) { f(); x[0] = 1; }\n";
    assert!(!compiled("cl", cl).contains("\"amdgpu-no-default-queue\""));
}

/// Without any option: what was counted before a deadly signal is kept.
#[test]
fn deadly_signals_cost_no_profile() {
    let workspace = Workspace::new();
    let program = workspace.build(
        "scenes",
        "scenes.hip",
        &["gfx90a"],
        &[],
        &["-lpthread", "-ldl"],
    );
    let output = workspace.run("gfx90a", "crash", &[], &program, &["segfault"]);
    assert_eq!(ending(&output), -11, "{}", text(&output));
    assert_eq!(workspace.entries("crash", "_Z4workPii"), 64);
    // The emulated device tells of running kernels on some of these, which must not be taken for the program's own handling.
    let signals = [
        ("term", 15),
        ("int", 2),
        ("quit", 3),
        ("abort", 6),
        ("hup", 1),
        ("usr1", 10),
        ("pipe", 13),
        ("real-time", 40),
    ];
    for (signal, number) in signals {
        let output = workspace.run(
            "gfx90a",
            signal,
            &[],
            &program,
            &["raise", &number.to_string()],
        );
        assert_eq!(ending(&output), -number, "{}", text(&output));
        assert_eq!(
            workspace.entries(signal, "_Z4workPii"),
            64,
            "{}",
            text(&output)
        );
    }
    // Switched off, the message says what happened.
    let output = workspace.run(
        "gfx90a",
        "none",
        &["--signal", "none"],
        &program,
        &["segfault"],
    );
    assert_eq!(ending(&output), -11, "{}", text(&output));
    assert!(workspace.profiles("none").is_empty());
    assert!(
        text(&output).contains("ended by signal 11"),
        "{}",
        text(&output)
    );
}

/// With `--system-headers` every header of the library is in the mapping; only those that ran are worth a row. Without it, none is.
#[test]
fn standard_headers_appear_if_they_ran() {
    let workspace = Workspace::new();
    std::fs::write(
        workspace.path("app.hip"),
        "#include <hip/hip_runtime.h>\n#include <algorithm>\n#include <utility>\n\
         __global__ void k(int *a, int n) { int b = 3; if (n > 100) std::swap(a[0], b); a[1] = std::max(n, b); }\n\
         int main() { int *a; if (hipMalloc(&a, 64) != hipSuccess) return 9; k<<<1, 1>>>(a, 5); return hipDeviceSynchronize(); }\n",
    )
    .unwrap();
    let compiler = [
        "--",
        "clang++-22",
        "-x",
        "hip",
        "-O1",
        "--offload-arch=gfx90a",
        "-std=c++20",
        "app.hip",
        "-x",
        "none",
        "-o",
        "app",
        "-lamdhip64",
    ];
    workspace.report(&[&["build", "--system-headers"], &compiler[..]].concat());
    let output = workspace.run("gfx90a", "out", &[], &workspace.path("app"), &[]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    let report = workspace.report(&["report", "out"]);
    assert!(
        report.contains("app.hip") && report.contains("cuda_wrappers/algorithm"),
        "{report}"
    );
    assert!(!report.contains("bits/move.h"), "{report}");

    workspace.report(&[&["build"], &compiler[..]].concat());
    let output = workspace.run("gfx90a", "without", &[], &workspace.path("app"), &[]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    let report = workspace.report(&["report", "without"]);
    assert!(
        report.contains("app.hip") && !report.contains("algorithm"),
        "{report}"
    );
}

/// One command builds with what a run has counted, and the kernel gets better by it.
#[test]
fn a_profile_makes_a_kernel_shorter() {
    let workspace = Workspace::new();
    let luthier = std::env::current_exe()
        .unwrap()
        .parent()
        .unwrap()
        .join("../luthier");
    let source = sources().join("profiled.hip");
    let waves = |program: &str| -> (u64, Vec<u8>) {
        let output = std::process::Command::new(&luthier)
            .args(["run", "--device", "gfx90a", "--stats", "--"])
            .arg(workspace.path(program))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let message = text(&output);
        let count = message
            .split(" wave instructions")
            .next()
            .unwrap()
            .rsplit(", ")
            .next()
            .unwrap();
        (count.replace(' ', "").parse().unwrap(), output.stdout)
    };
    let build = |options: &[&str], name: &str| {
        let compiler = [
            "--",
            "clang++-22",
            "-x",
            "hip",
            "-O2",
            "--offload-arch=gfx90a",
            source.to_str().unwrap(),
            "-x",
            "none",
            "-o",
            name,
            "-lamdhip64",
        ];
        workspace.report(&[&["build"], options, &compiler[..]].concat());
    };
    build(&["--pgo"], "counting");
    let output = workspace.run("gfx90a", "profile", &[], &workspace.path("counting"), &[]);
    assert_eq!(ending(&output), 0, "{}", text(&output));
    build(&["--use", "profile"], "used");
    // The same flags with a profile of nothing.
    let mut empty = rawprof::Profile::new(rawprof::Version(10 | 1 << 56));
    empty.names = rawprof::names::encode([b"nothing".as_slice()]);
    empty.records.push(rawprof::Record {
        name_ref: rawprof::names::name_ref(b"nothing"),
        function_hash: 1,
        counters: vec![1],
        ..rawprof::Record::default()
    });
    std::fs::write(
        workspace.path("empty.profraw"),
        rawprof::emit(&empty).unwrap(),
    )
    .unwrap();
    build(&["--use", "empty.profraw"], "plain");
    let ((plain, expected), (used, printed)) = (waves("plain"), waves("used"));
    assert_eq!(printed, expected);
    // Measured: 32 016 against 42 015.
    assert!(used * 10 < plain * 9, "{used} against {plain}");
}

/// More places than masks and registers hold, functions of their own, and lanes that end without a return.
#[test]
fn every_place_is_counted_whatever_it_is_kept_in() {
    let workspace = Workspace::new();
    let mut counts = Vec::new();
    for (name, options) in [("memory", &["--immediate"][..]), ("registers", &[])] {
        let program = workspace.build(
            name,
            "places.hip",
            &["gfx90a", "gfx1030"],
            options,
            &["-O2"],
        );
        for target in ["gfx90a", "gfx1030"] {
            let out = format!("{name}.{target}");
            let output = workspace.run(target, &out, &[], &program, &[]);
            assert_eq!(ending(&output), 0, "{}", text(&output));
            counts.push((workspace.counts(&out), output.stdout));
        }
    }
    let x: Vec<u32> = (0..100u32)
        .map(|lane| lane.wrapping_mul(0x9e37_79b9))
        .collect();
    let (found, _) = &counts[3];
    let mut expected = vec![100];
    expected.extend((0..32).map(|bit| x.iter().filter(|x| **x >> bit & 1 == 1).count() as u64));
    assert_eq!(found["_Z5masksPjj"], expected);
    let mut expected = vec![100];
    let rounds = |k: u32| -> u64 { x.iter().map(|x| u64::from((x & k).count_ones())).sum() };
    expected.extend((1..49).map(rounds));
    assert_eq!(found["_Z4sumsPjj"], expected);
    let mut expected = vec![100, 10, 30];
    expected.push(
        (0..90)
            .filter(|x| x % 3 != 2)
            .map(|x: u64| x.div_ceil(2))
            .sum(),
    );
    assert_eq!(found["_Z4endsPjj"], expected);
    for other in &counts[..3] {
        assert_eq!(*other, counts[3]);
    }
}

/// Counts that lanes gather in registers are those that are added in memory at once, and cost little.
#[test]
fn counts_gathered_by_waves_are_those_in_memory() {
    let workspace = Workspace::new();
    let luthier = std::env::current_exe()
        .unwrap()
        .parent()
        .unwrap()
        .join("../luthier");
    let waves = |program: &str| -> u64 {
        let output = std::process::Command::new(&luthier)
            .args(["run", "--device", "gfx90a", "--stats", "--"])
            .arg(workspace.path(program))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let message = text(&output);
        let count = message.split(" wave instructions").next().unwrap();
        let count = count.rsplit(", ").next().unwrap();
        count.replace(' ', "").parse().unwrap()
    };
    // The same compiler without counters.
    let mut empty = rawprof::Profile::new(rawprof::Version(10 | 1 << 56));
    empty.names = rawprof::names::encode([b"nothing".as_slice()]);
    empty.records.push(rawprof::Record {
        name_ref: rawprof::names::name_ref(b"nothing"),
        function_hash: 1,
        counters: vec![1],
        ..rawprof::Record::default()
    });
    std::fs::write(
        workspace.path("none.profraw"),
        rawprof::emit(&empty).unwrap(),
    )
    .unwrap();
    // Branches in a loop, loops that lanes leave in several ways, and kernels of a hundred instructions.
    let programs = "../../../../../programs";
    for (source, exact, measured) in [
        ("branches.hip".to_owned(), Some("--pgo"), true),
        (format!("{programs}/divergence.hip"), Some(""), true),
        (format!("{programs}/integer_math.hip"), None, true),
    ] {
        let mut counts = Vec::new();
        for more in ["--immediate", ""] {
            let Some(kind) = exact else { continue };
            let name = if more.is_empty() {
                "registers"
            } else {
                "memory"
            };
            let options: Vec<_> = [kind, more].into_iter().filter(|o| !o.is_empty()).collect();
            workspace.build(name, &source, &["gfx90a"], &options, &["-O3"]);
            let out = format!("{name}.counts");
            let _ = std::fs::remove_dir_all(workspace.path(&out));
            let output = workspace.run("gfx90a", &out, &[], &workspace.path(name), &[]);
            assert_eq!(ending(&output), 0, "{}", text(&output));
            counts.push((workspace.counts(&out), output.stdout));
        }
        assert_eq!(counts.first(), counts.last(), "{source}");
        if !measured {
            continue;
        }
        let plain = &["--use", "none.profraw"];
        workspace.build("plain", &source, &["gfx90a"], plain, &["-O3"]);
        if exact.is_none() {
            workspace.build("registers", &source, &["gfx90a"], &[], &["-O3"]);
        }
        let (plain, registers) = (waves("plain"), waves("registers"));
        // Measured: 1.18 (with --pgo), 1.20 and 1.18.
        assert!(
            registers * 100 < plain * 130,
            "{source}: {registers} against {plain}"
        );
    }
}
