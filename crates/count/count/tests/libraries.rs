//! Libraries that count, in programs that do not.

use crate::support;

use crate::support::{luthier_count, must, run, text};
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str =
    "int spin(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n";
const ONE_THREAD: &str = "#include <stdio.h>\nint spin(int);\n\
    int main(void) { puts(\"begin\"); for (int i = 0; i < 1000; i++) spin(1000); puts(\"end\"); }\n";
const TWO_THREADS: &str = "#include <pthread.h>\nint spin(int);\nvoid *go(void *a) { spin(1000); return a; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, go, 0); pthread_join(t, 0); spin(1000); return 0; }\n";

/// A plain program, linked with a counted library in front of the C library as linkers put it, that is: behind the program's own.
fn built(directory: &Path, main: &str, ours: &[&str]) -> PathBuf {
    let at = |name: &str| directory.join(name);
    std::fs::write(at("spin.c"), LIBRARY).unwrap();
    std::fs::write(at("main.c"), main).unwrap();
    support::compile(
        &at("spin.c"),
        ours,
        &["-O2", "-shared", "-fPIC"],
        &at("libspin.so"),
    );
    let mut clang = Command::new("clang-22");
    clang.args(["-O2"]).args([at("main.c"), at("libspin.so")]);
    must(clang.arg("-o").arg(at("main")));
    at("main")
}

#[test]
fn they_are_counted_with_and_without_preload() {
    let directory = tempfile::tempdir().unwrap();
    let program = built(directory.path(), ONE_THREAD, &[]);
    let (alone, preloaded) = (
        run(&[], &[program.as_os_str()]),
        run(&["--preload"], &[program.as_os_str()]),
    );
    for one in [&alone, &preloaded] {
        assert_eq!((one.stdout.as_str(), one.status), ("begin\nend\n", Some(0)));
        assert_eq!(one.stderr, "");
    }
    assert_eq!(alone.total, preloaded.total);
    assert!(alone.total > 1000 * 1000);
}

/// Their threads begin unseen unless the runtime comes first: who is not counted is told.
#[test]
fn threads_are_seen_with_preload() {
    let directory = tempfile::tempdir().unwrap();
    let program = built(directory.path(), TWO_THREADS, &[]);
    let (alone, preloaded) = (
        run(&[], &[program.as_os_str()]),
        run(&["--preload"], &[program.as_os_str()]),
    );
    assert!(
        alone.stderr.contains("`luthier count run --preload`"),
        "{}",
        alone.stderr
    );
    assert_eq!(preloaded.stderr, "");
    assert_eq!(preloaded.total, 2 * alone.total);
}

/// The library begins behind the runtime that it brings along: its checks are known late.
#[test]
fn budgets_bind_them() {
    let directory = tempfile::tempdir().unwrap();
    let program = built(directory.path(), ONE_THREAD, &["--budget"]);
    let shell = ["sh", "-c", "exec \"$0\""].map(std::ffi::OsStr::new);
    for (options, through) in [
        (&["--budget", "20000"][..], &[][..]),
        (&["--budget", "20000", "--preload"], &[]),
        (
            &["--budget", "20000", "--budget-per", "thread", "--preload"],
            &[],
        ),
        (&["--budget", "20000", "--preload"], &shell),
    ] {
        let stopped = run(options, &[through, &[program.as_os_str()]].concat());
        assert_eq!(stopped.status, Some(124), "{options:?}: {}", stopped.stderr);
        assert_eq!(stopped.stdout, "begin\n");
        // One iteration more at most.
        assert!(
            (20_000..20_020).contains(&stopped.total),
            "{}",
            stopped.total
        );
    }
    let enough = run(
        &["--budget", "1000000000", "--preload"],
        &[program.as_os_str()],
    );
    assert_eq!(
        (enough.status, enough.stdout.as_str()),
        (Some(0), "begin\nend\n")
    );
}

#[test]
fn a_budget_that_binds_nobody_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let program = built(directory.path(), ONE_THREAD, &[]);
    for options in [&["--preload"][..], &[]] {
        let mut run = luthier_count();
        run.args(["run", "--budget", "20000"])
            .args(options)
            .arg(&program);
        let output = run.output().unwrap();
        assert_eq!(output.status.code(), Some(126));
        assert!(
            text(&output.stderr).contains("without budget checks"),
            "{}",
            text(&output.stderr)
        );
    }
}

/// The counts of a library are reported although it was closed, and perhaps opened again at another address.
#[test]
fn closed_libraries_are_part_of_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let main = "#include <dlfcn.h>\nint main(int c, char **v) { int sum = 0; for (int i = 0; i < 3; i++) {\n\
        void *l = dlopen(v[c - 1], RTLD_NOW); int (*spin)(int) = (int (*)(int))dlsym(l, \"spin\");\n\
        sum += spin(100); dlclose(l); } return sum != 3 * 4950; }\n";
    std::fs::write(at("spin.c"), LIBRARY).unwrap();
    std::fs::write(at("main.c"), main).unwrap();
    for ours in [
        &[][..],
        &["--per", "function"],
        &["--per", "function", "--budget"],
    ] {
        support::compile(
            &at("spin.c"),
            ours,
            &["-O2", "-shared", "-fPIC"],
            &at("libspin.so"),
        );
        support::compile(&at("main.c"), ours, &["-O2"], &at("main"));
        let library = at("libspin.so");
        let counted = run(&[], &[at("main").as_os_str(), library.as_os_str()]);
        assert_eq!(counted.status, Some(0), "{}", counted.stderr);
        // The cost of one call, counted without any library.
        std::fs::write(
            at("direct.c"),
            format!(
                "{LIBRARY}int main(void) {{ for (int i = 0; i < 3; i++) spin(100); return 0; }}\n"
            ),
        )
        .unwrap();
        support::compile(
            &at("direct.c"),
            &["--per", "function"],
            &["-O2"],
            &at("direct"),
        );
        let direct = run(&["--per", "function"], &[at("direct").as_os_str()]);
        let spin = direct.json["processes"][0]["functions"]["spin"]
            .as_u64()
            .unwrap();
        assert!(spin > 3 * 100 && counted.total > spin);
        if !ours.is_empty() {
            assert_eq!(
                counted.json["processes"][0]["functions"]["spin"].as_u64(),
                Some(spin)
            );
        }
    }
}

/// A library that is opened again begins anew, however it is counted. Its variables are as they were written. Its constructors and
/// destructors run each time, also while another thread holds counts of it.
#[test]
fn closed_libraries_are_gone() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let library = "#include <stdio.h>\nvolatile int calls;\n\
        __attribute__((constructor)) static void begin(void) { for (int i = 0; i < 4; i++) calls++; }\n\
        __attribute__((destructor)) static void end(void) { calls++; puts(\"closed\"); }\n\
        int spin(int n) { for (int i = 0; i < n; i++) calls++; return calls; }\n";
    let main = "#include <dlfcn.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n\
        static int (*spin)(int); static sem_t done, leave;\n\
        static void *other(void *a) { spin(50); sem_post(&done); sem_wait(&leave); return a; }\n\
        int main(int c, char **v) { sem_init(&done, 0, 0); sem_init(&leave, 0, 0);\n\
        for (int i = 0; i < 5; i++) { void *l = dlopen(v[c - 1], RTLD_NOW); spin = (int (*)(int))dlsym(l, \"spin\");\n\
            pthread_t t; pthread_create(&t, 0, other, 0); sem_wait(&done); printf(\"%d\\n\", spin(100)); dlclose(l);\n\
            sem_post(&leave); pthread_join(t, 0); } }\n";
    std::fs::write(at("spin.c"), library).unwrap();
    std::fs::write(at("main.c"), main).unwrap();
    let counted = |ours: &[&str], list: &[&str]| {
        let options = ["-O2", "-shared", "-fPIC"];
        support::compile(&at("spin.c"), ours, &options, &at("libspin.so"));
        support::compile(&at("main.c"), ours, &["-O2"], &at("main"));
        must(
            Command::new("clang-22")
                .arg(at("main.c"))
                .arg("-o")
                .arg(at("plain")),
        );
        let library = at("libspin.so");
        // In a program that does not count, the runtime is one more library.
        let alone = run(list, &[at("plain").as_os_str(), library.as_os_str()]);
        assert_eq!(alone.stdout, "154\nclosed\n".repeat(5), "{ours:?}");
        assert_eq!(alone.json["processes"].as_array().unwrap().len(), 1);
        let run = run(list, &[at("main").as_os_str(), library.as_os_str()]);
        assert_eq!(run.stdout, "154\nclosed\n".repeat(5), "{ours:?}");
        run
    };
    let plain = counted(&[], &[]);
    let functions = ["--per", "function"];
    for ours in [&functions[..], &["--per", "function", "--budget"]] {
        let run = counted(ours, &functions);
        assert_eq!(run.total, plain.total, "{ours:?}");
        let rows = run.json["processes"][0]["functions"].as_object().unwrap();
        let sum: u64 = rows.values().map(|units| units.as_u64().unwrap()).sum();
        assert_eq!(sum, plain.total, "{rows:?}");
    }
}

/// A library with so many functions that looking at their counts takes a while.
fn many_functions() -> String {
    let more = (0..2000).map(|n| format!("int more_{n}(int n) {{ return n + {n}; }}\n"));
    LIBRARY.to_owned() + &more.collect::<String>()
}

/// Other threads may close libraries while a thread reads its count, while a report is written, and after one that is taken back
/// because another program could not start.
#[test]
fn libraries_close_while_counts_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("spin.c"), many_functions()).unwrap();
    let direct = "int main(void) { for (int i = 0; i < 100; i++) spin(50); return 0; }\n";
    std::fs::write(at("direct.c"), format!("{LIBRARY}{direct}")).unwrap();
    let functions = ["--per", "function"];
    support::compile(&at("direct.c"), &functions, &["-O2"], &at("direct"));
    let direct = run(&functions, &[at("direct").as_os_str()]);
    let spin = |run: &support::Run| run.json["processes"][0]["functions"]["spin"].as_u64();
    assert!(spin(&direct) > Some(100 * 50));
    for ours in [&functions[..], &["--per", "function", "--budget"]] {
        let library = ["-O1", "-shared", "-fPIC"];
        support::compile(&at("spin.c"), ours, &library, &at("libspin.so"));
        support::compile(&support::program("closing.c"), ours, &["-O2"], &at("main"));
        let closing = |options: &[&str], way: &str| {
            let options = [&functions[..], options].concat();
            let library = at("libspin.so");
            run(
                &options,
                &[at("main").as_os_str(), way.as_ref(), library.as_os_str()],
            )
        };
        for way in ["reads", "execs"] {
            let run = closing(&[], way);
            assert_eq!(run.status, Some(0), "{ours:?} {way}: {}", run.stderr);
            assert_eq!(spin(&run), spin(&direct), "{ours:?} {way}");
        }
        for (way, status) in [("exit", 0), ("_exit", 0), ("signal", 128 + 15)] {
            let run = closing(&[], way);
            assert_eq!(run.status, Some(status), "{ours:?} {way}: {}", run.stderr);
            assert!(spin(&run) >= Some(20 * 50), "{ours:?} {way}");
        }
    }
    let budget = ["--budget", "100000000", "--budget-per", "thread"];
    let library = at("libspin.so");
    let words = [at("main"), "budget".into(), library];
    let words: Vec<_> = words.iter().map(|word| word.as_os_str()).collect();
    let run = run(&[&functions[..], &budget].concat(), &words);
    assert_eq!(run.status, Some(124), "{}", run.stderr);
    assert!(spin(&run) >= Some(20 * 50));
}

/// The program's own `malloc` and `free` count and ask for the count, also while a library is closed.
#[test]
fn libraries_close_in_programs_with_their_own_malloc() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("spin.c"), LIBRARY).unwrap();
    let ours = ["--per", "function"];
    let library = ["-O2", "-shared", "-fPIC"];
    support::compile(&at("spin.c"), &ours, &library, &at("libspin.so"));
    let source = support::program("own_malloc.c");
    support::compile(&source, &ours, &["-O2"], &at("main"));
    let run = run(
        &ours,
        &[at("main").as_os_str(), at("libspin.so").as_os_str()],
    );
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let rows = run.json["processes"][0]["functions"].as_object().unwrap();
    assert!(rows["spin"].as_u64() > Some(3 * 100), "{rows:?}");
    let sum: u64 = rows.values().map(|units| units.as_u64().unwrap()).sum();
    assert_eq!(sum, run.total, "{rows:?}");
}

/// A library that closes after the report is gone for threads that end later. Its calls before are in the report.
#[test]
fn libraries_close_after_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let main = "int prepare(const char *, int);\n\
        int main(int c, char **v) { return prepare(v[c - 1], v[c - 2][0] == 'l') != 1225; }\n";
    std::fs::write(at("spin.c"), LIBRARY).unwrap();
    std::fs::write(at("main.c"), main).unwrap();
    let ours = ["--per", "function"];
    let library = ["-O2", "-shared", "-fPIC"];
    support::compile(&at("spin.c"), &ours, &library, &at("libspin.so"));
    let source = support::program("closes_last.c");
    support::compile(&source, &ours, &library, &at("libcloses.so"));
    let mut link = luthier_count();
    link.args(["cc", "--per", "function", "-O2"]);
    link.args([at("main.c"), at("libcloses.so")]);
    must(link.arg("-o").arg(at("main")));
    for way in ["destructor", "later"] {
        let library = at("libspin.so");
        let words = [at("main"), way.into(), library];
        let words: Vec<_> = words.iter().map(|word| word.as_os_str()).collect();
        let run = run(&ours, &words);
        assert_eq!(run.status, Some(0), "{way}: {}", run.stderr);
        let rows = run.json["processes"][0]["functions"].as_object().unwrap();
        assert!(rows["spin"].as_u64() > Some(50), "{way}: {rows:?}");
    }
}
