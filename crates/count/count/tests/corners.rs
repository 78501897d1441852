//! Corner cases of control flow: the count equals that of the segment-exact reference, whatever the back end does afterwards.

use crate::support;

use crate::support::{Run, compile, count, is_cxx, luthier_count, must, program, run};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Unoptimised bitcode of the front end.
fn bitcode(source: &Path, out: &Path) {
    let clang = if is_cxx(source) {
        "clang++-22"
    } else {
        "clang-22"
    };
    let mut command = Command::new(clang);
    command.args([
        "-O2",
        "-ffp-contract=off",
        "-Xclang",
        "-disable-llvm-passes",
        "-emit-llvm",
        "-c",
    ]);
    if is_cxx(source) {
        command.arg("-std=c++20");
    }
    must(command.arg(source).arg("-o").arg(out));
}

/// The bitcode, rewritten with `options`, through the back end at `level`.
fn through_rewriter(source: &Path, options: &[&str], levels: &[&str]) -> Vec<Run> {
    let directory = tempfile::tempdir().unwrap();
    let (plain, counted) = (
        directory.path().join("plain.bc"),
        directory.path().join("counted.bc"),
    );
    bitcode(source, &plain);
    must(
        luthier_count()
            .arg("rewrite")
            .args(options)
            .arg(&plain)
            .arg("-o")
            .arg(&counted),
    );
    let link = must(luthier_count().args(["flags", "link"]));
    let link: Vec<String> = support::text(&link.stdout)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let clang = if is_cxx(source) {
        "clang++-22"
    } else {
        "clang-22"
    };
    let mut runs = Vec::new();
    for level in levels {
        let out = directory.path().join("program");
        must(
            Command::new(clang)
                .arg(level)
                .arg(&counted)
                .args(&link)
                .arg("-o")
                .arg(&out),
        );
        runs.push(run(&[], &[out.as_os_str()]));
    }
    runs
}

/// The reference is the segment scheme at -O0 behind the rewriter: every piece pays for itself, nothing is optimised.
fn agree(name: &str) -> Run {
    let source = program(name);
    let reference = through_rewriter(&source, &["--placement", "segment"], &["-O0"]).remove(0);
    assert!(
        reference.total > 500,
        "{name} does next to nothing: {}",
        reference.total
    );
    let mut others: Vec<(String, Run)> = Vec::new();
    for (level, run) in
        ["-O0", "-O2", "-O3"]
            .iter()
            .zip(through_rewriter(&source, &[], &["-O0", "-O2", "-O3"]))
    {
        others.push((format!("tree, back end {level}"), run));
    }
    for ours in [
        &["--placement", "segment"][..],
        &["--budget"],
        &["--throw"],
        &["--per", "function"],
        &["--per", "line"],
    ] {
        others.push((format!("plugin {ours:?}"), count(&source, ours, &["-O2"])));
    }
    others.push((
        "plugin, -fPIC".to_owned(),
        count(&source, &[], &["-O2", "-fPIC"]),
    ));
    for (how, run) in &others {
        assert_eq!(
            (run.total, &run.stdout, run.status),
            (reference.total, &reference.stdout, reference.status),
            "{name}: {how}"
        );
    }
    reference
}

macro_rules! corners {
    ($($test:ident: $file:literal;)*) => { $(#[test] fn $test() { agree($file); })* };
}

corners! {
    longjmp_leaves_frames:                    "longjmp.c";
    exit_in_the_middle:                       "leaves_early.c";
    computed_goto_holds_no_code_on_its_jumps: "computed_goto.c";
    conditions_that_are_computed_together:    "ranges.c";
    callbacks_from_uncounted_code:            "callback.c";
    signal_handlers:                          "signals.c";
    assembly_and_naked_functions:             "assembly.c";
    musttail_calls:                           "musttail.c";
    recursion:                                "recursion.c";
    recursion_that_hands_the_counter_on:      "holding.c";
    threads:                                  "threads.c";
    purity_attributes_are_not_believed:       "purity.c";
    exceptions_with_destructors:              "exceptions.cpp";
    containers_and_virtual_calls:             "containers.cpp";
    coroutines:                               "coroutine.cpp";
    extern_templates_count_nowhere:           "extern_template.cpp";
    members_of_the_library_count_nowhere:     "library.cpp";
    loops_that_become_vectors:                "vectors.c";
    loops_that_begin_at_one_place:            "shared_header.c";
    counted_operator_new_is_not_elided:       "own_new.cpp";
    counted_operator_delete_is_the_library_s: "deletes.cpp";
    guards_and_pointers_to_members:           "abi.cpp";
}

/// Code that is cheaper in pointers to member functions costs what it costs elsewhere.
#[test]
fn pairs_of_integers_are_no_pointers_to_members() {
    let pairs = program("pairs.cpp");
    for level in ["-O0", "-O2"] {
        let ours = ["--preset", "portable-1"];
        let [long, int] =
            ["-DSECOND=long", "-DSECOND=int"].map(|second| count(&pairs, &ours, &[level, second]));
        assert_eq!((long.total, &long.stdout), (int.total, &int.stdout));
    }
}

/// Counts are kept per thread and repeat; their sum is the total.
#[test]
fn every_thread_has_its_own_count() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("threads");
    compile(&program("threads.c"), &[], &["-O2"], &out);
    let threads = |run: &Run| -> Vec<u64> {
        let list = run.json["processes"][0]["threads"].as_array().unwrap();
        list.iter()
            .map(|thread| thread["units"].as_u64().unwrap())
            .collect()
    };
    let first = run(&[], &[out.as_os_str()]);
    let mut counts = threads(&first);
    assert_eq!(counts.len(), 5);
    assert_eq!(counts.iter().sum::<u64>(), first.total);
    // The numbering follows the start of threads, which may race; the counts themselves do not.
    let mut again = threads(&run(&[], &[out.as_os_str()]));
    counts.sort();
    again.sort();
    assert_eq!(counts, again);
    // Work in proportion 1:2:3:4, the first three with one more in a destructor.
    let unit = counts[4] as f64 / 4.0;
    assert!(
        (counts[3] as f64 / unit - 4.0).abs() < 0.1 && (counts[1] as f64 / unit - 2.0).abs() < 0.1,
        "{counts:?}"
    );
}

/// The article's scheme is right without longjmp, throw and exit, and wrong with them.
#[test]
fn the_article_s_scheme_is_right_only_without_surprises() {
    let total = |name: &str, placement: &str| {
        count(&program(name), &["--placement", placement], &["-O2"]).total
    };
    for name in ["computed_goto.c", "recursion.c", "callback.c"] {
        assert_eq!(total(name, "article"), total(name, "tree"), "{name}");
    }
    for name in ["longjmp.c", "exceptions.cpp", "leaves_early.c"] {
        assert!(total(name, "article") < total(name, "tree"), "{name}");
    }
}

/// Static executables, and both kinds of position-independent code.
#[test]
fn linking_makes_no_difference() {
    for name in ["threads.c", "signals.c", "leaves_early.c"] {
        let source = program(name);
        let dynamic = count(&source, &[], &["-O2"]);
        for clang in [
            &["-O2", "-static"][..],
            &["-O2", "-no-pie", "-fno-pie"],
            &["-O2", "-fuse-ld=lld"],
            &["-O2", "-flto", "-fuse-ld=lld"],
        ] {
            let other = count(&source, &[], clang);
            assert_eq!(
                (other.total, &other.stdout),
                (dynamic.total, &dynamic.stdout),
                "{name} {clang:?}"
            );
        }
    }
}

#[test]
fn exempt_functions_stand_in_the_object() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("a.o");
    compile(&program("assembly.c"), &[], &["-O2", "-c"], &out);
    let object = std::fs::read(&out).unwrap();
    let needle = b"seven\tnaked";
    assert!(object.windows(needle.len()).any(|window| window == needle));
    assert_ne!(OsStr::new("a.o"), out.as_os_str());
}
