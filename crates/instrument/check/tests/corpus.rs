//! Small kernels with one bug each, and a twin without it.
//!
//! A file of `tests/corpus` begins with remarks: what is wrong, `targets:`, and `finding:` with grade and kind. In the code,
//! a line that begins with `+` is only in the twin, a line with `-` only in the kernel with the bug, and `>` marks the line
//! that is found.

use check::{Finding, Selection, Suppressions, Tally};
use codeobj::CodeObject;
use compiled::Compiler;
use std::path::Path;

/// One file.
struct Case {
    targets: Vec<String>,
    /// Grade and kind.
    finding: String,
    buggy: String,
    right: String,
    /// Line of the buggy kernel's source that is found, from 1.
    line: usize,
}

const KERNEL_START: &str = ".text\n.globl k\n.p2align 8\n.type k,@function\nk:\n";
const KERNEL_END: &str = ".Lend:\n.size k, .Lend-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 64\n.amdhsa_next_free_sgpr 32\nFURTHER.end_amdhsa_kernel\n";

fn read(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).unwrap();
    let remark = |name: &str| {
        let start = format!("# {name}: ");
        let line = text.lines().find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_else(|| panic!("{}: no {name}", path.display()))
    };
    let (mut buggy, mut right) = (KERNEL_START.to_owned(), KERNEL_START.to_owned());
    let mut line = 0;
    for source in text.lines().filter(|line| !line.starts_with('#')) {
        let (mark, code) = match source.chars().next() {
            Some(mark @ ('+' | '-' | '>')) => (mark, &source[1..]),
            _ => (' ', source),
        };
        if mark != '+' {
            buggy += &format!("{code}\n");
        }
        if mark != '-' {
            right += &format!("{code}\n");
        }
        if mark == '>' {
            line = buggy.lines().count();
        }
    }
    assert_ne!(line, 0, "{}: no line is marked", path.display());
    Case {
        targets: remark("targets").split(' ').map(str::to_owned).collect(),
        finding: remark("finding").to_owned(),
        buggy: buggy + KERNEL_END,
        right: right + KERNEL_END,
        line,
    }
}

fn assemble(name: &str, target: &str, text: &str) -> Vec<u8> {
    let work = tempfile::tempdir().unwrap();
    let (source, out) = (work.path().join("k.s"), work.path().join("k.co"));
    let accumulators = ["gfx90a", "gfx942", "gfx950"].contains(&target);
    let further = if accumulators {
        ".amdhsa_accum_offset 64\n"
    } else {
        ""
    };
    std::fs::write(&source, text.replace("FURTHER", further)).unwrap();
    let output = Compiler::new("clang-22")
        .args(["--target=amdgcn-amd-amdhsa", "-g", "-x", "assembler"])
        .arg(format!("-mcpu={target}"))
        .arg(&source)
        .arg("-o")
        .arg(&out)
        .output()
        .expect("clang-22 is installed (./dev setup)");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} for {target}: {errors}");
    std::fs::read(&out).unwrap()
}

fn findings(bytes: &[u8]) -> Vec<Finding> {
    let object = CodeObject::parse(bytes).unwrap();
    let selection = Selection {
        possible: true,
        limit: 100,
    };
    let mut tally = Tally::new(selection, Suppressions::default());
    let options = check::Options { selects: &|_| true };
    let covered = check::waits::object(&object, "", &options, &mut tally).unwrap();
    assert!(covered.is_complete() && covered.kernels == 1);
    tally.take()
}

#[test]
fn each_bug_is_found_and_its_twin_is_silent() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 12);
    let mut wrong = Vec::new();
    for path in paths {
        let case = read(&path);
        let name = path.file_stem().unwrap().to_str().unwrap();
        for target in &case.targets {
            let found = findings(&assemble(name, target, &case.buggy));
            let said: Vec<String> = (found.iter())
                .map(|one| {
                    let line = one
                        .consumer
                        .source
                        .first()
                        .and_then(|at| at.rsplit(':').next());
                    let grade = format!("{:?}", one.grade).to_lowercase();
                    let line = line.unwrap_or("?");
                    format!("{grade} {} in {} at {line}", one.kind.name(), one.symbol)
                })
                .collect();
            if said != [format!("{} in k at {}", case.finding, case.line)] {
                let expected = format!("{} at {}", case.finding, case.line);
                wrong.push(format!("{name} for {target}: {said:?}, not {expected}"));
            }
            let twin = findings(&assemble(name, target, &case.right));
            if !twin.is_empty() {
                let kinds: Vec<_> = twin.iter().map(|one| one.kind.name()).collect();
                wrong.push(format!("{name} for {target}: the twin has {kinds:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
