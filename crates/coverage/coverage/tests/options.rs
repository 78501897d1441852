//! Effects of the options of `luthier coverage`.

use crate::common::{Workspace, ending, text};
use std::{fs::File, os::unix::process::CommandExt, process::Command, sync::OnceLock};

const APP: &str = "#include <hip/hip_runtime.h>\n#include \"helper.h\"\n\
    __global__ void k(int *a) { a[threadIdx.x] = helper(threadIdx.x); }\n\
    int main() { int n = 0; if (hipGetDeviceCount(&n) != hipSuccess) return 9;\n\
      for (int d = 0; d < n; d++) { int *a; if (hipSetDevice(d) != hipSuccess || hipMalloc(&a, 256) != hipSuccess) return 8;\n\
        k<<<1, 64>>>(a); if (hipDeviceSynchronize() != hipSuccess) return 7; } return 0; }\n";
const HELPER: &str = "__device__ inline int helper(int x) { return x > 3 ? x * 2 : 1; }\n";
#[rustfmt::skip]
const COMPILER: [&str; 10] = ["--", "clang++-22", "-x", "hip", "-O1", "--offload-arch=gfx90a", "app.hip", "-o", "app", "-lamdhip64"];

/// A program that ran; `out` holds its profile.
fn covered() -> &'static Workspace {
    static COVERED: OnceLock<Workspace> = OnceLock::new();
    COVERED.get_or_init(|| {
        let workspace = Workspace::new();
        std::fs::write(workspace.path("app.hip"), APP).unwrap();
        std::fs::write(workspace.path("helper.h"), HELPER).unwrap();
        workspace.report(&[&["build"], &COMPILER[..]].concat());
        let output = workspace.run("gfx90a", "out", &[], &workspace.path("app"), &[]);
        assert_eq!(ending(&output), 0, "{}", text(&output));
        workspace
    })
}

/// The files that an action shows, out of the two that there are.
fn shown(action: &[&str]) -> Vec<&'static str> {
    let output = covered().tool().args(action).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let shown = String::from_utf8_lossy(&output.stdout);
    let names = ["app.hip", "helper.h"].into_iter();
    names
        .filter(|name| {
            shown.lines().any(|line| {
                line.contains(&format!("{name} "))
                    || line.ends_with(name)
                    || line.ends_with(&format!("{name}:"))
            })
        })
        .collect()
}

#[test]
fn sources_are_chosen_and_left_out() {
    for action in [&["report", "out"][..], &["lcov", "out", "-o", "-"]] {
        let with = |more: &[&str]| shown(&[action, more].concat());
        assert_eq!(with(&[]), ["app.hip", "helper.h"]);
        assert_eq!(with(&["--source", "helper.h"]), ["helper.h"]);
        assert_eq!(with(&["--ignore", "help.*h$"]), ["app.hip"]);
    }
}

/// llvm-cov shows everything where it does not understand what to leave out.
#[test]
fn choices_that_mean_nothing_are_errors() {
    for (option, value) in [
        ("--source", "nowhere.h"),
        ("--ignore", "["),
        // Its device code is instrumented, its host code is not.
        ("--object", "app"),
    ] {
        let mut tool = covered().tool();
        let output = tool
            .args(["report", "out", option, value])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(output.stdout.is_empty(), "{}", text(&output));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(option) && said.contains(value), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// Files of a pattern with a folder in it would lie where no report looks.
#[test]
fn patterns_name_no_folders() {
    for pattern in ["a/b.profraw", "%t%p.profraw"] {
        let mut tool = covered().tool();
        tool.args(["run", "--pattern", pattern, "--", "true"]);
        let output = tool.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(
            text(&output).contains("names a folder"),
            "{}",
            text(&output)
        );
    }
}

/// Lets a command write no file beyond so many bytes, as a full disk does.
fn on_a_small_disk(command: &mut Command, bytes: u64) -> &mut Command {
    let limit = move || {
        let limit = libc::rlimit {
            rlim_cur: bytes,
            rlim_max: bytes,
        };
        // SAFETY: the structure lives through the call, and the signal's default action would end the process instead.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls alone.
    unsafe { command.pre_exec(limit) }
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing_half_written() {
    let workspace = covered();
    for arguments in [
        &["report", "out"][..],
        &["show", "out"],
        &["lcov", "out", "-o", "-"],
        &["lcov", "out", "-o", "/dev/full"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = workspace.tool().args(arguments).stdout(full).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("cannot write"), "{arguments:?}: {said}");
        assert!(said.contains("No space left on device"), "{said}");
    }
    std::fs::create_dir(workspace.path("there")).unwrap();
    std::fs::write(workspace.path("there/index.html"), "old").unwrap();
    // The merged profile fits, and the pages do not.
    for place in ["pages", "there"] {
        let mut command = workspace.tool();
        on_a_small_disk(command.args(["html", "out", "-o", place]), 3000);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("cannot write {place}: ")), "{said}");
    }
    assert!(!workspace.path("pages").exists());
    let names = std::fs::read_dir(workspace.path("there"))
        .unwrap()
        .flatten();
    let names: Vec<_> = names.map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["index.html"]);
    let index = std::fs::read_to_string(workspace.path("there/index.html"));
    assert_eq!(index.unwrap(), "old");
    workspace.report(&["html", "out", "-o", "there"]);
    let index = std::fs::read_to_string(workspace.path("there/index.html"));
    assert!(index.unwrap().contains("app.hip"));
}

#[test]
fn verbose_says_more() {
    let workspace = covered();
    let output = workspace
        .tool()
        .arg("build")
        .arg("-v")
        .args(COMPILER)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("-fcoverage-mapping"), "{said}");
    let output = workspace
        .tool()
        .arg("build")
        .args(COMPILER)
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{}", text(&output));
    for (options, drained) in [(&["-v"][..], true), (&[], false)] {
        let output = workspace.run("gfx90a", "talk", options, &workspace.path("app"), &[]);
        assert_eq!(
            text(&output).contains("drained=1"),
            drained,
            "{}",
            text(&output)
        );
    }
}

/// One profile for each of several GPUs that are alike, or one of all.
#[test]
fn gpus_are_as_many_as_asked_for() {
    let workspace = covered();
    for (out, options, profiles) in [
        ("each", &["--gpus", "2", "--per-device"][..], 2),
        ("all", &["--gpus", "2"], 1),
    ] {
        let output = workspace.run("gfx90a", out, options, &workspace.path("app"), &[]);
        assert_eq!(ending(&output), 0, "{}", text(&output));
        assert_eq!(workspace.profiles(out).len(), profiles);
        // Twice the lanes of one.
        let (two, one) = (workspace.counts(out), workspace.counts("out"));
        assert!(!one.is_empty());
        for (name, counts) in &one {
            let twice: Vec<u64> = counts.iter().map(|count| 2 * count).collect();
            assert_eq!(two.get(name), Some(&twice), "{name}");
        }
    }
}

/// Flags are those of the compiler that will be given them, and compilers that would ignore them are refused.
#[test]
fn flags_are_for_a_compiler() {
    let workspace = Workspace::new();
    let flags = |compiler: &str| {
        let mut tool = workspace.tool();
        let output = tool
            .args(["flags", "--compiler", compiler])
            .output()
            .unwrap();
        (output.status.code(), text(&output))
    };
    let (status, said) = flags("clang++-22");
    assert!(
        status == Some(0) && said.contains("-fcoverage-mapping"),
        "{said}"
    );
    let (status, said) = flags("no-such-compiler");
    assert!(
        status == Some(2) && said.contains("no-such-compiler"),
        "{said}"
    );
}
