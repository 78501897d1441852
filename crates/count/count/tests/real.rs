//! Real programs. The reference is LLVM's own profiler: block counts of IR-PGO times the instructions of each block, which this test counts
//! in the textual IR. No code of the pass takes part in it.
//!
//! By default zlib, the bots, C++ objects and coroutines; `-- --ignored real::` adds bzip2, lz4, Lua, SQLite and thirteen more, most of
//! which take minutes (SQLite ten), and libffi through its own build with autotools. Sources are fetched, see `support/sources.rs`.

use crate::support;

use crate::support::sources::{Real, of_crate};
use crate::support::{Run, count, luthier_count, must, program, run, text};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Arguments for a run that leaves no block in its middle.
fn calm(real: &Real) -> &'static [&'static str] {
    match real.name {
        "lua" => &["100", "calm"],
        _ => &[],
    }
}

fn counted(real: &Real, ours: &[&str], clang: &[&str]) -> Run {
    counted_with(real, ours, clang, &[])
}

fn counted_with(real: &Real, ours: &[&str], clang: &[&str], words: &[&str]) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join(real.name);
    must(
        luthier_count()
            .arg(real.driver())
            .args(ours)
            .args(clang)
            .args(real.arguments())
            .arg("-o")
            .arg(&out),
    );
    let mut program = vec![out.as_os_str()];
    program.extend(words.iter().map(OsStr::new));
    run(&[], &program)
}

/// One front end, its bitcode rewritten, and the back end at each of `levels`.
fn through_back_end(real: &Real, levels: &[&str]) -> Vec<Run> {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let (sources, flags) = sources_and_flags(real);
    let mut parts = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let (plain, counted) = (
            at(&format!("{index}.bc")),
            at(&format!("{index}.counted.bc")),
        );
        must(
            Command::new(real.clang())
                .args([
                    "-O2",
                    "-ffp-contract=off",
                    "-Xclang",
                    "-disable-llvm-passes",
                ])
                .args(["-emit-llvm", "-c"])
                .args(&flags)
                .arg(source)
                .arg("-o")
                .arg(&plain),
        );
        must(
            luthier_count()
                .arg("rewrite")
                .arg(&plain)
                .arg("-o")
                .arg(&counted),
        );
        parts.push(counted);
    }
    let words = text(&must(luthier_count().args(["flags", "link"])).stdout);
    let out = at(real.name);
    let at_level = |level: &&str| {
        must(
            Command::new(real.clang())
                .arg(level)
                .args(&parts)
                .args(words.split_whitespace())
                .args(real.libraries())
                .arg("-o")
                .arg(&out),
        );
        run(&[], &[out.as_os_str()])
    };
    levels.iter().map(at_level).collect()
}

/// Source files, and arguments for compiling them.
fn sources_and_flags(real: &Real) -> (Vec<String>, Vec<String>) {
    let mut arguments = real.arguments();
    arguments.retain(|argument| !argument.starts_with("-l"));
    arguments
        .into_iter()
        .partition(|argument| argument.ends_with(".c") || argument.ends_with(".cpp"))
}

/// Instructions that cost nothing (`docs/count/contract.md`): text for the optimiser, and questions that are answered before counting.
#[rustfmt::skip]
const FREE: &[&str] = &[
    "#dbg", "@llvm.dbg.", "@llvm.lifetime.", "@llvm.invariant.", "@llvm.assume", "@llvm.pseudoprobe", "@llvm.experimental.noalias.",
    "@llvm.var.annotation", "@llvm.ptr.annotation", "@llvm.annotation", "@llvm.sideeffect", "@llvm.fake.use", "@llvm.donothing",
    "@llvm.is.constant.", "@llvm.objectsize.", "@llvm.allow.", "@llvm.coro.alloc", "@llvm.experimental.widenable.condition", "@llvm.ssa.copy",
];

/// Instructions per block, by function and label, of textual IR: lines indented by exactly two spaces are instructions,
/// continuation lines are indented deeper.
fn block_sizes(ir: &str) -> HashMap<(String, String), u64> {
    let mut sizes = HashMap::new();
    let (mut function, mut block) = (String::new(), String::new());
    for line in ir.lines() {
        if line.starts_with("define ") {
            function = function_name(line);
            block = "entry".to_owned();
        } else if let Some(label) = label(line) {
            block = label.to_owned();
        } else if line.starts_with("  ") && !line.starts_with("   ") && !line.starts_with("  ]") {
            // (What follows a throw is never reached.)
            let counts = line != "  unreachable" && !FREE.iter().any(|free| line.contains(free));
            *sizes.entry((function.clone(), block.clone())).or_default() += u64::from(counts);
        }
    }
    sizes
}

/// The block that each `.split` block was a part of, which it stands behind, by function and label.
fn split_blocks(ir: &str) -> HashMap<(String, String), String> {
    let mut targets = HashMap::new();
    let (mut function, mut last) = (String::new(), String::new());
    for line in ir.lines() {
        if line.starts_with("define ") {
            function = function_name(line);
            last = "entry".to_owned();
        } else if let Some(label) = label(line) {
            if label.contains(".split") {
                targets.insert((function.clone(), label.to_owned()), last);
            }
            last = label.to_owned();
        }
    }
    targets
}

/// The name in a line that begins a function.
fn function_name(line: &str) -> String {
    let name = &line[line.find('@').expect("functions have names") + 1..];
    name[..name.find('(').unwrap()].trim_matches('"').to_owned()
}

/// The label in a line that begins a block.
fn label(line: &str) -> Option<&str> {
    let begins = !line.starts_with(' ') && line.contains(':') && !line.starts_with(';');
    begins.then(|| line[..line.find(':').unwrap()].trim_matches('"'))
}

/// Functions of which the linker keeps one copy, or one counter of all copies.
fn shared_functions(ir: &str) -> HashSet<String> {
    let shared = ["linkonce_odr", "weak_odr", "available_externally"];
    let is_shared = |line: &&str| {
        let linkage = line.strip_prefix("define ");
        linkage.is_some_and(|rest| shared.iter().any(|name| rest.starts_with(name)))
    };
    ir.lines().filter(is_shared).map(function_name).collect()
}

/// The front end's IR for the sources, with names.
fn plain_bitcode(clang: &str, sources: &[String], flags: &[String], at: &Path) -> Vec<PathBuf> {
    let compile = |(index, source)| {
        let bitcode = at.join(format!("{index}.bc"));
        let mut command = Command::new(clang);
        command.args([
            "-O2",
            "-ffp-contract=off",
            "-Xclang",
            "-disable-llvm-passes",
            "-fno-discard-value-names",
            "-emit-llvm",
            "-c",
        ]);
        must(command.args(flags).arg(source).arg("-o").arg(&bitcode));
        // A few blocks have no name even so.
        let mut name = Command::new("opt-22");
        name.arg("-passes=instnamer").arg(&bitcode);
        must(name.arg("-o").arg(&bitcode));
        bitcode
    };
    sources.iter().enumerate().map(compile).collect()
}

/// The total by IR-PGO.
fn profiled(real: &Real, directory: &Path) -> u64 {
    let (sources, flags) = sources_and_flags(real);
    let plain = plain_bitcode(real.clang(), &sources, &flags, directory);
    profile_of(
        &plain,
        real.clang(),
        &real.libraries(),
        calm(real),
        directory,
    )
}

/// The same for bitcode.
fn profile_of(
    plain: &[PathBuf],
    clang: &str,
    libraries: &[&str],
    arguments: &[&str],
    directory: &Path,
) -> u64 {
    let at = |name: &str| directory.join(name);
    for (index, bitcode) in plain.iter().enumerate() {
        let counting = at(&format!("{index}.counting.bc"));
        must(
            Command::new("opt-22")
                .arg("-passes=pgo-instr-gen,instrprof")
                .arg(bitcode)
                .arg("-o")
                .arg(&counting),
        );
        must(
            Command::new("clang-22")
                // At -O1 calls of `pure` functions are moved about, although they count now, and bodies of library
                // functions are inlined, so that what they call is counted.
                .args(["-O0", "-c"])
                .arg(&counting)
                .arg("-o")
                .arg(at(&format!("{index}.o"))),
        );
    }
    let out = at("profiled");
    // A library that has an inline function of the program, too, would call the program's, and its calls would count.
    let private = at("private");
    std::fs::write(&private, "{ local: *; };").unwrap();
    // Static objects are destroyed in the reverse order of what was registered, and the profiler's runtime, which is linked last, registers
    // last: without this it would write before destructors have run.
    let last = at("last.c");
    let registers_first = "int __llvm_profile_register_write_file_atexit(void);\n\
        __attribute__((constructor(101))) static void first(void) { __llvm_profile_register_write_file_atexit(); }\n";
    std::fs::write(&last, registers_first).unwrap();
    let objects = (0..plain.len()).map(|index| at(&format!("{index}.o")));
    must(
        Command::new(clang)
            .arg("-fprofile-instr-generate")
            .arg(format!("-Wl,--version-script={}", private.display()))
            .args(["-x", "c"])
            .arg(&last)
            .args(["-x", "none"])
            .args(objects)
            .args(libraries)
            .arg("-o")
            .arg(&out),
    );
    must(
        Command::new(&out)
            .args(arguments)
            .env("LLVM_PROFILE_FILE", at("raw")),
    );
    must(
        Command::new("llvm-profdata-22")
            .arg("merge")
            .arg(at("raw"))
            .arg("-o")
            .arg(at("data")),
    );
    let mut total = 0;
    // Inline functions are described in every module that has a copy, but there is one copy and one count.
    let mut shared_seen: HashSet<String> = HashSet::new();
    for bitcode in plain {
        let ir = must(Command::new("llvm-dis-22").arg(bitcode).args(["-o", "-"]));
        let ir = text(&ir.stdout);
        let sizes = block_sizes(&ir);
        let shared = shared_functions(&ir);
        let mut opt = Command::new("opt-22");
        opt.args([
            "-passes=pgo-instr-use",
            "-pgo-view-raw-counts=text",
            "-S",
            "-o",
            "-",
        ]);
        opt.arg(format!("-pgo-test-profile-file={}", at("data").display()))
            .arg(bitcode);
        let used = must(&mut opt);
        let counts = text(&used.stderr);
        let split = split_blocks(&text(&used.stdout));
        let ways_in: HashSet<(String, String)> = (split.iter())
            .filter(|(key, _)| !sizes.contains_key(*key))
            .map(|((function, _), block)| (function.clone(), block.clone()))
            .collect();
        let (mut function, mut repeated) = (String::new(), false);
        let mut blocks: HashMap<(String, String), u64> = HashMap::new();
        for line in counts.lines() {
            if let Some(name) = line.strip_prefix("pgo-view-raw-counts: ") {
                function = name.trim().to_owned();
                repeated = shared.contains(&function) && !shared_seen.insert(function.clone());
            } else if repeated {
                continue;
            } else if let Some(rest) = line.trim_start().strip_prefix("BB: ") {
                let (Some(block), Some((_, count))) =
                    (rest.split("  Index=").next(), rest.split_once("Count="))
                else {
                    continue;
                };
                let key = (function.clone(), block.to_owned());
                blocks.insert(key, count.trim().parse().unwrap());
            }
        }
        for ((function, block), count) in &blocks {
            // The profiler splits jumps to have a place for its counters, which makes new blocks. The target of a computed jump becomes
            // three blocks: two empty ones for the edges into it, and `.split`, which holds the code.
            let key = (function.clone(), block.clone());
            let is_own = !sizes.contains_key(&key);
            let name = match split.get(&key) {
                Some(name) if is_own => name,
                _ if is_own && (block.contains("_crit_edge") || block.ends_with(".clone")) => {
                    continue;
                }
                _ if ways_in.contains(&key) => continue,
                _ => block,
            };
            let key = (function.clone(), name.to_owned());
            let size = sizes
                .get(&key)
                .unwrap_or_else(|| panic!("{key:?} is not in the textual IR"));
            total += size * count;
        }
    }
    total
}

fn agree(name: &str) {
    let real = Real::named(name);
    let reference = counted(real, &["--placement", "segment"], &["-O1"]);
    assert_eq!(reference.status, Some(0));
    let directory = tempfile::tempdir().unwrap();
    let undisturbed = counted_with(real, &[], &["-O2"], calm(real));
    // (Coroutines, exceptions, `longjmp` and `exit` out of an interpreter leave blocks in their middle, which block counts cannot say.)
    if !["modern", "mujs", "json", "mawk"].contains(&name) {
        assert_eq!(
            profiled(real, directory.path()),
            undisturbed.total,
            "{name}: IR-PGO block counts times sizes"
        );
    }
    let tree = match calm(real) {
        [] => undisturbed,
        _ => counted(real, &[], &["-O2"]),
    };
    let levels = ["-O0", "-O1"];
    let mut others: Vec<(&str, Run)> =
        std::iter::zip(levels, through_back_end(real, &levels)).collect();
    others.push(("tree", tree));
    others.push(("tree, -O3", counted(real, &[], &["-O3"])));
    others.push(("budget", counted(real, &["--budget"], &["-O2"])));
    others.push((
        "per function",
        counted(real, &["--per", "function"], &["-O2"]),
    ));
    // (Wrong where blocks are left in their middle.)
    if !["lua", "mujs", "modern", "json", "objects", "mawk"].contains(&name) {
        others.push((
            "article",
            counted(real, &["--placement", "article"], &["-O2"]),
        ));
    }
    for (how, other) in others {
        assert_eq!(
            (other.total, &other.stdout),
            (reference.total, &reference.stdout),
            "{name}: {how}"
        );
    }
}

/// A real `configure` with libtool, makefiles by automake, and assembly among the sources.
#[test]
#[ignore = "takes minutes; ./dev nightly runs it"]
fn autotools() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let count = support::tools().join("luthier-count");
    let mut configure = Command::new(of_crate("libffi-sys").join("libffi/configure"));
    configure.arg(format!("CC={} cc --per function", count.display()));
    configure.args(["--disable-shared", "--disable-docs"]);
    must(configure.current_dir(directory.path()));
    must(Command::new("make").current_dir(directory.path()));
    let source = "#include <ffi.h>\n#include <stdio.h>\nstatic int add(int a, int b) { return a + b; }\nint main(void) {\n\
        ffi_cif cif; ffi_type *types[] = {&ffi_type_sint, &ffi_type_sint}; ffi_arg sum = 0; int b = 3;\n\
        if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 2, &ffi_type_sint, types)) return 1;\n\
        for (int i = 0; i < 1000; i++) { int a = (int)sum; void *of[] = {&a, &b}; ffi_call(&cif, FFI_FN(add), &sum, of); }\n\
        printf(\"%d\\n\", (int)sum); }\n";
    std::fs::write(at("main.c"), source).unwrap();
    let mut compile = luthier_count();
    compile.args([
        "cc",
        "--per",
        "function",
        "-O2",
        "-Iinclude",
        "main.c",
        ".libs/libffi.a",
        "-o",
        "main",
    ]);
    must(compile.current_dir(directory.path()));
    let runs: Vec<Run> = (0..2)
        .map(|_| run(&["--per", "function"], &[at("main").as_os_str()]))
        .collect();
    assert_eq!(runs[0].stdout, "3000\n");
    assert_eq!(runs[0].total, runs[1].total);
    // The library is counted, too, and what assembly calls back.
    let functions = &runs[0].json["processes"][0]["functions"];
    for name in ["ffi_call", "add"] {
        let units = functions[name].as_u64().unwrap_or(0);
        assert!(units >= 1000, "{name}: {functions}");
    }
}

#[test]
fn zlib() {
    agree("zlib");
}

#[test]
fn bot() {
    agree("bot");
}

/// Without coroutines: see below.
#[test]
fn objects() {
    agree("objects");
}

/// Code that asks the compiler what it knows: the questions cost nothing.
#[test]
fn questions() {
    let directory = tempfile::tempdir().unwrap();
    let source = program("constant_p.c");
    let plain = plain_bitcode(
        "clang-22",
        &[source.display().to_string()],
        &[],
        directory.path(),
    );
    let expected = profile_of(&plain, "clang-22", &[], &[], directory.path());
    assert_eq!(count(&source, &[], &["-O2"]).total, expected);
}

/// A suspended block is left in its middle and entered there again, which block counts cannot show. Coroutines are compared with the
/// profiler after they have been split, and before that (in `corners.rs`) with the segment-exact reference.
#[test]
fn coroutines() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let source = program("coroutine.cpp").display().to_string();
    let whole = plain_bitcode(
        "clang++-22",
        &[source],
        &["-std=c++20".to_owned()],
        directory.path(),
    );
    let split = at("split.bc");
    must(
        Command::new("opt-22")
            .arg("-passes=coro-early,cgscc(coro-split),coro-cleanup,globaldce")
            .arg(&whole[0])
            .arg("-o")
            .arg(&split),
    );
    let ir = text(&must(Command::new("llvm-dis-22").arg(&split).args(["-o", "-"])).stdout);
    assert!(ir.contains(".resume") && !ir.contains("@llvm.coro.suspend"));
    // (Of the four generators one throws and three are abandoned half-way.)
    let expected = profile_of(
        std::slice::from_ref(&split),
        "clang++-22",
        &[],
        &[],
        directory.path(),
    );
    let words = text(&must(luthier_count().args(["flags", "link"])).stdout);
    for options in [&[][..], &["--placement", "segment"], &["--budget"]] {
        let (counted, out) = (at("counted.bc"), at("program"));
        must(
            luthier_count()
                .arg("rewrite")
                .args(options)
                .arg(&split)
                .arg("-o")
                .arg(&counted),
        );
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            must(
                Command::new("clang++-22")
                    .arg(level)
                    .arg(&counted)
                    .args(words.split_whitespace())
                    .arg("-o")
                    .arg(&out),
            );
            let ours = run(&[], &[out.as_os_str()]);
            assert_eq!(ours.total, expected, "{options:?} {level}");
        }
    }
}

/// More programs of the same kind.
macro_rules! opt_in {
    ($($name:ident)*) => {$(
        #[test]
        #[ignore = "takes minutes; ./dev nightly runs it"]
        fn $name() {
            agree(stringify!($name));
        }
    )*};
}

opt_in! { bzip2 lz4 lua sqlite zstd quickjs expat cadical json modern mujs pcre2 brotli zopfli mawk pigz stockfish }
