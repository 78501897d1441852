//! Commands on what a run left behind, and on what it did not: every failure is one message with a next step.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::PathBuf,
    process::Command,
};

use crate::common::{Workspace, drain_archive, ending, text};
use drain::{
    image::ImageId,
    output::{Manifest, ManifestImage},
};
use rawprof::{Profile, Record, Version, emit, names};

/// Capabilities by their numbers in `linux/capability.h`.
const CAP_DAC_OVERRIDE: libc::c_ulong = 1;
const CAP_DAC_READ_SEARCH: libc::c_ulong = 2;

const KERNEL: &str =
    "__attribute__((global)) void k(int *a, int n) { if (n > 3) a[0] = n; else a[1] = n; }\n";

/// Runs a command that must fail; its message, which must be a single line.
fn refuse(workspace: &Workspace, arguments: &[&str], status: i32) -> String {
    let output = workspace.tool().args(arguments).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}: {}",
        text(&output)
    );
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.starts_with("luthier coverage: ") && message.trim().lines().count() == 1,
        "{message}"
    );
    message
}

/// A profile of one function, as if it had been drained.
fn profile(version: u64) -> Vec<u8> {
    let mut profile = Profile::new(Version(version));
    profile.names = names::encode([b"kernel".as_slice()]);
    profile.records.push(Record {
        name_ref: names::name_ref(b"kernel"),
        function_hash: 24,
        counters: vec![1, 2],
        ..Record::default()
    });
    emit(&profile).unwrap()
}

/// Profiles for the optimiser have no lines that a report could show.
#[test]
fn profiles_without_lines_are_named() {
    let workspace = Workspace::new();
    let ir_level = 1 << 56; // VARIANT_MASK_IR_PROF of LLVM's InstrProfData.inc
    fs::write(workspace.path("pgo.profraw"), profile(10 | ir_level)).unwrap();
    for command in ["report", "show", "lcov", "html"] {
        let message = refuse(&workspace, &[command, "pgo.profraw"], 2);
        assert!(message.contains("build without --pgo"), "{message}");
    }
    let merge = ["merge", "pgo.profraw", "-o", "pgo.profdata"];
    let output = workspace.tool().args(merge).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let message = refuse(&workspace, &["report", "pgo.profdata"], 2);
    assert!(message.contains("build without --pgo"), "{message}");
}

#[test]
fn missing_and_damaged_inputs_are_named() {
    let workspace = Workspace::new();
    assert!(refuse(&workspace, &["report"], 2).contains("run the program first"));
    fs::create_dir(workspace.path("empty")).unwrap();
    assert!(refuse(&workspace, &["report", "empty"], 2).contains("holds no .profraw file"));
    fs::write(workspace.path("text.profraw"), "hello there, reader").unwrap();
    assert!(refuse(&workspace, &["merge", "text.profraw"], 2).contains("text.profraw"));
    assert!(refuse(&workspace, &["inspect", "text.profraw"], 2).contains("text.profraw"));
    fs::write(workspace.path("zero.profraw"), "").unwrap();
    assert!(refuse(&workspace, &["inspect", "zero.profraw"], 2).contains("zero.profraw"));
    let whole = profile(10);
    fs::write(workspace.path("cut.profraw"), &whole[..whole.len() - 9]).unwrap();
    assert!(refuse(&workspace, &["inspect", "cut.profraw"], 2).contains("truncated"));
    let verify = workspace
        .tool()
        .args(["verify", "cut.profraw"])
        .output()
        .unwrap();
    assert_eq!(verify.status.code(), Some(1));
    assert!(text(&verify).contains("cut.profraw"));
}

/// Profiles stay when a program is built again, and llvm-cov adds what belongs to other sources.
#[test]
fn profiles_of_an_earlier_build_are_named() {
    let workspace = Workspace::new();
    let (program, file) = (workspace.path("the app"), workspace.path("a.profraw"));
    fs::write(&file, profile(10)).unwrap();
    let said = |sha1: &[u8], size: usize| {
        let place = program.display().to_string().replace(' ', "%20");
        let image = ManifestImage {
            sha1: Some(ImageId::of(sha1).to_string()),
            uri: format!("file://{place}#offset=2&size={size}"),
            ..ManifestImage::default()
        };
        let manifest = Manifest {
            images: vec![image],
            ..Manifest::default()
        };
        drain::output::write_manifest(&file, &manifest).unwrap();
        text(
            &workspace
                .tool()
                .args(["report", "a.profraw"])
                .output()
                .unwrap(),
        )
    };
    let warning = "the app has other code where that of its profile was";
    assert!(!said(b"code", 4).contains(warning), "the program is gone");
    fs::write(&program, "..code").unwrap();
    assert!(!said(b"code", 4).contains(warning));
    for (sha1, size) in [(b"edoc".as_slice(), 4), (b"code", 5)] {
        let said = said(sha1, size);
        assert!(
            said.contains(warning) && said.contains("delete a.profraw"),
            "{said}"
        );
    }
}

#[test]
fn files_that_are_named_twice_are_refused() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.path("out")).unwrap();
    fs::write(workspace.path("out/a.profraw"), profile(10)).unwrap();
    for inputs in [["out", "out/a.profraw"], ["out", "./out"]] {
        for command in ["report", "merge", "verify"] {
            let message = refuse(&workspace, &[command, inputs[0], inputs[1]], 2);
            assert!(message.contains("counted twice"), "{message}");
        }
    }
}

/// A directory that may not be listed, and one that may not be written to. The superuser may do both, so without what it takes.
#[test]
fn closed_directories_are_named() {
    let workspace = Workspace::new();
    let powerless = |command: &mut Command| {
        let drop_powers = || {
            for power in [CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH] {
                // SAFETY: the system call takes only numbers. It is refused to processes that have none of these capabilities anyway.
                unsafe { libc::prctl(libc::PR_CAPBSET_DROP, power) };
            }
            Ok(())
        };
        // SAFETY: the closure makes system calls alone.
        unsafe { command.pre_exec(drop_powers) }.output().unwrap()
    };
    let open = |name: &str, mode| {
        let path = workspace.path(name);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    };
    open("closed", 0o000);
    open("readable", 0o555);
    let report = powerless(workspace.tool().args(["report", "closed"]));
    assert_eq!(
        (report.status.code(), text(&report).lines().count()),
        (Some(2), 1),
        "{}",
        text(&report)
    );
    assert!(
        text(&report).contains("cannot list closed: Permission denied"),
        "{}",
        text(&report)
    );
    let run = powerless(
        workspace
            .tool()
            .args(["run", "-o", "readable/out", "--", "true"]),
    );
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run).contains("--output"), "{}", text(&run));
}

#[test]
fn versions_that_do_not_fit_are_explained() {
    let workspace = Workspace::new();
    fs::write(workspace.path("old.profraw"), profile(10)).unwrap();
    fs::write(workspace.path("new.profraw"), profile(11)).unwrap();
    let mixed = refuse(&workspace, &["merge", "old.profraw", "new.profraw"], 2);
    assert!(mixed.contains("raw version"), "{mixed}");
    assert!(
        workspace
            .report(&["inspect", "new.profraw"])
            .contains("kernel")
    );
    if Command::new("llvm-profdata-23")
        .arg("--version")
        .output()
        .is_err()
    {
        let message = refuse(&workspace, &["merge", "new.profraw"], 2);
        assert!(
            message.contains("LLVM 23") && message.contains("LLVM_BIN"),
            "{message}"
        );
    }
    fs::write(workspace.path("odd.profraw"), {
        let mut bytes = profile(10);
        bytes[8] = 12;
        bytes
    })
    .unwrap();
    assert!(refuse(&workspace, &["inspect", "odd.profraw"], 2).contains("version 12"));
}

#[test]
fn inspect_shows_names_and_counts() {
    let workspace = Workspace::new();
    fs::write(workspace.path("a.profraw"), profile(10)).unwrap();
    let shown = workspace.report(&["inspect", "a.profraw"]);
    assert!(
        shown.contains("kernel") && shown.contains("[1, 2]"),
        "{shown}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&workspace.report(&["inspect", "--format", "json", "a.profraw"]))
            .unwrap();
    assert_eq!(
        json[0]["functions"][0]["counters"],
        serde_json::json!([1, 2])
    );
    workspace.report(&["merge", "a.profraw", "-o", "a.profdata"]);
    let indexed = workspace.report(&["inspect", "a.profdata"]);
    assert!(
        indexed.contains("indexed profile") && indexed.contains("kernel"),
        "{indexed}"
    );
}

#[test]
fn unsuitable_compilers_are_refused() {
    let workspace = Workspace::new();
    assert!(refuse(&workspace, &["build", "--", "gcc", "x.c"], 2).contains("not clang"));
    assert!(refuse(&workspace, &["build", "--", "no-such-compiler"], 2).contains("clang-22"));
    if PathBuf::from("/usr/bin/clang-15").exists() {
        assert!(refuse(&workspace, &["build", "--", "clang-15", "x.c"], 2).contains("clang 15"));
    }
    let flags = workspace.report(&["flags"]);
    for flag in ["-fprofile-update=atomic", "-fcoverage-mapping", "-include "] {
        assert!(flags.contains(flag), "{flags}");
    }
}

/// Profiles of code without atomic counters are wrong, not just imprecise, so a message must say so.
#[test]
fn builds_without_atomics_are_detected() {
    let workspace = Workspace::new();
    fs::write(workspace.path("k.hip"), KERNEL).unwrap();
    for (update, sound) in [("atomic", true), ("single", false)] {
        let image = workspace.path("k.elf");
        let build = Command::new("clang++-22")
            .args([
                "-x",
                "hip",
                "--offload-device-only",
                "--no-gpu-bundle-output",
                "-nogpuinc",
                "-nogpulib",
                "-O1",
            ])
            .args([
                "--offload-arch=gfx90a",
                "-fprofile-instr-generate",
                "-fcoverage-mapping",
            ])
            .arg(format!("-fprofile-update={update}"))
            .arg(workspace.path("k.hip"))
            .arg("-o")
            .arg(&image)
            .output()
            .unwrap();
        assert!(build.status.success(), "{}", text(&build));
        let bytes = fs::read(&image).unwrap();
        let id = drain::image::ImageId::of(&bytes);
        let out = workspace.path(update);
        drain::output::write_image(&out, id, &bytes).unwrap();
        let mut found = rawprof::parse(&profile(10)).unwrap().remove(0);
        found.binary_ids = vec![id.0.to_vec()];
        let raw = out.join("gfx90a.1.profraw");
        drain::output::write_profiles(&raw, &[found]).unwrap();
        drain::output::write_manifest(&raw, &drain::output::Manifest::default()).unwrap();
        let verify = workspace.tool().args(["verify", update]).output().unwrap();
        assert_eq!(verify.status.success(), sound, "{}", text(&verify));
        assert_eq!(
            text(&verify).contains("-fprofile-update=atomic"),
            !sound,
            "{}",
            text(&verify)
        );
        // A changed or missing image is found too.
        let kept = drain::output::image_path(&out, id);
        fs::write(&kept, "other").unwrap();
        assert!(
            text(&workspace.tool().args(["verify", update]).output().unwrap())
                .contains("not the image")
        );
        fs::remove_file(&kept).unwrap();
        assert!(
            text(&workspace.tool().args(["verify", update]).output().unwrap())
                .contains("not below .build-id")
        );
    }
}

#[test]
fn programs_without_device_code_are_left_alone() {
    let workspace = Workspace::new();
    let run = |arguments: &[&str]| {
        workspace
            .tool()
            .args(["run", "-o", "out", "--"])
            .args(arguments)
            .output()
            .unwrap()
    };
    let output = run(&["sh", "-c", "echo untouched; exit 9"]);
    assert_eq!(output.status.code(), Some(9));
    assert_eq!(output.stdout, b"untouched\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no device profile was written"));
    let killed = run(&["sh", "-c", "kill -9 $$"]);
    assert_eq!(ending(&killed), -9);
    fs::write(workspace.path("file"), "").unwrap();
    let message = refuse(&workspace, &["run", "-o", "file/out", "--", "true"], 2);
    assert!(message.contains("--output"), "{message}");
    assert!(
        refuse(
            &workspace,
            &[
                "run",
                "--device",
                "gfx90a",
                "-o",
                "out",
                "--",
                "./no-such-program"
            ],
            2
        )
        .contains("no-such-program")
    );
    assert!(
        refuse(
            &workspace,
            &["run", "-o", "out", "--interval=-1", "--", "true"],
            2
        )
        .contains("--interval")
    );
    for (option, value, why) in [
        ("--signal", "USR1,FOO", "FOO is not one of USR1"),
        ("--signal", "KILL", "KILL is not one of USR1"),
        ("--pattern", "sub/%p.profraw", "names a folder"),
        ("--pattern", "%p", "does not end with .profraw"),
    ] {
        let said = refuse(
            &workspace,
            &["run", "-o", "out", option, value, "--", "true"],
            2,
        );
        assert!(said.contains(option) && said.contains(why), "{said}");
    }
}

/// Link mode, and binaries of earlier runtimes: their registration calls link and run, and nothing is written without a GPU.
#[test]
fn legacy_binaries_link_and_run() {
    let workspace = Workspace::new();
    let source = workspace.path("legacy.c");
    fs::write(
        &source,
        "void __llvm_profile_offload_register_shadow(void *);\n\
         void __llvm_profile_offload_register_section_shadow(void *);\n\
         void __llvm_profile_offload_register_dynamic_module(int, void **, void *);\n\
         int __llvm_profile_hip_collect_device_data(void);\n\
         int main(void) {\n\
             int x;\n\
             __llvm_profile_offload_register_shadow(&x);\n\
             __llvm_profile_offload_register_section_shadow(&x);\n\
             __llvm_profile_offload_register_dynamic_module(1, 0, &x);\n\
             return __llvm_profile_hip_collect_device_data();\n\
         }\n",
    )
    .unwrap();
    let program = workspace.path("legacy");
    let link = Command::new("cc")
        .arg(&source)
        .arg("-Wl,-u,__llvm_profile_hip_collect_device_data")
        .arg(drain_archive())
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(link.status.success(), "{}", text(&link));
    let run = Command::new(&program)
        .current_dir(workspace.directory.path())
        .output()
        .unwrap();
    assert_eq!((run.status.code(), text(&run)), (Some(0), String::new()));
    assert!(workspace.profiles("").is_empty());
}

/// The profiles of several processes or devices are inspected in one call.
#[test]
fn several_profiles_are_inspected_at_once() {
    let workspace = Workspace::new();
    for name in ["a.profraw", "b.profraw"] {
        fs::write(workspace.path(name), profile(10)).unwrap();
    }
    let text = workspace.report(&["inspect", "a.profraw", "b.profraw"]);
    assert!(
        text.contains("a.profraw\n") && text.contains("b.profraw\n"),
        "{text}"
    );
    assert_eq!(text.matches("counts [1, 2]").count(), 2, "{text}");
    let json = workspace.report(&["inspect", "--format", "json", "a.profraw", "b.profraw"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 2);
}

/// A program that includes the interface needs no path to it; nor does a build with a profile need macros for old headers.
#[test]
fn builds_find_the_interface_and_use_profiles() {
    let workspace = Workspace::new();
    fs::write(
        workspace.path("app.hip"),
        "#include <hip/hip_runtime.h>\n#include <luthier_coverage.h>\n\
         __global__ void k(int *a, int n) { if (n > 3) a[0] = n; else a[1] = n; }\n\
         int main() { return luthier_coverage_dump_if_present(); }\n",
    )
    .unwrap();
    let clang = [
        "--",
        "clang++-22",
        "-x",
        "hip",
        "-O2",
        "--offload-arch=gfx90a",
        "-c",
        "app.hip",
        "-o",
        "app.o",
    ];
    workspace.report(&[&["build"], &clang[..]].concat());
    fs::write(workspace.path("k.profraw"), profile(10)).unwrap();
    // A profile that lacks the kernel is no reason to fail.
    workspace.report(&[&["build", "--use", "k.profraw"], &clang[..]].concat());
    let refused = refuse(
        &workspace,
        &[&["build", "--use", "no.profdata"], &clang[..]].concat(),
        2,
    );
    assert!(refused.contains("no.profdata"), "{refused}");
}
