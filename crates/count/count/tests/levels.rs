//! One number at every level of the back end, however additions are placed, and whatever the compiler could find out.

use crate::support;

use crate::support::{count, program};
use std::path::Path;

const LEVELS: &[&[&str]] = &[
    &[],
    &["-O0"],
    &["-O1"],
    &["-O2"],
    &["-O3"],
    &["-Os"],
    &["-Oz"],
    &["-O2", "-fno-inline"],
    &["-O0", "-g"],
];
const PLACEMENTS: &[&[&str]] = &[
    &["--placement", "segment"],
    &["--budget"],
    &["--per", "function"],
];

/// The total, which all builds have in common.
fn one_number(source: &Path) -> u64 {
    let reference = count(source, &["--placement", "segment"], &["-O1", "-fno-inline"]);
    let builds = LEVELS.iter().map(|level| (&[][..], *level));
    let builds = builds.chain(PLACEMENTS.iter().map(|ours| (*ours, &["-O2"][..])));
    for (ours, level) in builds {
        let run = count(source, ours, level);
        assert_eq!(run.total, reference.total, "{ours:?} {level:?}");
        assert_eq!(run.stdout, reference.stdout, "{ours:?} {level:?}");
    }
    reference.total
}

#[test]
fn what_a_compiler_knows_late_is_decided_before_counting() {
    one_number(&program("constant_p.c"));
}

#[test]
fn frames_of_coroutines_are_always_allocated() {
    let source = program("elision.cpp");
    one_number(&source);
    // The program sees it, too: as at -O0 without counting.
    let run = count(&source, &[], &["-O2"]);
    assert!(run.stdout.ends_with(" 1000\n"), "{}", run.stdout);
}

#[test]
fn the_front_end_s_level_is_fixed() {
    // Destructors and exceptions: what clang writes at -O0 differs most there. (C++ takes long to compile: two levels only.)
    let total = |level: &str| count(&program("exceptions.cpp"), &[], &[level]).total;
    assert_eq!(total("-O0"), total("-Os"));
}

/// At `-Og` clang keeps variables alive for debuggers, by loads and calls that its front end writes at no other level.
#[test]
fn variables_for_debuggers_cost_nothing() {
    let total = |level: &str| count(&program("longjmp.c"), &[], &[level]).total;
    assert_eq!(total("-Og"), total("-O1"));
}

/// clang at -O0 without the driver has another front end, and the linker refuses to mix its objects with the others.
#[test]
fn objects_of_the_other_front_end_do_not_link() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("a.c"), "int f(void) { return 1; }\n").unwrap();
    std::fs::write(at("b.c"), "int f(void); int main(void) { return f(); }\n").unwrap();
    let flags =
        support::text(&support::must(support::luthier_count().args(["flags", "clang"])).stdout);
    let plain = |level: &str, name: &str| {
        let mut clang = std::process::Command::new("clang-22");
        clang.args(flags.split_whitespace()).args([level, "-c"]);
        support::must(
            clang
                .arg(at(name))
                .arg("-o")
                .arg(at(name).with_extension("o")),
        );
    };
    for (level, links) in [("-O1", true), ("-O0", false)] {
        plain(level, "a.c");
        let output = support::luthier_count()
            .args(["cc", "-O0"])
            .args([at("b.c"), at("a.o")])
            .arg("-o")
            .arg(at("program"))
            .output()
            .unwrap();
        let message = support::text(&output.stderr);
        assert_eq!(output.status.success(), links, "{level}: {message}");
        assert!(
            links || message.contains("__luthier_count_one_contract_per_program"),
            "{message}"
        );
    }
}
