//! The pass's work on its own additions after the optimiser: whatever the optimiser did to them, they count the same.

use crate::support;

use crate::support::{compile, must, program, run, text, tools};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A module that has been counted, with one function of this body.
fn lowered(body: &str) -> Output {
    lowered_with(body, "")
}

/// The same with more metadata.
fn lowered_with(body: &str, metadata: &str) -> Output {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("in.ll");
    let ir = format!(
        "@__luthier_count = external thread_local(localexec) global [8 x i64]\n\
         declare void @look()\n\
         define void @f(i1 %c) {{\n{body}}}\n\
         !luthier.count = !{{!0}}\n!0 = !{{!\"preset=article\"}}\n{metadata}"
    );
    fs::write(&path, ir).unwrap();
    Command::new("opt-22")
        .arg("-load-pass-plugin")
        .arg(tools().join("libluthier_count.so"))
        .args(["-passes=luthier-count-late", "-S"])
        .arg(&path)
        .output()
        .expect("opt-22 runs")
}

/// The constants that the counter grows by, in order.
fn amounts(output: &Output) -> Vec<i64> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let ir = text(&output.stdout);
    assert!(!ir.contains("atomicrmw"), "{ir}");
    ir.lines()
        .filter(|line| line.contains("= add i64"))
        .map(|line| line.rsplit(' ').next().unwrap().parse().unwrap())
        .collect()
}

const ADD: &str = "  %NAME = atomicrmw KIND ptr @__luthier_count, i64 UNITS syncscope(\"singlethread\") monotonic\n";

fn addition(name: &str, operation: &str, amount: &str) -> String {
    ADD.replace("NAME", name)
        .replace("KIND", operation)
        .replace("UNITS", amount)
}

/// The optimiser writes an addition of nothing as "or 0"; merged with a neighbour it must become an addition again.
#[test]
fn an_addition_of_nothing_merges_as_an_addition() {
    let both = addition("a", "add", "5") + &addition("b", "or", "0") + "  ret void\n";
    assert_eq!(amounts(&lowered(&both)), [5]);
    let other = addition("a", "or", "0") + &addition("b", "add", "7") + "  ret void\n";
    assert_eq!(amounts(&lowered(&other)), [7]);
    let alone = addition("a", "or", "0") + "  ret void\n";
    assert!(amounts(&lowered(&alone)).is_empty());
    // A call between them may read the counter.
    let apart = addition("a", "add", "5")
        + "  call void @look()\n"
        + &addition("b", "add", "7")
        + "  ret void\n";
    assert_eq!(amounts(&lowered(&apart)), [5, 7]);
}

#[test]
fn an_addition_that_became_something_else_is_an_error() {
    let output = lowered(&(addition("a", "or", "7") + "  ret void\n"));
    assert!(!output.status.success());
    assert!(
        text(&output.stderr).contains("an addition in `f` became something else"),
        "{}",
        text(&output.stderr)
    );
}

/// Ways to a return on which the sum is known return for themselves.
#[test]
fn constant_sums_get_a_return_of_their_own() {
    let body = format!(
        "  br i1 %c, label %end, label %work\nwork:\n  call void @look()\n  br label %end\nend:\n  %sum = phi i64 [ 3, %0 ], [ 9, %work ]\n{}  ret void\n",
        addition("a", "add", "%sum")
    );
    let output = lowered(&body);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let ir = text(&output.stdout);
    let early: Vec<&str> = ir
        .lines()
        .skip_while(|line| !line.contains("= add i64 ") || line.contains("%sum"))
        .collect();
    assert!(
        early.get(1).is_some_and(|line| line.contains("store"))
            && early.get(2).is_some_and(|line| line.contains("ret void")),
        "{ir}"
    );
    assert_eq!(ir.matches("ret void").count(), 2, "{ir}");
}

/// The ways that end in one addition: each adds for itself, or corrects what the place where they meet adds anyway.
#[test]
fn amounts_that_depend_on_the_way_are_paid_on_it() {
    let of = |first: &str, otherwise: &str, phi: &str, join: &str| {
        let code = "  call void @look()\n";
        amounts(&lowered(&format!(
            "  br i1 %c, label %then, label %{otherwise}\nthen:\n{code}{first}  br label %join\nelse:\n{code}  br label %join\n\
             join:\n  %s = phi i64 {phi}\n{join}{code}  ret void\n"
        )))
    };
    let sum = addition("s1", "add", "%s");
    let both = "[ 3, %then ], [ 8, %else ]";
    assert_eq!(of("", "else", both, &sum), [3, 8]);
    // The addition that follows is merged with it, not made once more.
    let more = addition("n", "add", "5");
    assert_eq!(of("", "else", both, &(sum.clone() + &more)), [3 + 5, 8 + 5]);
    // A way without a block of its own is paid where they meet.
    let direct = "[ 3, %then ], [ 90, %0 ]";
    let body = format!(
        "  br i1 %c, label %then, label %join\nthen:\n  call void @look()\n{}  br label %join\njoin:\n  %s = phi i64 {direct}\n{sum}  call void @look()\n  ret void\n",
        addition("t", "add", "6")
    );
    assert_eq!(amounts(&lowered(&body)), [6 + 3 - 90, 90]);
    // A call reads the counter before the sum, so the addition must not come before the call.
    let looked = format!("  call void @look()\n{sum}");
    let output = lowered(&format!(
        "  br i1 %c, label %then, label %else\nthen:\n  call void @look()\n  br label %join\nelse:\n  call void @look()\n  br label %join\n\
         join:\n  %s = phi i64 {both}\n{looked}  call void @look()\n  ret void\n"
    ));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let ir = text(&output.stdout);
    assert!(ir.contains("phi i64 [ 3, %then ], [ 8, %else ]"), "{ir}");
}

/// A sum that grows by what depends on the way, in a loop: it grows on the way, and no register holds the amount.
#[test]
fn sums_of_loops_grow_on_the_ways() {
    let body = format!(
        "  %place = alloca i32\n  br label %loop\n\
         loop:\n  %s = phi i64 [ 0, %0 ], [ %t, %join ]\n  br i1 %c, label %then, label %else\n\
         then:\n  store volatile i32 1, ptr %place\n  br label %join\n\
         else:\n  store volatile i32 2, ptr %place\n  br label %join\n\
         join:\n  %x = phi i64 [ 3, %then ], [ 8, %else ]\n  %t = add i64 %s, %x\n  %more = load volatile i1, ptr %place\n  \
         br i1 %more, label %loop, label %end\nend:\n{}  ret void\n",
        addition("a", "add", "%t")
    );
    let output = lowered(&body);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let ir = text(&output.stdout);
    assert!(!ir.contains("phi i64 [ 3"), "{ir}");
    for amount in [3, 8] {
        assert_eq!(
            ir.matches(&format!("= add i64 %s, {amount}\n")).count(),
            1,
            "{ir}"
        );
    }
}

/// Where the optimiser has left other code, additions are placed anew: the way that runs most adds once.
#[test]
fn additions_are_placed_on_the_optimised_code() {
    let once = |name: &str, amount: &str| addition(name, "add", amount);
    let body = format!(
        "{}  br i1 %c, label %join, label %rare, !prof !1\nrare:\n  call void @look()\n{}  br label %join\njoin:\n{}  ret void\n",
        once("first", "5"),
        once("second", "7"),
        once("third", "11")
    );
    let seldom = "!1 = !{!\"branch_weights\", i32 1000, i32 1}\n";
    let output = lowered_with(&body, seldom);
    // Where the paths meet, 5 and 11. On the other path, 5 before the call that reads the counter, and after the call the rest of 7 and 11.
    let mut found = amounts(&output);
    found.sort_unstable();
    assert_eq!(found, [7 + 11 - (5 + 11), 5, 5 + 11]);
}

/// A sum of a register and a constant is computed before it is added, so that one instruction adds it to memory.
#[test]
fn sums_are_added_by_one_instruction() {
    let directory = tempfile::tempdir().unwrap();
    let (source, out) = (
        directory.path().join("sums.c"),
        directory.path().join("sums.s"),
    );
    let code = "long g(const int *p, long n, long *out) {\n  long c = 0;\n  for (long i = 0; i < n; i++)\n    \
        if (p[i] > 3) { c += p[i]; out[i] = c; }\n  return c;\n}\n";
    fs::write(&source, code).unwrap();
    compile(&source, &[], &["-O2", "-S", "-fno-pie"], &out);
    let code = fs::read_to_string(&out).unwrap();
    let ours: Vec<&str> = (code.lines())
        .filter(|line| line.contains("%fs:__luthier_count"))
        .collect();
    assert!(!ours.is_empty(), "{code}");
    assert!(
        ours.iter().all(|line| line.trim().starts_with("add")),
        "{ours:?}"
    );
}

/// The inliner decides as it does without counting, and its result contains nothing of the pass.
#[test]
fn additions_weigh_nothing_for_the_inliner() {
    let directory = tempfile::tempdir().unwrap();
    let source = program("inlining.c");
    let plain = directory.path().join("plain.ll");
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-S", "-emit-llvm"]).arg(&source);
    must(clang.arg("-o").arg(&plain));
    let plain = fs::read_to_string(plain).unwrap();
    assert!(!plain.contains("@step"), "{plain}");
    let counted = ir_of(&source, &[]);
    assert!(!counted.contains("call void @step"), "{counted}");
    assert!(!counted.contains("llvm.sideeffect"), "{counted}");
}

/// Members of the library's classes are inlined as without counting.
#[test]
fn members_of_the_library_are_inlined() {
    let ir = ir_of(&program("library.cpp"), &[]);
    let calls = |name: &str| {
        let call = format!("@{name}(");
        let is_call = |line: &&str| line.contains("call ") || line.contains("invoke ");
        ir.lines().filter(is_call).any(|line| line.contains(&call))
    };
    for nothing in [
        "_ZNSaIcEC2Ev",
        "_ZNSaIcEC1Ev",
        "_ZNSaIcED2Ev",
        "_ZNSaIcED1Ev",
    ] {
        assert!(!calls(nothing), "{nothing}");
    }
    assert!(!ir.contains(".library"), "copies without a caller are gone");
    // Some of them are always inlined, and count: at -O0, where no other body is there, they do.
    let source = program("library.cpp");
    for standard in ["-std=c++17", "-std=c++20"] {
        let total = |level| support::count(&source, &[], &[level, standard]).total;
        assert_eq!(total("-O2"), total("-O0"), "{standard}");
    }
}

/// Sums do not keep loops from becoming vectors.
#[test]
fn counted_loops_become_vectors() {
    let source = program("vectors.c");
    let directory = tempfile::tempdir().unwrap();
    let plain = directory.path().join("plain.ll");
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-S", "-emit-llvm"]).arg(&source);
    must(clang.arg("-o").arg(&plain));
    let plain = fs::read_to_string(plain).unwrap();
    let counted = ir_of(&source, &[]);
    for function in ["@fill(", "@squares("] {
        for ir in [&plain, &counted] {
            let mut functions = ir.split("\ndefine ");
            let body = functions
                .find(|body| body.lines().next().unwrap().contains(function))
                .expect("a function that is not inlined");
            let body = &body[..body.find("\n}").unwrap()];
            assert!(body.contains(" x i32>"), "{body}");
        }
    }
    let reference = support::count(&source, &["--placement", "segment"], &["-O2"]);
    for level in ["-O1", "-O2", "-O3"] {
        let tree = support::count(&source, &[], &[level]);
        assert_eq!(
            (tree.total, &tree.stdout),
            (reference.total, &reference.stdout),
            "{level}"
        );
    }
}

/// Ways that stay ways pay for themselves: no amount goes through a register.
#[test]
fn ways_with_calls_pay_constants() {
    let ir = ir_of(&program("ways.c"), &[]);
    let amounts: Vec<&str> = (ir.lines())
        .filter(|line| line.contains("= add i64"))
        .map(|line| line.rsplit(' ').next().unwrap())
        .collect();
    assert!(
        amounts.iter().all(|amount| amount.parse::<i64>().is_ok()),
        "{ir}"
    );
}

fn ir_of(source: &Path, ours: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.ll");
    compile(
        source,
        ours,
        &["-O2", "-S", "-emit-llvm", "-fno-discard-value-names"],
        &out,
    );
    fs::read_to_string(out).unwrap()
}

/// Loops whose number of iterations is known beforehand count the same with checks, and meet the limit in their midst.
#[test]
fn counted_loops_meet_the_limit() {
    let source = program("counted_loop.c");
    let directory = tempfile::tempdir().unwrap();
    let (with, without) = (
        directory.path().join("with"),
        directory.path().join("without"),
    );
    compile(&source, &["--point", "last", "--budget"], &["-O2"], &with);
    compile(&source, &["--point", "last"], &["-O2"], &without);
    let free = run(&[], &[with.as_os_str()]);
    let plain = run(&[], &[without.as_os_str()]);
    assert_eq!((free.total, &free.stdout), (plain.total, &plain.stdout));
    // In the midst of each of the loops.
    for part in [3, 5, 7] {
        let budget = free.total * part / 8;
        let stopped = run(&["--budget", &budget.to_string()], &[with.as_os_str()]);
        assert_eq!(stopped.status, Some(124));
        let over = stopped.total - budget;
        assert!(over < 100, "over by {over}");
    }
    let enough = run(
        &["--budget", &(free.total + 1).to_string()],
        &[with.as_os_str()],
    );
    assert_eq!((enough.status, enough.total), (Some(0), free.total));
    must(Command::new(&with).env_remove("LUTHIER_COUNT_BUDGET"));
}

/// With checks, an iteration would wait for the check of the one before, through memory. Loops without calls therefore hold the counter in
/// a register.
#[test]
fn loops_with_checks_hold_the_counter() {
    let source = program("bytes.c");
    let ours = ["--point", "last", "--budget"];
    if cfg!(target_arch = "x86_64") {
        let ir = ir_of(&source, &ours);
        let mut functions = ir.split("\ndefine ");
        let walk = functions
            .find(|function| function.lines().next().unwrap().contains("@walk("))
            .expect("a function that is not inlined");
        let walk = &walk[..walk.find("\n}").unwrap()];
        // The addition before the loop may go to the second word. A check in memory is a piece of assembly.
        let (_, rounds) = walk.split_once("br label %while.body\n").expect("a loop");
        assert!(!rounds.contains("asm sideeffect"), "{walk}");
        assert!(rounds.contains("@__luthier_count_limit("), "{walk}");
    }
    let plain = support::count(&source, &["--point", "last"], &["-O2"]);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("bytes");
    compile(&source, &ours, &["-O2"], &out);
    let checked = run(&[], &[out.as_os_str()]);
    assert_eq!(
        (checked.total, &checked.stdout),
        (plain.total, &plain.stdout)
    );
    for part in 1..8 {
        let budget = plain.total * part / 8 + part;
        let stopped = run(&["--budget", &budget.to_string()], &[out.as_os_str()]);
        assert_eq!(stopped.status, Some(124));
        let over = stopped.total - budget;
        assert!(over < 100, "over by {over}");
    }
}

/// A loop with checks may not hold the counter in a register while other code adds to it.
#[test]
fn what_is_called_in_a_loop_with_checks_counts() {
    let source = program("calls_in_loops.c");
    for point in ["start", "last"] {
        let plain = support::count(&source, &["--point", point], &["-O2"]);
        let checked = support::count(&source, &["--point", point, "--budget"], &["-O2"]);
        assert_eq!(
            (checked.total, &checked.stdout),
            (plain.total, &plain.stdout),
            "{point}"
        );
    }
    // And for how long the budget lasts cannot be said there: the limit is met in time all the same.
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("calls");
    compile(&source, &["--budget"], &["-O2"], &out);
    for budget in [20_000, 100_001, 400_007] {
        let stopped = run(&["--budget", &budget.to_string()], &[out.as_os_str()]);
        assert_eq!(stopped.status, Some(124));
        let over = stopped.total - budget;
        assert!(over < 200, "over by {over}");
    }
}

/// Recursive functions with checks hand the counter to each other in a register, where that pays; limits and signals find it as
/// before.
#[test]
fn recursive_functions_hold_the_counter() {
    let source = program("holding.c");
    let ir = ir_of(&source, &["--point", "last", "--budget"]);
    for (function, holds) in [
        ("tree", true),
        ("left", true),
        ("right", true),
        ("looking", true),
        ("leaving", true),
        ("wide", true),
        ("looping", true),
        ("raising", true),
        ("ping", false),
        ("pong", false),
        ("spin", false),
        ("main", false),
    ] {
        let name = format!("@{function}.holding(");
        assert_eq!(ir.contains(&name), holds, "{function}");
    }
    let without = ir_of(&source, &["--point", "last"]);
    assert!(!without.contains("swifterror"), "nothing is checked there");

    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("holding");
    compile(&source, &["--point", "last"], &["-O2"], &out);
    let plain = run(&[], &[out.as_os_str()]);
    for level in [&["-O2"][..], &["-O2", "-fPIC"], &["-O2", "-g"], &["-O1"]] {
        for point in ["last", "start"] {
            compile(&source, &["--point", point, "--budget"], level, &out);
            let checked = run(&[], &[out.as_os_str()]);
            assert_eq!(checked.status, Some(0));
            if level == ["-O2"] && point == "last" {
                assert_eq!(
                    (checked.total, &checked.stdout),
                    (plain.total, &plain.stdout)
                );
            }
            // One call of any of them costs less than 200, what it calls and does not check included. (Behind that come the
            // signals: what handlers count is charged without a check.)
            for part in 1..10 {
                let budget = checked.total * part / 12;
                let stopped = run(&["--budget", &budget.to_string()], &[out.as_os_str()]);
                let over = stopped.total.checked_sub(budget);
                assert!(
                    stopped.status == Some(124) && over.is_some_and(|over| over < 200),
                    "{point} {level:?}: {over:?} over {budget}"
                );
            }
            // Every check says how far it has come: a signal at any time finds most of it.
            let ended = run(&[], &[out.as_os_str(), "alarm".as_ref(), "60".as_ref()]);
            assert_eq!(ended.status, Some(128 + 14));
            assert!(ended.total > 100_000, "{point} {level:?}: {}", ended.total);
        }
    }
}

/// Behind the optimiser, what follows a call in tail position counts with it: the call stays the jump that it is without counting, and
/// all ways to count agree, wherever it leads.
#[test]
fn calls_in_tail_position_stay_jumps() {
    let source = program("tails.c");
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("tails");
    compile(&source, &["--point", "last"], &["-O2", "-S"], &out);
    let assembly = fs::read_to_string(&out).unwrap();
    let jumps = |line: &&str| line.contains("TAILCALL");
    // Two of `forked`, one of `nothing`, one of `looping`.
    assert_eq!(assembly.lines().filter(jumps).count(), 4);

    let mut runs = Vec::new();
    for ours in [
        &["--placement", "segment"][..],
        &[],
        &["--budget"],
        &["--per", "function"],
        &["--budget", "--per", "line"],
    ] {
        let ours = [&["--point", "last"], ours].concat();
        compile(&source, &ours, &["-O2"], &out);
        let run = run(&[], &[out.as_os_str()]);
        assert_eq!(run.status, Some(3), "{ours:?}");
        runs.push((run.total, run.stdout));
    }
    runs.dedup();
    assert_eq!(runs.len(), 1, "{runs:?}");
}

/// Sums that became products leave loops whose old sums are not read any more. Removing one loop can remove the next.
#[test]
fn sums_that_die_together_are_removed_once() {
    must(
        Command::new("opt-22")
            .arg("-load-pass-plugin")
            .arg(tools().join("libluthier_count.so"))
            .args(["-passes=default<O2>", "-disable-output"])
            .arg(program("dead_sums.ll")),
    );
}
