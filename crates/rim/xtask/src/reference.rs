//! `cargo xtask count-reference`: an instruction counter that shares nothing with the product, to judge it.
//!
//! It works on the text of unoptimised IR: before every call and every terminator it adds, atomically, what has been executed since
//! the last such place. The result is compiled without optimisation, so nothing can be moved, merged or left out.

use std::{fmt::Write, fs, path::Path, process::Command};

use anyhow::{Context, Result, bail};

use crate::command::done;

/// Instructions that cost nothing (`docs/count/contract.md`): text for the optimiser, and values that are decided before counting.
#[rustfmt::skip]
const FREE: &[&str] = &[
    "llvm.dbg.", "llvm.lifetime.", "llvm.invariant.", "llvm.assume", "llvm.pseudoprobe", "llvm.experimental.noalias.scope.decl",
    "llvm.var.annotation", "llvm.ptr.annotation", "llvm.annotation", "llvm.sideeffect", "llvm.fake.use", "llvm.donothing",
    "llvm.is.constant", "llvm.objectsize", "llvm.allow.", "llvm.coro.alloc", "llvm.experimental.widenable.condition", "llvm.ssa.copy",
];

/// First words of instructions that end a block.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "ret", "br", "switch", "indirectbr", "invoke", "resume", "unreachable", "cleanupret", "catchret", "callbr",
];

/// Adds up, and tells at the end: on standard error, or in the file that `REFERENCE_OUTPUT` names.
const RUNTIME: &str = "#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static _Atomic unsigned long long total;
void __reference_add(unsigned long long units) { total += units; }
__attribute__((destructor(101))) static void tell(void) {
  const char *path = getenv(\"REFERENCE_OUTPUT\");
  FILE *out = path ? fopen(path, \"w\") : stderr;
  if (out) fprintf(out, \"%llu\\n\", total), fflush(out);
}
";

/// `[--c++] CLANG-ARGUMENTS... -o PROGRAM`: one source file among the arguments.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let at = words.iter().position(|word| *word == "-o");
    let (Some(at), true) = (at, at.is_some_and(|at| at + 1 < words.len())) else {
        bail!("usage: cargo xtask count-reference [--c++] CLANG-ARGUMENTS... FILE -o PROGRAM");
    };
    let out = words.remove(at + 1).to_owned();
    words.remove(at);
    let cxx = words.iter().position(|word| *word == "--c++");
    if let Some(cxx) = cxx {
        words.remove(cxx);
    }
    build(&words, cxx.is_some(), Path::new(&out))?;
    Ok(Vec::new())
}

/// Compiles a program that counts the reference way.
pub fn build(arguments: &[&str], cxx: bool, out: &Path) -> Result<()> {
    let clang = if cxx { "clang++-22" } else { "clang-22" };
    let text = out.with_extension("reference.ll");
    let mut command = Command::new(clang);
    // The front end of counted builds.
    command.args([
        "-O1",
        "-ffp-contract=off",
        "-Xclang",
        "-disable-llvm-passes",
        "-S",
        "-emit-llvm",
    ]);
    done(command.args(arguments).args(["-O1", "-w", "-o"]).arg(&text))?;
    let counting = instrument(
        &fs::read_to_string(&text).with_context(|| format!("cannot read {}", text.display()))?,
    );
    fs::write(&text, counting).with_context(|| format!("cannot write {}", text.display()))?;
    link(&text, cxx, out)
}

/// Links instrumented text with the runtime.
fn link(text: &Path, cxx: bool, out: &Path) -> Result<()> {
    let object = out.with_extension("reference.o");
    runtime(&object)?;
    let clang = if cxx { "clang++-22" } else { "clang-22" };
    let mut command = Command::new(clang);
    command
        .args(["-O0", "-Wno-override-module"])
        .arg(text)
        .arg(&object);
    done(command.args(["-lm", "-lpthread", "-o"]).arg(out))
}

/// Compiles the runtime, unless it has been.
pub fn runtime(object: &Path) -> Result<()> {
    let source = object.with_extension("c");
    if object.exists() && fs::read_to_string(&source).is_ok_and(|text| text == RUNTIME) {
        return Ok(());
    }
    fs::write(&source, RUNTIME).with_context(|| format!("cannot write {}", source.display()))?;
    done(
        Command::new("clang-22")
            .args(["-O1", "-c"])
            .arg(&source)
            .arg("-o")
            .arg(object),
    )
}

/// Runs a reference program: what it counted and what it printed. `None` if it takes longer than `seconds`.
pub fn count(program: &Path, seconds: u32) -> Result<Option<(u64, Vec<u8>)>> {
    let told = program.with_extension("reference.count");
    let output = Command::new("timeout")
        .arg(seconds.to_string())
        .arg(program)
        .env("REFERENCE_OUTPUT", &told)
        .output()
        .context("cannot run timeout")?;
    if output.status.code() == Some(124) {
        return Ok(None);
    }
    let text = fs::read_to_string(&told)
        .with_context(|| format!("{} told no count", program.display()))?;
    Ok(Some((
        text.trim().parse().context("a count is a number")?,
        output.stdout,
    )))
}

/// Inline functions are the program's own: a library that has such a function, too, would call the program's, and its calls would count.
fn own(line: &str) -> String {
    let start = "define linkonce_odr ";
    match line.strip_prefix(start) {
        Some(rest) if !rest.starts_with("hidden ") => match rest.strip_prefix("dso_local ") {
            Some(rest) if rest.starts_with("hidden ") => line.to_owned(),
            Some(rest) => format!("{start}dso_local hidden {rest}"),
            None => format!("{start}hidden {rest}"),
        },
        _ => line.to_owned(),
    }
}

/// The text with additions.
pub fn instrument(text: &str) -> String {
    let naked: Vec<&str> = text
        .lines()
        .filter(|line| {
            line.starts_with("attributes #") && line.split_whitespace().any(|word| word == "naked")
        })
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    let mut out = String::with_capacity(text.len() * 2);
    let mut body = None;
    for line in text.lines() {
        match &mut body {
            Some(pending) if line == "}" => {
                debug_assert_eq!(*pending, 0);
                body = None;
            }
            Some(pending) if is_instruction(line) => add_before(&mut out, line, pending),
            Some(_) => {}
            None if line.starts_with("define ") && line.ends_with('{') => {
                let skipped = line.split_whitespace().any(|word| naked.contains(&word));
                body = (!skipped).then_some(0);
            }
            None => {}
        }
        match line.starts_with("attributes #") {
            true => out.push_str(&without_promises(line)),
            false => out.push_str(&own(line)),
        }
        out.push('\n');
    }
    out.push_str("\ndeclare void @__reference_add(i64)\n");
    out
}

/// Not a label, comment, record of debug information, or a further line of the instruction before.
fn is_instruction(line: &str) -> bool {
    line.starts_with("  ")
        && !line.starts_with("   ")
        && !line.starts_with("  ]")
        && !line.starts_with("  ;")
        && !line.starts_with("  #dbg")
}

fn add_before(out: &mut String, line: &str, pending: &mut u64) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let operation = match words.get(1) {
        Some(&"=") => words.get(2),
        _ => words.first(),
    };
    let operation = operation.copied().unwrap_or_default();
    let is_call = matches!(operation, "call" | "tail" | "notail" | "musttail");
    let intrinsic = is_call && line.contains("@llvm.");
    let name = line.split('@').nth(1).unwrap_or_default();
    if intrinsic && FREE.iter().any(|free| name.starts_with(free)) {
        return;
    }
    if operation != "catchswitch" {
        *pending += 1;
    }
    // Nothing can stand between such a call and its return, which costs 1, too.
    if operation == "musttail" {
        *pending += 1;
    }
    let after_musttail = operation == "ret"
        && out
            .lines()
            .next_back()
            .is_some_and(|last| last.contains("musttail call"));
    if after_musttail {
        *pending = 0;
    }
    if (is_call && !intrinsic)
        || ENDS.contains(&operation)
        || (intrinsic && name.starts_with("llvm.coro."))
    {
        if *pending > 0 {
            let _ = writeln!(out, "  call void @__reference_add(i64 {pending})");
        }
        *pending = 0;
    }
}

/// A function that counts writes memory.
fn without_promises(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("memory(") {
        out.push_str(&rest[..at]);
        rest = rest[at..].find(')').map_or("", |end| &rest[at + end + 1..]);
    }
    out.push_str(rest);
    out.replace(" speculatable ", " ")
}

#[cfg(test)]
mod tests {
    use super::instrument;

    #[test]
    fn stretches_pay_before_calls_and_ends() {
        let text = "define i32 @f(i32 %0) #0 {\n  %2 = add i32 %0, 1\n  call void @llvm.lifetime.start.p0(ptr %3)\n  %4 = call i32 @g(i32 %2)\n\
                    #dbg_value(i32 1)\n  br label %5\n\n5:                 ; preds\n  %6 = musttail call i32 @h(i32 %4)\n  ret i32 %6\n}\n";
        let counted = instrument(text);
        let additions: Vec<&str> = counted
            .lines()
            .filter(|line| line.contains("@__reference_add(i64 ") && line.starts_with("  "))
            .collect();
        assert_eq!(
            additions,
            [
                "  call void @__reference_add(i64 2)",
                "  call void @__reference_add(i64 1)",
                "  call void @__reference_add(i64 2)",
            ]
        );
    }
}
