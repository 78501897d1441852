//! Command lines that build systems and people write.

use crate::support;

use crate::support::{luthier_count, must, program, run, text, tools};
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

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

/// Sanitizers, too, put themselves in front of functions of the C library.
#[test]
fn sanitizers_see_threads_and_signals() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("program");
    let counted = |source: &str, words: &[&OsStr], clang: &[&str]| {
        support::compile(&program(source), &[], clang, &out);
        let run = run(&[], &[&[out.as_os_str()], words].concat());
        (run.total, run.stdout, run.stderr, run.status)
    };
    for (source, words) in [
        ("process_budget.c", &["threads".as_ref()][..]),
        ("process_budget.c", &["fork".as_ref()]),
        ("signals.c", &[]),
    ] {
        let plain = counted(source, words, &["-O1"]);
        for sanitizer in ["-fsanitize=address", "-fsanitize=thread"] {
            let sanitized = counted(source, words, &["-O1", sanitizer]);
            assert_eq!(sanitized, plain, "{source} {words:?} {sanitizer}");
        }
    }
}

/// Functions that the runtime stands in front of do for the program what the C library's do.
#[test]
fn functions_in_between_do_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let [plain, counted] = ["plain", "counted"].map(|name| directory.path().join(name));
    let source = program("copies.c");
    must(
        Command::new("clang-22")
            .arg("-O1")
            .arg(&source)
            .arg("-o")
            .arg(&plain),
    );
    support::compile(&source, &["--budget"], &["-O1"], &counted);
    for how in ["waits", "outlives", "tasks", "dlerror", "chdir", "null"] {
        let expected = text(&must(Command::new(&plain).arg(how)).stdout);
        let run = run(
            &["--watchdog", "60000"],
            &[counted.as_os_str(), how.as_ref()],
        );
        assert_eq!((run.stdout, run.status), (expected, Some(0)), "{how}");
    }
}

/// The runtime of a library may stand between a sanitizer in the program and the C library.
#[test]
fn libraries_in_programs_with_sanitizers() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(
        at("part.c"),
        "int part(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i * i % 7; return sum; }\n",
    )
    .unwrap();
    std::fs::write(
        at("whole.c"),
        "#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\nint part(int);\n\
        static void *run(void *n) { part(1000); return n; }\nstatic void on(int n) { part(n); }\n\
        int main(void) { pthread_t thread; pthread_create(&thread, NULL, run, NULL); pthread_join(thread, NULL);\n\
          signal(SIGUSR1, on); raise(SIGUSR1); printf(\"%d\\n\", part(100)); }\n",
    )
    .unwrap();
    support::compile(&at("part.c"), &[], &["-shared", "-fPIC"], &at("part.so"));
    let run = |program: &Path| {
        let out = at("count.json");
        let mut run = luthier_count();
        run.args(["run", "--preload", "--format", "json", "-o"]);
        let output = must(run.arg(&out).arg("--").arg(program));
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
        (json["total"].as_u64().unwrap(), text(&output.stdout))
    };
    let built = |sanitizer: &[&str]| {
        let mut clang = Command::new("clang-22");
        clang.args(sanitizer).arg(at("whole.c")).arg(at("part.so"));
        must(clang.arg("-o").arg(at("whole")));
        run(&at("whole"))
    };
    let plain = built(&[]);
    assert!(plain.0 > 5000, "{plain:?}");
    assert_eq!(built(&["-fsanitize=address"]), plain);
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

/// Build systems put long command lines into files. Arguments there mean the same as on the command line.
#[test]
fn response_files_are_part_of_the_command_line() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let compile = |text: &str| {
        std::fs::write(at("words"), text).unwrap();
        let mut cc = luthier_count();
        text_of(&must(
            cc.current_dir(directory.path()).args(["cc", "@words"]),
        ))
    };
    std::fs::write(at("hello world.c"), HELLO).unwrap();
    // Our own options, and names with spaces.
    compile("--per function -O2\n'hello world.c' -o out");
    let counted = run(&["--per", "function"], &[at("out").as_os_str()]);
    assert_eq!(counted.stdout, "hello\n");
    assert!(counted.json["processes"][0]["functions"]["main"].as_u64() > Some(1));
    // Nothing is linked, so nothing to link is given.
    assert_eq!(compile("-c hello\\ world.c -o out.o"), "");
    // The level of the back end: -O2 takes out the variable, -O0 keeps it.
    let loads = |level: &str| {
        std::fs::write(at("a.c"), "int f(int x) { int y = x; return y; }\n").unwrap();
        compile(&format!("{level} -S a.c -o a.s"));
        std::fs::read_to_string(at("a.s"))
            .unwrap()
            .matches("(%rbp)")
            .count()
    };
    assert!(loads("-O2") == 0 && loads("-O0") > 0);
    // A library brings the shared runtime along.
    compile("-shared -fPIC a.c -o a.so");
    assert!(
        std::fs::read(at("a.so"))
            .unwrap()
            .windows(21)
            .any(|part| part == b"libluthier_count_rt.s")
    );
}

fn text_of(output: &std::process::Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn static_programs_by_either_spelling() {
    let directory = tempfile::tempdir().unwrap();
    let (source, out) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, HELLO).unwrap();
    for spelling in ["-static", "--static", "-static-pie"] {
        support::compile(&source, &[], &[spelling], &out);
        let counted = run(&[], &[out.as_os_str()]);
        assert_eq!(
            (counted.stdout.as_str(), counted.status),
            ("hello\n", Some(0)),
            "{spelling}"
        );
    }
}

/// Names as C++ has them, with parameters and what a template asks for, in text and in JSON.
#[test]
fn functions_are_named_as_they_were_written() {
    let directory = tempfile::tempdir().unwrap();
    let (source, out) = (directory.path().join("a.cpp"), directory.path().join("a"));
    let text_of_it = "#include <concepts>\n#include <new>\n#include <string>\n\
        template <class T> concept Whole = std::integral<T>;\n\
        template <class T> T twice(T x) requires Whole<T> { return x + x; }\n\
        template <class T> struct Own { using value_type = T; Own() = default; template <class U> Own(const Own<U> &) {}\n\
          T *allocate(unsigned long n) { return static_cast<T *>(::operator new(n * sizeof(T))); }\n\
          void deallocate(T *p, unsigned long) { ::operator delete(p); } bool operator==(const Own &) const { return true; } };\n\
        using Text = std::basic_string<char, std::char_traits<char>, Own<char>>;\n\
        extern \"C\" int f(int x) { return x; }\n\
        int main(int c, char **) { Text s(40ul + c, 'x', Own<char>()); return f(twice(c)) - 2 + (s.size() != 41); }\n";
    std::fs::write(&source, text_of_it).unwrap();
    support::compile(&source, &["--per", "function"], &["-O1"], &out);
    let counted = run(&["--per", "function"], &[out.as_os_str()]);
    assert_eq!(counted.status, Some(0));
    let json = counted.json["processes"][0]["functions"]
        .as_object()
        .unwrap();
    let mut run = luthier_count();
    run.args(["run", "--per", "function", "--top", "1000"])
        .arg(&out);
    let listed = text(&must(&mut run).stderr);
    for name in [
        "int twice<int>(int) requires Whole<int>",
        "std::__cxx11::basic_string<char, std::char_traits<char>, Own<char>>::basic_string<Own<char>>(unsigned long, char, Own<char> const&)",
        "f",
    ] {
        assert!(json.contains_key(name), "{name}: {json:?}");
        assert!(
            listed.lines().any(|line| line
                .trim_start()
                .split_once("  ")
                .is_some_and(|(_, last)| last == name)),
            "{name}: {listed}"
        );
    }
}

/// The program has done its work, but what was asked for is not there.
#[test]
fn a_report_that_cannot_be_written_fails_the_run() {
    for (own, status) in [(0, 1), (7, 7)] {
        let directory = tempfile::tempdir().unwrap();
        let (source, out) = (directory.path().join("a.c"), directory.path().join("a"));
        let program =
            format!("int puts(const char *);\nint main(void) {{ puts(\"ran\"); return {own}; }}\n");
        std::fs::write(&source, program).unwrap();
        support::compile(&source, &[], &[], &out);
        let run = |file: &str| {
            let mut run = luthier_count();
            let output = run.args(["run", "-o", file]).arg(&out).output().unwrap();
            let said = text(&output.stderr);
            assert!(said.contains(file), "{said}");
            (output.status.code(), text(&output.stdout), said)
        };
        for file in ["/dev/full", "/nowhere/report"] {
            let (code, printed, said) = run(file);
            assert_eq!((code, printed.as_str()), (Some(status), "ran\n"), "{said}");
            // The counts are not lost.
            assert!(said.contains(" total\n"), "{said}");
        }
    }
}

/// A tab stands between the fields of a report, and a line has an end.
#[test]
fn a_program_may_have_any_name() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("a.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let [plain, odd] = ["plain", "t\tn\nm"].map(|name| {
        let out = directory.path().join(name);
        support::compile(&source, &[], &[], &out);
        run(&[], &[out.as_os_str()])
    });
    assert_eq!(odd.total, plain.total);
    let path = odd.json["processes"][0]["program"].as_str().unwrap();
    assert!(path.ends_with("/t?n?m"), "{path}");
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
    // Code without a line (variables of a function, for example) belongs to the line where the function begins.
    assert!(!lines.contains_key("(no source position)"), "{lines:?}");
    // With `-g0`, a message says why there are no lines.
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

/// If the user asks only for the total, a message names the counts that the program has kept besides, and no others.
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

/// `explain` shows the code that the compiler counts with the same arguments.
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

/// Optimised code is other code; and what our options change is the same wherever they stand.
#[test]
fn explain_takes_the_options_of_cc() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("a.c");
    std::fs::write(&source, "int f(int x) { int y = x; y += 1; return y; }\n").unwrap();
    let cost = |before: &[&str], after: &[&str]| -> u64 {
        let mut explain = luthier_count();
        explain.args(["explain", "--format", "json"]).args(before);
        let output = must(explain.arg(&source).args(after));
        let functions: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let blocks = functions[0]["blocks"].as_array().unwrap();
        blocks
            .iter()
            .map(|block| block["cost"].as_u64().unwrap())
            .sum()
    };
    // Two variables made; x stored; y from x; y changed; y read and returned.
    assert_eq!(cost(&[], &["-O2"]), 2 + 1 + 2 + 3 + 2);
    assert_eq!(cost(&["--point", "last"], &["-O2"]), 2);
    assert_eq!(cost(&[], &["--point", "last", "-O2"]), 2);
    // Variables cost nothing.
    assert_eq!(cost(&["--preset", "portable-1"], &["-O2"]), 2);
}

/// With these flags, clang finds the header.
#[test]
fn flags_say_where_the_header_is() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("a.c");
    std::fs::write(
        &source,
        "#include <luthier/count.h>\nint main(void) { return luthier_count_left() == 0; }\n",
    )
    .unwrap();
    let check = |flags: &str| {
        let mut clang = Command::new("clang-22");
        clang
            .args(flags.split_whitespace())
            .arg("-fsyntax-only")
            .arg(&source);
        clang.output().unwrap().status.success()
    };
    let flags = text(&must(luthier_count().args(["flags", "include"])).stdout);
    assert!(check(&flags));
    assert!(!check(""));
}

#[test]
fn as_many_rows_as_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let (source, out) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, "int a(void) { return 1; }\nint b(void) { return a() + a(); }\nint main(void) { return b() - 2; }\n").unwrap();
    support::compile(&source, &["--per", "function"], &["-O1"], &out);
    let rows = |top: &str| {
        let mut run = luthier_count();
        run.args(["run", "--per", "function", "--top", top])
            .arg(&out);
        let listed = text(&must(&mut run).stderr);
        let names = listed
            .lines()
            .filter_map(|line| line.trim_start().split_once("  "));
        names
            .map(|(_, name)| name.to_owned())
            .filter(|name| name != "total")
            .collect::<Vec<_>>()
    };
    // 2 for what main returns, 3; 4; 2 calls of 1.
    assert_eq!(rows("3"), ["main", "b", "a"]);
    assert_eq!(rows("1"), ["main", "2 more (--top)"]);
    assert_eq!(rows("0"), ["3 more (--top)"]);
}

/// A sum over processes that count differently is told to mean nothing.
#[test]
fn processes_that_count_differently_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(
        at("a.c"),
        "#include <stdlib.h>\nint main(int c, char **v) { return c > 1 ? system(v[1]) : 0; }\n",
    )
    .unwrap();
    support::compile(&at("a.c"), &[], &["-O1"], &at("first"));
    for (ours, disagree) in [
        (&["--preset", "portable-1"][..], true),
        (&["--point", "last"], true),
        (&["--budget"], false),
    ] {
        support::compile(&at("a.c"), ours, &["-O1"], &at("second"));
        let counted = run(&[], &[at("first").as_os_str(), at("second").as_os_str()]);
        assert_eq!(counted.json["processes"].as_array().unwrap().len(), 2);
        assert_eq!(
            counted.stderr.contains("count differently"),
            disagree,
            "{}",
            counted.stderr
        );
    }
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

/// Clang takes as long to start as to compile a small file. A script is asked for the version, which clang itself is not.
#[test]
fn clang_starts_once_for_an_ordinary_line() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("hello.c"), HELLO).unwrap();
    let script = "#!/bin/sh\necho \"$@\" >> \"$0.log\"\nexec clang-22 \"$@\"\n";
    std::fs::write(at("script"), script).unwrap();
    must(Command::new("chmod").arg("755").arg(at("script")));
    let started = |words: &[&str]| {
        let _ = std::fs::remove_file(at("script.log"));
        let mut command = luthier_count();
        command.env("LUTHIER_CLANG", at("script")).arg("cc");
        must(
            command
                .args(words)
                .arg(at("hello.c"))
                .arg("-o")
                .arg(at("a")),
        );
        let log = std::fs::read_to_string(at("script.log")).unwrap();
        let first = log.lines().map(|line| line.split(' ').next().unwrap());
        first.map(str::to_owned).collect::<Vec<_>>()
    };
    let compiles = "--start-no-unused-arguments";
    // The first time, the runtime is compiled, too.
    started(&["-O1"]);
    assert_eq!(started(&["-O1", "-Wall"]), ["--version", compiles]);
    let asked = ["-ccc-print-phases", "--version", compiles];
    assert_eq!(started(&["-O1", "-x", "c"]), asked);
}

/// These options have clang compile `device.hip` without HIP on the machine.
const DEVICE: &[&str] = &["-xhip", "--offload-arch=gfx90a", "-nogpulib", "-nogpuinc"];

/// Devices have no counter of the host's, and their code stays what it is without counting.
#[test]
fn code_for_devices_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let ir = |side: &str, level: &str| {
        let mut command = luthier_count();
        command.args(["c++", "--budget", level, side, "-S", "-emit-llvm"]);
        command.args(DEVICE).arg(program("device.hip"));
        must(command.arg("-o").arg(at("ir")));
        std::fs::read_to_string(at("ir")).unwrap()
    };
    for level in ["-O0", "-O2"] {
        let device = ir("--offload-device-only", level);
        assert!(
            device.contains("amdgpu_kernel void @_Z6kernelPf"),
            "{device}"
        );
        assert!(!device.contains("luthier"), "{device}");
        // HIP's own ways: operations may fuse, and `-O0` is `-O0`.
        assert!(device.contains("fmul contract"), "{device}");
        assert_eq!(device.contains("optnone"), level == "-O0", "{device}");
        let host = ir("--offload-host-only", level);
        assert!(host.contains("luthier"), "{host}");
        assert!(!host.contains("fmul contract"), "{host}");
    }
    let by_line = |driver: &mut Command, side: &str| {
        driver.args(["-O2", side, "-S", "-emit-llvm"]).args(DEVICE);
        must(driver.arg(program("device.hip")).arg("-o").arg(at("ir")));
        std::fs::read_to_string(at("ir")).unwrap()
    };
    let count = || {
        let mut command = luthier_count();
        command.args(["c++", "--per", "line"]);
        command
    };
    let flags = text(&must(luthier_count().args(["flags", "clang"])).stdout);
    let mut clang = Command::new("clang-22");
    let clang = by_line(
        clang.args(flags.split_whitespace()),
        "--offload-device-only",
    );
    assert!(clang.contains("fmul contract"), "{clang}");
    let device = by_line(&mut count(), "--offload-device-only");
    assert!(!device.contains("!DICompileUnit"), "{device}");
    let host = by_line(&mut count(), "--offload-host-only");
    assert!(host.contains("!DICompileUnit"), "{host}");
    let functions = |source: &str, options: &[&str]| {
        let mut command = luthier_count();
        command
            .args(["c++", "--per", "function", "-O2"])
            .args(options);
        must(command.arg(at(source)).arg("-o").arg(at("program")));
        let run = run(&["--per", "function"], &[at("program").as_os_str()]);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        run.json["processes"][0]["functions"].clone()
    };
    let source = std::fs::read_to_string(program("device.hip")).unwrap();
    std::fs::write(at("device.hip"), &source).unwrap();
    let (_, host) = source.split_once("float apart").unwrap();
    std::fs::write(at("plain.cpp"), format!("float apart{host}")).unwrap();
    let (hip, plain) = (functions("device.hip", DEVICE), functions("plain.cpp", &[]));
    for name in ["main", "apart(float, float, float)"] {
        assert!(plain[name].as_u64() > Some(50), "{plain}");
        assert_eq!(hip[name], plain[name], "{name}");
    }
}

/// Command lines that end before a link, though no option says so, get no runtime.
#[test]
fn what_is_not_linked_needs_no_runtime() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let header =
        "#ifndef TWICE\n#define TWICE\nstatic int twice(int x) { return 2 * x; }\n#endif\n";
    std::fs::write(at("twice.h"), header).unwrap();
    let source = "#include \"twice.h\"\nint main(void) { return twice(21) != 42; }\n";
    std::fs::write(at("main.c"), source).unwrap();
    let cc = |arguments: &str| {
        let mut command = luthier_count();
        command.current_dir(&directory).arg("cc");
        let output = must(command.args(arguments.split_whitespace()));
        assert_eq!(text(&output.stderr), "", "{arguments}");
    };
    cc("-O2 main.c -o plain");
    let plain = run(&[], &[at("plain").as_os_str()]).total;
    for (precompile, header) in [
        ("-O2 twice.h -o twice.h.pch", "twice.h.pch"),
        ("-O2 -x c-header twice.h -o named.pch", "named.pch"),
    ] {
        cc(precompile);
        cc(&format!("-O2 -include-pch {header} main.c -o with"));
        assert_eq!(run(&[], &[at("with").as_os_str()]).total, plain);
    }
    cc("--analyze main.c");
    // Each of two parts that are linked for good later would bring a runtime of its own.
    for (name, part) in [
        ("one", "int two(void); int main(void) { return two(); }"),
        ("two", "int two(void) { return 0; }"),
    ] {
        std::fs::write(at(name).with_extension("c"), part).unwrap();
        cc(&format!("-O2 -c {name}.c -o {name}.o"));
        cc(&format!("-nostdlib -no-pie -Wl,-r {name}.o -o {name}.part"));
    }
    cc("one.part two.part -o linked");
    assert_eq!(run(&[], &[at("linked").as_os_str()]).status, Some(0));
}
