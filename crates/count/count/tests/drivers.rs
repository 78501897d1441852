//! Command lines that build systems and people write.

mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{luthier_count, must, program, run, text, tools};

const HELLO: &str = "#include <stdio.h>\nint main(void) { puts(\"hello\"); }\n";

#[test]
fn a_language_may_be_named() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("hello.txt"), HELLO).unwrap();
    must(
        luthier_count()
            .args(["cc", "-x", "c"])
            .arg(at("hello.txt"))
            .arg("-o")
            .arg(at("a")),
    );
    assert_eq!(run(&[], &[at("a").as_os_str()]).stdout, "hello\n");
    let mut child = luthier_count()
        .args(["cc", "-x", "c", "-", "-o"])
        .arg(at("b"))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(HELLO.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(run(&[], &[at("b").as_os_str()]).stdout, "hello\n");
}

/// `CC` in one word, and `CXX` under a name that ends as compilers' names do.
#[test]
fn compilers_in_one_word() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("a.c"), HELLO).unwrap();
    std::fs::write(
        at("b.cc"),
        "#include <iostream>\nint main() { std::cout << \"hello\\n\"; }\n",
    )
    .unwrap();
    std::os::unix::fs::symlink(tools().join("luthier-cc"), at("luthier-c++")).unwrap();
    for (compiler, source) in [
        (tools().join("luthier-cc"), "a.c"),
        (at("luthier-c++"), "b.cc"),
    ] {
        must(
            Command::new(compiler)
                .args(["--per", "function", "-O2"])
                .arg(at(source))
                .arg("-o")
                .arg(at("out")),
        );
        let counted = run(&["--per", "function"], &[at("out").as_os_str()]);
        assert_eq!(counted.stdout, "hello\n");
        assert!(counted.json["processes"][0]["functions"]["main"].as_u64() > Some(1));
    }
}

#[test]
fn a_killed_child_s_status_is_passed_on() {
    for (signal, status) in [("KILL", 137), ("TERM", 143)] {
        let output = luthier_count()
            .args(["run", "--", "sh", "-c", &format!("kill -{signal} $$")])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(status));
        assert!(
            text(&output.stderr).contains("reported no count"),
            "{}",
            text(&output.stderr)
        );
    }
}

/// Without `-g` there would be one row without a position.
#[test]
fn lines_are_known_without_further_flags() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    support::compile(&program("recursion.c"), &["--per", "line"], &["-O1"], &out);
    let counted = run(&["--per", "line"], &[out.as_os_str()]);
    let lines = counted.json["processes"][0]["lines"].as_object().unwrap();
    assert!(
        lines.keys().any(|line| line.contains("recursion.c:")),
        "{lines:?}"
    );
    // What stands for no line (variables of a function, say) belongs to the line where the function begins.
    assert!(!lines.contains_key("(no source position)"), "{lines:?}");
    // Who says that there shall be none is told why there are none.
    support::compile(&program("recursion.c"), &["--per", "line"], &["-g0"], &out);
    let output = luthier_count()
        .args(["run", "--per", "line", "--"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(
        text(&output.stderr).contains("-gline-tables-only"),
        "{}",
        text(&output.stderr)
    );
}

/// Who asks for the total only is told of what else the program has kept, and nothing of what it has not.
#[test]
fn totals_tell_that_more_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let said = |ours: &[&str], options: &[&str]| {
        support::compile(&program("recursion.c"), ours, &["-O1"], &out);
        let mut run = luthier_count();
        text(&must(run.arg("run").args(options).arg("--").arg(&out)).stderr)
    };
    assert!(said(&["--per", "function"], &[]).contains("`luthier count run --per function`"));
    assert!(said(&["--per", "line"], &[]).contains("`luthier count run --per function|line`"));
    for (ours, options) in [
        (&["--per", "function"][..], &["--per", "function"][..]),
        (&[], &[]),
    ] {
        let said = said(ours, options);
        assert!(!said.contains("more is kept"), "{said}");
    }
}

/// What is explained is what is compiled with the same arguments.
#[test]
fn explain_sees_the_code_that_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("a.c");
    std::fs::write(
        &source,
        "int main(void) { int x[4]; { int y = 3; x[0] = y; } return x[0] - 3; }\n",
    )
    .unwrap();
    let explained = luthier_count()
        .args(["explain", "--format", "json"])
        .arg(&source)
        .output()
        .unwrap();
    let functions: serde_json::Value = serde_json::from_slice(&explained.stdout).unwrap();
    let cost: u64 = functions[0]["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["cost"].as_u64().unwrap())
        .sum();
    assert_eq!(support::count(&source, &[], &[]).total, cost);
}

#[test]
fn a_busy_program_is_not_said_to_wait() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("busy.c");
    std::fs::write(
        &source,
        "volatile int stop; int main(void) { while (!stop) ; }\n",
    )
    .unwrap();
    let out = directory.path().join("busy");
    support::compile(&source, &[], &["-O2"], &out);
    let stopped = run(&["--watchdog", "300"], &[out.as_os_str()]);
    assert_eq!(stopped.status, Some(124));
    assert!(
        stopped.stderr.contains("ms of processor time"),
        "{}",
        stopped.stderr
    );
    assert!(!stopped.stderr.contains("waiting"), "{}", stopped.stderr);
}

/// Objects for targets whose runtime does not exist here.
#[test]
fn objects_of_other_formats() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let source = "template <class T> struct Base { virtual T get() { return 1; } virtual ~Base() {} };\n\
        template <class T> inline T twice(T x) { static T before; before += x; return x + before; }\n\
        extern int outside(int);\n\
        int work(int n) { Base<int> base; int s = 0; for (int i = 0; i < n; i++) s += twice(outside(i)) + base.get(); return s; }\n";
    std::fs::write(at("a.cpp"), source).unwrap();
    let counts = |target: &str, ours: &[&str]| -> serde_json::Value {
        for level in ["-O0", "-O2"] {
            let mut command = luthier_count();
            command
                .arg("c++")
                .args(ours)
                .args([target, level, "-fno-exceptions", "-c"]);
            // No runtime is compiled: this would need the target's headers.
            must(
                command
                    .env("XDG_CACHE_HOME", at("cache"))
                    .arg(at("a.cpp"))
                    .arg("-o")
                    .arg(at("a.o")),
            );
        }
        let explained = must(
            luthier_count()
                .args(["explain", "--format", "json", "--preset", "portable-1"])
                .arg(at("a.cpp"))
                .args(["--", target, "-fno-exceptions"]),
        );
        serde_json::from_slice(&explained.stdout).unwrap()
    };
    let cost = |functions: &serde_json::Value, name: &str| -> u64 {
        let blocks = functions
            .as_array()
            .unwrap()
            .iter()
            .filter(|function| function["name"] == name);
        blocks
            .flat_map(|function| function["blocks"].as_array().unwrap())
            .map(|block| block["cost"].as_u64().unwrap())
            .sum()
    };
    let linux = counts("--target=x86_64-linux-gnu", &[]);
    assert!(cost(&linux, "work(int)") > 10, "{linux}");
    for target in [
        "--target=x86_64-pc-windows-gnu",
        "--target=x86_64-apple-macos13",
        "--target=arm64-apple-macos13",
    ] {
        for ours in [&[][..], &["--per", "function", "--budget"]] {
            let other = counts(target, ours);
            for name in ["work(int)", "int twice<int>(int)", "Base<int>::get()"] {
                assert_eq!(
                    cost(&other, name),
                    cost(&linux, name),
                    "{target} {name}: {other}"
                );
            }
        }
    }
    assert!(
        !Path::new(&at("cache/luthier"))
            .read_dir()
            .unwrap()
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("count-rt-"))
    );
}
