//! Builds that must be refused, and changes that must not change a number: mixtures, damaged input, link order, libraries.

use crate::support;

use crate::support::{luthier_count, must, program, run, text, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }
    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        fs::write(&path, text).unwrap();
        path
    }
}

fn cc(words: &[&str], paths: &[&Path], out: &Path) -> Output {
    luthier_count()
        .args(words)
        .args(paths)
        .arg("-o")
        .arg(out)
        .output()
        .unwrap()
}

fn built(words: &[&str], paths: &[&Path], out: &Path) {
    let output = cc(words, paths, out);
    assert!(
        output.status.success(),
        "{words:?}: {}",
        text(&output.stderr)
    );
}

const HELPER: &str =
    "int helper(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n";
const MAIN: &str =
    "#include <stdio.h>\nint helper(int);\nint main(void) { printf(\"%d\\n\", helper(1000)); }\n";

#[test]
fn objects_of_different_presets_do_not_link() {
    let place = Place::new();
    let (helper, main) = (place.write("helper.c", HELPER), place.write("main.c", MAIN));
    let (a, b, out) = (place.at("a.o"), place.at("b.o"), place.at("out"));
    built(&["cc", "--preset", "portable-1", "-c"], &[&helper], &a);
    built(&["cc", "-c"], &[&main], &b);
    for linker in ["-fuse-ld=bfd", "-fuse-ld=lld"] {
        let output = cc(&["cc", linker], &[&a, &b], &out);
        let message = text(&output.stderr);
        assert!(
            !output.status.success()
                && message.contains("__luthier_count_one_contract_per_program"),
            "{message}"
        );
    }
    // Placement and granularity do not change the number: they may meet.
    built(
        &[
            "cc",
            "--placement",
            "segment",
            "--per",
            "function",
            "--budget",
            "-c",
        ],
        &[&helper],
        &a,
    );
    built(&["cc"], &[&a, &b], &out);
    let mixed = run(&[], &[out.as_os_str()]).total;
    built(&["cc"], &[&helper, &main], &out);
    assert_eq!(mixed, run(&[], &[out.as_os_str()]).total);
}

/// The front end of another version of the compiler writes other IR, which counts differently.
#[test]
fn objects_of_different_compilers_do_not_link() {
    let place = Place::new();
    let (helper, main) = (place.write("helper.c", HELPER), place.write("main.c", MAIN));
    let (ours, other, out) = (place.at("a.o"), place.at("b.o"), place.at("out"));
    built(&["cc", "-c"], &[&main], &ours);
    let plain = place.at("plain.ll");
    must(
        Command::new("clang-22")
            .args(["-O2", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"])
            .arg(&helper)
            .arg("-o")
            .arg(&plain),
    );
    let ir = fs::read_to_string(&plain).unwrap();
    let version = ir
        .split("clang version ")
        .nth(1)
        .and_then(|rest| rest.split([' ', '"']).next())
        .expect("clang names itself");
    let (foreign, counted) = (place.at("foreign.ll"), place.at("counted.bc"));
    for (stands, links) in [(version, true), ("22.1.0", false)] {
        let named = format!("clang version {stands}");
        let ir = ir.replace(&format!("clang version {version}"), &named);
        fs::write(&foreign, ir).unwrap();
        must(
            luthier_count()
                .arg("rewrite")
                .arg(&foreign)
                .arg("-o")
                .arg(&counted),
        );
        must(
            Command::new("clang-22")
                .args(["-O1", "-c"])
                .arg(&counted)
                .arg("-o")
                .arg(&other),
        );
        let output = cc(&["cc"], &[&ours, &other], &out);
        let message = text(&output.stderr);
        assert_eq!(output.status.success(), links, "{stands}: {message}");
        let collision = message.contains("__luthier_count_one_clang_version_per_program");
        assert!(links || collision, "{message}");
    }
}

#[test]
fn a_library_of_another_preset_is_refused_when_it_is_opened() {
    let place = Place::new();
    let helper = place.write("helper.c", HELPER);
    let main = place.write(
        "main.c",
        "#include <dlfcn.h>\n#include <stdio.h>\nint main(int c, char **v) { void *l = dlopen(v[1], RTLD_NOW); if (!l) return puts(dlerror()), 3;\n\
         int (*f)(int) = (int (*)(int))dlsym(l, \"helper\"); printf(\"%d\\n\", f(1000)); dlclose(l); return c == 9; }\n",
    );
    let (same, other, out) = (place.at("same.so"), place.at("other.so"), place.at("out"));
    built(&["cc", "-shared", "-fPIC"], &[&helper], &same);
    built(
        &["cc", "--preset", "portable-1", "-shared", "-fPIC"],
        &[&helper],
        &other,
    );
    built(&["cc", "-ldl"], &[&main], &out);
    let together = run(&[], &[out.as_os_str(), same.as_os_str()]);
    assert!(
        together.total > 8000,
        "the library's part is missing: {}",
        together.total
    );
    let output = luthier_count()
        .arg("run")
        .arg("--")
        .arg(&out)
        .arg(&other)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(126));
    assert!(
        text(&output.stderr).contains("parts of this program count differently"),
        "{}",
        text(&output.stderr)
    );
    // Per function, in a library that is closed before the end; and in a program that does not count itself.
    built(
        &["cc", "--per", "function", "-shared", "-fPIC"],
        &[&helper],
        &same,
    );
    let listed = run(&["--per", "function"], &[out.as_os_str(), same.as_os_str()]);
    assert_eq!(listed.total, together.total);
    let plain = place.at("plain");
    must(Command::new("clang-22").arg(&main).arg("-o").arg(&plain));
    let alone = run(&[], &[plain.as_os_str(), same.as_os_str()]);
    assert_eq!(
        Some(alone.total),
        listed.json["processes"][0]["functions"]["helper"].as_u64()
    );
}

/// One template in a counted and in a plain object: the linker keeps the first copy of equal names.
/// Checks rely on how other code with checks adds: what an older or newer plugin made would overrun budgets without a word.
#[test]
fn checks_of_another_kind_are_refused() {
    let place = Place::new();
    let (helper, main) = (place.write("helper.c", HELPER), place.write("main.c", MAIN));
    let (ours, other, ir) = (place.at("a.o"), place.at("b.o"), place.at("helper.ll"));
    let (library, out) = (place.at("libhelper.so"), place.at("out"));
    built(&["cc", "--budget", "-c"], &[&main], &ours);
    let to_ir = ["cc", "--budget", "-fPIC", "-O1", "-S", "-emit-llvm"];
    built(&to_ir, &[&helper], &ir);
    let same = fs::read_to_string(&ir).unwrap();
    let (kind, another) = ("checks=budget in two words", "checks=budget in six words");
    assert!(same.contains(kind), "{same}");
    for (text_of, links) in [(same.clone(), true), (same.replace(kind, another), false)] {
        fs::write(&ir, text_of).unwrap();
        must(
            Command::new("clang-22")
                .args(["-O1", "-fPIC", "-c"])
                .arg(&ir)
                .arg("-o")
                .arg(&other),
        );
        let output = cc(&["cc"], &[&ours, &other], &out);
        let message = text(&output.stderr);
        assert_eq!(output.status.success(), links, "{message}");
        let named = message.contains("__luthier_count_checks_budget");
        assert!(links || named, "{message}");
        // The object links as a library, and the program that loads it refuses it.
        built(&["cc", "-shared"], &[&other], &library);
        built(&["cc"], &[&ours, &library], &out);
        let mut counted = luthier_count();
        counted.arg("run").arg("--").arg(&out);
        let output = counted
            .env("LD_LIBRARY_PATH", library.parent().unwrap())
            .output()
            .unwrap();
        let message = text(&output.stderr);
        let status = if links { 0 } else { 126 };
        assert_eq!(output.status.code(), Some(status), "{message}");
        let named = message.contains("parts of this program count differently");
        assert_eq!(named, !links, "{message}");
    }
}

#[test]
fn link_order_does_not_choose_what_counts() {
    let place = Place::new();
    let shared = "#include <vector>\n#include <algorithm>\nstruct V { virtual int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 3; return s; } virtual ~V() {} };\n\
        inline int mixed(int n) { std::vector<int> v; for (int i = 0; i < n; i++) v.push_back(i * 7919 % 1009); std::sort(v.begin(), v.end()); V x; return v[n / 2] + x.f(n); }\n";
    place.write("shared.h", shared);
    let one = place.write("one.cpp", "#include \"shared.h\"\n#include <cstdio>\nint two(int);\nint main() { V *v = new V; std::printf(\"%d\\n\", mixed(500) + two(700) + v->f(90)); delete v; }\n");
    let two = place.write(
        "two.cpp",
        "#include \"shared.h\"\nint two(int n) { return mixed(n); }\n",
    );
    let (counted, plain, out) = (place.at("one.o"), place.at("two.o"), place.at("out"));
    for level in ["-O0", "-O2"] {
        built(&["c++", level, "-c"], &[&one], &counted);
        must(
            Command::new("clang++-22")
                .args([level, "-c"])
                .arg(&two)
                .arg("-o")
                .arg(&plain),
        );
        built(&["c++"], &[&counted, &plain], &out);
        let first = run(&[], &[out.as_os_str()]).total;
        built(&["c++"], &[&plain, &counted], &out);
        assert_eq!(first, run(&[], &[out.as_os_str()]).total, "{level}");
        assert!(first > 30_000, "{level}: {first}");
    }
}

#[test]
fn a_module_counts_once() {
    let place = Place::new();
    let (plain, once, twice) = (
        place.at("plain.bc"),
        place.at("once.bc"),
        place.at("twice.bc"),
    );
    let source = program("recursion.c");
    must(
        Command::new("clang-22")
            .args(["-O2", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"])
            .arg(source)
            .arg("-o")
            .arg(&plain),
    );
    must(
        luthier_count()
            .arg("rewrite")
            .arg(&plain)
            .arg("-o")
            .arg(&once),
    );
    let output = luthier_count()
        .arg("rewrite")
        .arg(&once)
        .arg("-o")
        .arg(&twice)
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert!(
        !output.status.success() && message.contains("the module counts already"),
        "{message}"
    );
    explained_in_one_line(&message, &once);
    assert!(!twice.exists());
    let output = luthier_count()
        .args(["cc", "-x", "ir", "-c"])
        .arg(&once)
        .arg("-o")
        .arg(&twice)
        .output()
        .unwrap();
    assert!(
        !output.status.success() && text(&output.stderr).contains("the module counts already"),
        "{}",
        text(&output.stderr)
    );
}

fn explained_in_one_line(message: &str, file: &Path) {
    assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    assert!(message.contains(&file.display().to_string()), "{message}");
    assert!(
        message.trim_end().chars().all(|c| !c.is_control()),
        "{message}"
    );
}

#[test]
fn damaged_bitcode_is_an_error_and_leaves_nothing() {
    let place = Place::new();
    let (plain, cut, out) = (place.at("plain.bc"), place.at("cut.bc"), place.at("out.bc"));
    must(
        Command::new("clang-22")
            .args(["-O2", "-emit-llvm", "-c"])
            .arg(program("recursion.c"))
            .arg("-o")
            .arg(&plain),
    );
    let whole = fs::read(&plain).unwrap();
    for length in [0, 3, 4, 20, 200, whole.len() / 2, whole.len() - 4] {
        fs::write(&cut, &whole[..length]).unwrap();
        let output = luthier_count()
            .arg("rewrite")
            .arg(&cut)
            .arg("-o")
            .arg(&out)
            .output()
            .unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{length}: {message}");
        assert!(!out.exists(), "{length}");
        explained_in_one_line(&message, &cut);
    }
    // Nor other files: what is in them is not printed.
    let junk: Vec<u8> = (0..4000u32)
        .map(|i| (i.wrapping_mul(2654435761) >> 13) as u8)
        .collect();
    let own = fs::read(env!("CARGO_BIN_EXE_luthier-count")).unwrap();
    let source = fs::read(program("recursion.c")).unwrap();
    for (content, says) in [
        (&junk[..], "something else"),
        (&own[..4096], "an object or program (ELF)"),
        (&source[..], "not textual IR of LLVM 22"),
        (b"", "the file is empty"),
    ] {
        fs::write(&cut, content).unwrap();
        let output = luthier_count()
            .arg("rewrite")
            .arg(&cut)
            .arg("-o")
            .arg(&out)
            .output()
            .unwrap();
        let message = text(&output.stderr);
        assert!(
            output.status.code() == Some(1) && message.contains(says),
            "{message}"
        );
        assert!(!out.exists(), "{says}");
        explained_in_one_line(&message, &cut);
    }
    let output = luthier_count()
        .arg("rewrite")
        .arg(&plain)
        .arg("-o")
        .arg("/nonexistent/out.bc")
        .output()
        .unwrap();
    assert!(!output.status.success() && text(&output.stderr).contains("/nonexistent/out.bc"));
}

#[test]
fn other_llvm_versions_are_named() {
    let place = Place::new();
    let out = place.at("out.bc");
    let source = program("recursion.c");
    // Debian 12's ROCm compiler, which `./dev setup` installs for the GPU parts, writes LLVM 15 bitcode.
    let old = ["clang-15", "clang-14"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(old) = old else {
        return prerequisite::skip("neither clang-15 nor clang-14 is installed");
    };
    let plain = place.at("old.bc");
    must(
        Command::new(old)
            .args(["-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"])
            .arg(source)
            .arg("-o")
            .arg(&plain),
    );
    let output = luthier_count()
        .arg("rewrite")
        .arg(&plain)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert!(
        !output.status.success() && message.contains("LLVM 22 bitcode only"),
        "{message}"
    );
}

#[test]
fn a_missing_runtime_and_bad_options_are_explained() {
    let place = Place::new();
    let out = place.at("out");
    let flags = text(&must(luthier_count().args(["flags", "clang"])).stdout);
    let clang = || {
        let mut clang = Command::new("clang-22");
        clang
            .args(flags.split_whitespace())
            .arg(program("recursion.c"))
            .arg("-o")
            .arg(&out);
        clang
    };
    let output = clang().output().unwrap();
    let message = text(&output.stderr);
    assert!(
        !output.status.success()
            && message.contains("has_no_runtime__link_with_what__luthier_count_flags_link__prints"),
        "{message}"
    );
    let output = clang()
        .arg("-c")
        .env("LUTHIER_COUNT", "preset=artikel")
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert!(
        !output.status.success()
            && message
                .contains("`artikel` is no value of `preset`; use one of article, portable-1"),
        "{message}"
    );
    let output = luthier_count()
        .args(["run", "--", "true"])
        .output()
        .unwrap();
    assert!(
        text(&output.stderr).contains("reported no count"),
        "{}",
        text(&output.stderr)
    );
}

/// The compiled runtime lies in a cache, which people tidy.
#[test]
fn a_runtime_with_a_file_missing_is_made_anew() {
    let place = Place::new();
    let (cache, out) = (place.at("cache"), place.at("out"));
    let build = |cache: &Path| {
        luthier_count()
            .arg("cc")
            .arg(program("recursion.c"))
            .arg("-o")
            .arg(&out)
            .env("LUTHIER_CACHE", cache)
            .output()
            .unwrap()
    };
    assert!(build(&cache).status.success());
    let directory = |start: &str| {
        let entries = fs::read_dir(&cache).unwrap();
        let mut paths = entries.map(|entry| entry.unwrap().path());
        let found = paths.find(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(start)
        });
        found.unwrap()
    };
    let files = [
        directory("count-rt-").join("libluthier_count_rt.a"),
        directory("count-rt-").join("libluthier_count_rt_static.a"),
        directory("count-rt-").join("libluthier_count_rt.so"),
        directory("count-include-").join("luthier/count.h"),
    ];
    for name in &files {
        fs::remove_file(name).unwrap();
        let again = build(&cache);
        assert!(again.status.success(), "{name:?}: {}", text(&again.stderr));
        assert!(files.iter().all(|name| name.is_file()), "{name:?}");
    }
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 2);
    // A file where the directory should be: nothing can be made there.
    let taken = place.at("taken");
    fs::write(&taken, "").unwrap();
    let message = text(&build(&taken).stderr);
    assert!(
        message.contains("LUTHIER_CACHE") && message.contains(&taken.display().to_string()),
        "{message}"
    );
}

#[test]
fn what_is_no_source_has_no_blocks() {
    for command in ["explain", "lint"] {
        let program = env!("CARGO_BIN_EXE_luthier-count");
        let output = luthier_count().args([command, program]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains(program) && said.contains("source file"),
            "{said}"
        );
    }
}

#[test]
fn explain_prices_every_line() {
    let output = must(
        luthier_count()
            .args(["explain", "--format", "json"])
            .arg(program("recursion.c")),
    );
    let functions: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let one = functions
        .as_array()
        .unwrap()
        .iter()
        .find(|function| function["name"] == "one")
        .unwrap();
    // alloca, store, load, add, ret: read off `clang-22 -O1 -Xclang -disable-llvm-passes -S -emit-llvm`.
    assert_eq!(one["blocks"][0]["cost"], 5);
    assert_eq!(one["note"], "constant: callers are charged 5");
    let text = text(&must(luthier_count().arg("explain").arg(program("recursion.c"))).stdout);
    assert!(
        text.contains("| static int one(int a) { return a + 1; }"),
        "{text}"
    );
}

#[test]
fn lint_sees_what_varies() {
    let place = Place::new();
    let source = place.write(
        "varies.cpp",
        "#include <cstdint>\n#include <cstdlib>\n#include <ctime>\n#include <unordered_map>\n\
         unsigned hash(int *p) { return (unsigned)(((std::uintptr_t)p) * 2654435761u); }\n\
         int sum(std::unordered_map<int, int> &m) { int s = 0; for (auto &e : m) s = s * 3 + e.second; return s; }\n\
         long now() { return time(nullptr) + rand(); }\n\
         int maybe(int c) { int x; if (c) x = 3; return x; }\n\
         long distance(int *a, int *b) { return b - a; }\n\
         #include <functional>\n#include <random>\n\
         unsigned seed() { return std::random_device{}(); }\n\
         std::size_t key(int *p) { return std::hash<int *>{}(p); }\n\
         int find(std::unordered_map<int, int> &m) { return m.count(3); }\n",
    );
    let output = luthier_count()
        .args(["lint", "--format", "json"])
        .arg(&source)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut seen: Vec<(u64, &str)> = findings
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["file"].as_str().unwrap().ends_with("varies.cpp"))
        .map(|finding| {
            (
                finding["line"].as_u64().unwrap(),
                finding["kind"].as_str().unwrap(),
            )
        })
        .collect();
    seen.dedup();
    assert_eq!(
        seen,
        [
            (5, "address"),
            (6, "unordered"),
            (7, "random"),
            (7, "time"),
            (12, "random"),
            (13, "address")
        ]
    );
    assert!(
        text(&output.stderr).contains("uninitialized"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn unknown_intrinsics_are_refused() {
    let place = Place::new();
    let source = place.write(
        "unknown.ll",
        "target triple = \"x86_64-unknown-linux-gnu\"\ndeclare i32 @llvm.frobnicate.i32(i32)\n\
         define i32 @f(i32 %x) {\n  %y = call i32 @llvm.frobnicate.i32(i32 %x)\n  ret i32 %y\n}\n",
    );
    let out = place.at("out.bc");
    let output = luthier_count()
        .arg("rewrite")
        .arg(&source)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert!(
        !output.status.success() && message.contains("unknown intrinsic `llvm.frobnicate.i32`"),
        "{message}"
    );
    assert!(!out.exists());
}

/// Bulk memory operations priced by size belong to the function and the line that ask for them.
#[test]
fn prices_by_size_are_booked_where_they_arise() {
    let place = Place::new();
    let source = place.write(
        "sized.c",
        "#include <string.h>\nstatic char a[100000], b[100000];\n\
         __attribute__((noinline)) void move(int n) {\n  memcpy(a, b, n);\n}\n\
         int main(int c, char **v) { (void)v; for (int i = 0; i < 10; i++) move(10000 * c); }\n",
    );
    let out = place.at("sized");
    for (per, key) in [("function", "functions"), ("line", "lines")] {
        built(
            &["cc", "--preset", "portable-1", "--per", per, "-O2", "-g"],
            &[&source],
            &out,
        );
        let result = run(&["--per", per], &[out.as_os_str()]);
        let listed = result.json["processes"][0][key].as_object().unwrap();
        let sum: u64 = listed.values().map(|units| units.as_u64().unwrap()).sum();
        assert_eq!(sum, result.total, "{listed:?}");
        // Ten times 10 000 bytes at 1 per 16.
        let moved = listed
            .iter()
            .find(|(name, _)| *name == "move" || name.ends_with("sized.c:4"))
            .unwrap();
        assert!(
            (6250..6300).contains(&moved.1.as_u64().unwrap()),
            "{listed:?}"
        );
    }
}

/// A makefile uses CC with options in it, for separate compilation, with a library in between and with dependencies in files.
#[test]
fn make_takes_it_for_a_compiler() {
    let place = Place::new();
    place.write("helper.c", HELPER);
    place.write("main.c", MAIN);
    place.write(
        "Makefile",
        "main: main.o libhelper.a\n\t$(CC) $(CFLAGS) main.o -L. -lhelper -o $@\n\
         libhelper.a: helper.o\n\tar rcs $@ $^\n\
         %.o: %.c\n\t$(CC) $(CFLAGS) -MMD -MP -c $< -o $@\n",
    );
    let count = support::tools().join("luthier-count");
    must(
        Command::new("make")
            .arg(format!("CC={} cc --preset portable-1", count.display()))
            .arg("CFLAGS=-O2 -Wall -Werror")
            .current_dir(place.0.path()),
    );
    let made = run(&[], &[place.at("main").as_os_str()]);
    assert_eq!(made.stdout, "499500\n");
    assert!(
        made.json["processes"][0]["contracts"][0]
            .as_str()
            .unwrap()
            .contains("preset=portable-1")
    );
    assert!(
        fs::read_to_string(place.at("main.d"))
            .unwrap()
            .contains("main.c")
    );
    // The questions that configure asks a compiler.
    let output = cc(&["cc", "--version"], &[], Path::new("/dev/null"));
    assert!(text(&output.stdout).contains("clang version 22"));
    let output = cc(&["cc", "-O2"], &[&place.at("missing.c")], &place.at("no"));
    assert!(!output.status.success(), "a missing file compiles");
}

/// The same through CMake, where it is installed: a compiler of several words, and a shared library.
#[test]
fn cmake_takes_it_for_a_compiler() {
    if !prerequisite::program("cmake", "cmake") {
        return;
    }
    let place = Place::new();
    let lists = "cmake_minimum_required(VERSION 3.13)\nproject(part C CXX)\nadd_library(steps SHARED steps.c)\n\
        add_executable(whole whole.cpp)\ntarget_link_libraries(whole steps)\n";
    fs::write(place.at("CMakeLists.txt"), lists).unwrap();
    let steps =
        "int steps(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i % 7; return s; }\n";
    fs::write(place.at("steps.c"), steps).unwrap();
    let whole = "#include <cstdio>\n#include <vector>\nextern \"C\" int steps(int);\n\
        int main() { std::vector<int> v(9, 1); for (int &x : v) x += steps(100); std::printf(\"%d\\n\", v[3]); }\n";
    fs::write(place.at("whole.cpp"), whole).unwrap();
    let program = tools().join("luthier-count");
    let mut totals = Vec::new();
    for kind in ["Release", "RelWithDebInfo"] {
        let build = place.at(kind);
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(place.at("")).arg("-B").arg(&build);
        cmake.arg(format!("-DCMAKE_BUILD_TYPE={kind}"));
        for (language, word) in [("C", "cc"), ("CXX", "c++")] {
            cmake.arg(format!(
                "-DCMAKE_{language}_COMPILER={};{word}",
                program.display()
            ));
        }
        must(&mut cmake);
        must(Command::new("cmake").arg("--build").arg(&build));
        let run = run(&[], &[build.join("whole").as_os_str()]);
        assert_eq!(run.status, Some(0));
        totals.push(run.total);
    }
    // One library and one program; -O2 -g and -O3 make no difference.
    assert_eq!(totals[0], totals[1]);
    assert!(totals[0] > 9 * 100 * 10);
}

/// For people who drive opt themselves: the pass by its name.
#[test]
fn opt_runs_the_pass_by_name() {
    let place = Place::new();
    let (helper, plain) = (place.write("helper.c", HELPER), place.at("plain.bc"));
    must(
        Command::new("clang-22")
            .args([
                "-O2",
                "-ffp-contract=off",
                "-Xclang",
                "-disable-llvm-passes",
                "-emit-llvm",
                "-c",
            ])
            .arg(&helper)
            .arg("-o")
            .arg(&plain),
    );
    let main = place.write("main.c", MAIN);
    let (counted, out) = (place.at("counted.bc"), place.at("out"));
    let plugin = support::tools().join("libluthier_count.so");
    must(
        Command::new("opt-22")
            .arg(format!("-load-pass-plugin={}", plugin.display()))
            .arg("-passes=luthier-count")
            .arg(&plain)
            .arg("-o")
            .arg(&counted),
    );
    let object = place.at("helper.o");
    must(
        Command::new("clang-22")
            .args(["-O2", "-c"])
            .arg(&counted)
            .arg("-o")
            .arg(&object),
    );
    built(&["cc", "-O2"], &[&main, &object], &out);
    let through_opt = run(&[], &[out.as_os_str()]);
    built(&["cc", "-O2"], &[&main, &helper], &out);
    assert_eq!(through_opt.total, run(&[], &[out.as_os_str()]).total);
}

/// Bitcode of a device has no counter to add to.
#[test]
fn bitcode_for_devices_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for (name, target) in [
        ("amdgpu", "amdgcn-amd-amdhsa"),
        ("nvptx", "nvptx64-nvidia-cuda"),
    ] {
        let source = format!("target triple = \"{target}\"\ndefine void @f() {{ ret void }}\n");
        fs::write(at(name), source).unwrap();
        let mut rewrite = luthier_count();
        rewrite
            .arg("rewrite")
            .arg(at(name))
            .arg("-o")
            .arg(at("out"));
        let output = rewrite.output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("runs on a device"), "{message}");
        assert!(!at("out").exists(), "{target}");
    }
}
