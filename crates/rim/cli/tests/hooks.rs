//! `luthier check --memory --hooks`: what hooks find is what the emulated GPU finds.

use crate::common::{
    compile, luthier,
    schema::{check, schema},
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

const CORPUS: &str = include_str!("programs/memory.tsv");

fn hip_for(target: &str, name: &str) -> PathBuf {
    let offload = format!("--offload-arch={target}");
    let mut flags = vec!["-O1", "-w", "-g", &offload];
    // HIP's compiler reaches private memory through buffers or FLAT instructions if it is not told otherwise.
    let own_instructions = [
        "-Xclang",
        "-target-feature",
        "-Xclang",
        "+enable-flat-scratch",
    ];
    if name == "privately.hip" {
        flags.extend(own_instructions);
    }
    // A program of two code objects has two sources.
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let other = programs.join(name.replace("_one", "_two"));
    if name.contains("_one") {
        flags.push(other.to_str().unwrap());
    }
    compile("hipcc", name, &flags)
}

/// True if the program passed, the findings, and the other messages.
fn run(target: &str, options: &[&str], name: &str, mode: &str) -> (bool, Vec<Value>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("found.json");
    let mut command = luthier(&[
        "check", "--memory", "--device", target, "--format", "json", "-o",
    ]);
    let command = command.arg(&file).args(options).arg("--");
    let output = command
        .arg(hip_for(target, name))
        .arg(mode)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {said}"));
    let value: Value = serde_json::from_str(&text).unwrap();
    check(&schema("check"), &value).unwrap();
    let findings = value["findings"].as_array().unwrap().clone();
    (output.status.success(), findings, said)
}

/// The facts that both ways have to agree about. Addresses are others in each run.
fn essence(finding: &Value) -> Vec<Value> {
    let access = &finding["access"];
    let allocation = &access["allocation"];
    let mut all: Vec<Value> = [
        "kind",
        "message",
        "function",
        "target",
        "fingerprint",
        "listing",
    ]
    .iter()
    .map(|key| finding[key].clone())
    .collect();
    all.extend(["offset", "text", "source"].map(|key| finding["consumer"][key].clone()));
    all.extend(["write", "workgroup", "wave", "lane"].map(|key| access[key].clone()));
    all.extend(
        [
            "size",
            "kind",
            "with",
            "position",
            "allocated_by",
            "freed_by",
        ]
        .map(|key| allocation[key].clone()),
    );
    all
}

/// The ways that find a bug.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finder {
    Both,
    /// Hooks do not look at it, and say so.
    Device,
    /// It is a call, at which hooks do not look. On a GPU it damages the heap.
    DeviceAtCalls,
}

/// A wrong access of the corpus: what has to be found.
struct Expected<'t> {
    finder: Finder,
    program: &'t str,
    mode: &'t str,
    kernel: &'t str,
    place: &'t str,
    kind: &'t str,
}

impl Expected<'_> {
    /// Returns `true` if this is the finding. Where functions were inlined, the place may be that of a caller.
    fn is(&self, finding: &Value) -> bool {
        let sources = finding["consumer"]["source"].as_array();
        let sources = sources.into_iter().flatten().filter_map(Value::as_str);
        finding["kind"] == self.kind
            && finding["function"]
                .as_str()
                .unwrap()
                .starts_with(&format!("{}(", self.kernel))
            && sources.map(file_name).any(|place| place == self.place)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// The rows of the corpus for a target.
fn corpus(target: &str) -> Vec<Expected<'static>> {
    let lines = CORPUS.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [program, mode, kernel, place, kind, who, targets] = fields[..] else {
            panic!("{line}");
        };
        let finder = match who {
            "both" => Finder::Both,
            "device" => Finder::Device,
            "frees" => Finder::DeviceAtCalls,
            _ => panic!("{line}"),
        };
        (targets == "all" || targets == target).then_some(Expected {
            finder,
            program,
            mode,
            kernel,
            place,
            kind,
        })
    });
    rows.collect()
}

/// The checker's rules, by kind, instruction and message of their findings. The corpus fails without any of them.
const RULES: &[[&str; 3]] = &[
    ["out-of-bounds", "global_", "allocation"],
    ["out-of-bounds", "flat_", "allocation"],
    ["out-of-bounds", "flat_", "of LDS"],
    ["out-of-bounds", "flat_", "of scratch"],
    ["out-of-bounds", "ds_", "of LDS"],
    ["out-of-bounds", "scratch_", "of scratch"],
    ["out-of-bounds", "s_load_", "allocation"],
    ["out-of-bounds", "s_buffer_load_", "allocation"],
    ["out-of-bounds", "buffer_store_", "allocation"],
    ["out-of-bounds", "image_load", "allocation"],
    ["out-of-bounds", "image_store", "allocation"],
    ["out-of-bounds", "image_sample", "allocation"],
    ["out-of-bounds", "global_atomic_", "allocation"],
    ["misaligned", "global_atomic_", ""],
    ["after-free", "global_", "freed"],
    ["freed-twice", "s_swappc_", "freed before"],
    ["wrong-free", "s_swappc_", "into an allocation"],
    ["wrong-free", "s_swappc_", "made with"],
    ["wrong-free", "s_swappc_", "no `malloc`"],
];

/// Returns `true` if the finding comes from this rule.
fn is_of(rule: &[&str; 3], finding: &Value) -> bool {
    let [kind, instruction, words] = rule;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    finding["kind"] == *kind
        && text(&finding["consumer"]["text"]).starts_with(instruction)
        && text(&finding["message"]).contains(words)
}

/// Compares the findings of hooks with those of the device, and returns what is wrong.
fn compared_by_hooks(target: &str, expected: &Expected<'_>, by_device: &[Value]) -> Vec<String> {
    let mut problems = Vec::new();
    let Expected { program, mode, .. } = expected;
    let (_, by_hooks, said) = run(target, &["--hooks"], program, mode);
    let essences = |found: &[Value]| found.iter().map(essence).collect::<Vec<_>>();
    let wanted = match expected.finder {
        Finder::Both => essences(by_device),
        Finder::Device | Finder::DeviceAtCalls => Vec::new(),
    };
    if essences(&by_hooks) != wanted {
        problems.push(format!(
            "{program} {mode}: {said}\nby hooks: {by_hooks:#?}\nwanted: {wanted:#?}"
        ));
    }
    if expected.finder == Finder::Device && !said.contains("accesses that are not checked") {
        problems.push(format!("{program} {mode}: hooks do not say so: {said}"));
    }
    problems
}

/// Compares the findings of a row and of its twin on a target, and returns what is wrong. `all` gets the findings of the device.
fn compared(target: &str, expected: &Expected<'_>, all: &mut Vec<Value>) -> Vec<String> {
    let mut problems = Vec::new();
    let Expected { program, mode, .. } = expected;
    let (_, by_device, said) = run(target, &[], program, mode);
    if !matches!(&by_device[..], [one] if expected.is(one)) {
        problems.push(format!("{program} {mode}: {said} {by_device:#?}"));
    }
    let ways: &[&[&str]] = match expected.finder {
        Finder::DeviceAtCalls => &[&[]],
        Finder::Both | Finder::Device => {
            problems.extend(compared_by_hooks(target, expected, &by_device));
            &[&[], &["--hooks"]]
        }
    };
    let right = format!("{mode}-ok");
    for options in ways {
        let (passed, found, said) = run(target, options, program, &right);
        if !passed || !found.is_empty() {
            problems.push(format!("{program} {right} {options:?}: {said}"));
        }
    }
    all.extend(by_device);
    problems
}

/// Scalar loads, atomics, FLAT accesses to each memory, buffers, images, scratch by instructions of its own, memory that HIP divides, and two
/// objects with a kernel of one name.
fn both_ways_find_the_same(target: &str) {
    let rows = corpus(target);
    assert!(rows.len() >= 12, "{target}");
    let mut all = Vec::new();
    let problems: Vec<String> = rows
        .iter()
        .flat_map(|expected| compared(target, expected, &mut all))
        .collect();
    assert!(problems.is_empty(), "{target}: {}", problems.join("\n"));
    if target == "gfx90a" {
        for rule in RULES {
            let needed = all.iter().any(|finding| is_of(rule, finding));
            assert!(needed, "the corpus does not miss {rule:?}");
        }
    }
}

/// Further targets, which need a newer ROCm, come with `./dev rocm NAME --checks --device TARGET,...`.
#[test]
fn both_ways_find_what_the_corpus_says_and_right_twins_are_silent() {
    let wanted = std::env::var("LUTHIER_TEST_DEVICES");
    let wanted = wanted.as_deref().unwrap_or("gfx90a,gfx1030");
    std::thread::scope(|scope| {
        for target in wanted.split(',') {
            scope.spawn(move || both_ways_find_the_same(target));
        }
    });
}

/// The tool's own file has the same finding.
#[test]
fn the_tool_leaves_its_findings_as_json() {
    let (_, by_device, said) = run("gfx90a", &[], "beyond.hip", "end");
    let expected = &by_device[0];
    let folder = tempfile::tempdir().unwrap();
    let mut command = luthier(&["run", "--device", "gfx90a", "-t", "mem-check", "--output"]);
    let command = command.arg(folder.path()).arg("--");
    let command = command.arg(hip_for("gfx90a", "beyond.hip")).arg("end");
    assert!(command.output().unwrap().status.success(), "{said}");
    let mut files = fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap());
    let file = files.find(|one| {
        let name = one.file_name().into_string().unwrap();
        name.starts_with("mem-check.") && name.ends_with(".json")
    });
    let value: Value = serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap();
    check(&schema("mem-check"), &value).unwrap();
    let [found] = &value["accesses"].as_array().unwrap()[..] else {
        panic!("{value}");
    };
    assert_eq!(
        (
            &found["kind"],
            &found["kernel"],
            &found["pc"],
            &found["text"]
        ),
        (
            &expected["kind"],
            &expected["symbol"],
            &expected["consumer"]["address"],
            &expected["consumer"]["text"]
        )
    );
    let access = &expected["access"];
    for key in ["workgroup", "wave", "lane"] {
        assert_eq!(found[key], access[key], "{key}: {value}");
    }
}

#[test]
fn hooks_are_silent_where_nothing_is_wrong() {
    let (passed, found, said) = run("gfx90a", &["--hooks"], "divided.hip", "legal");
    assert!(passed && found.is_empty(), "{said}");
}

/// Functions of the heap are ordinary code. On gfx90a some kernels leave no SGPR: returns do without, and jumps to pointers borrow some.
#[test]
fn hooks_look_at_kernels_that_leave_no_registers() {
    for (target, name, mode, part) in [
        (
            "gfx1030",
            "heap.hip",
            "lanes-ok",
            "1 instrumented, 0 refused",
        ),
        ("gfx90a", "heap.hip", "end-ok", "1 instrumented, 0 refused"),
        (
            "gfx90a",
            "heap.hip",
            "lanes-ok",
            "1 instrumented, 0 refused",
        ),
        ("gfx90a", "full.hip", "direct", "1 instrumented, 0 refused"),
        ("gfx90a", "full.hip", "pointed", "1 instrumented, 0 refused"),
    ] {
        let (passed, found, said) = run(target, &["--hooks"], name, mode);
        let is_as_expected = passed && found.is_empty() && said.contains(part);
        assert!(is_as_expected, "{target} {name} {mode}: {said} {found:#?}");
    }
}

/// On each target, hooks look at the store alone.
#[test]
fn hooks_leave_out_loads_of_arguments() {
    for target in ["gfx90a", "gfx1030", "gfx1100"] {
        let processor = format!("-mcpu={target}");
        let flags = ["--target=amdgcn-amd-amdhsa", &processor, "-nogpulib", "-O2"];
        let object = compile("clang-22", "given.cl", &flags);
        let mut command = luthier(&["instrument", "-t", "mem-check", "-o", "/dev/null"]);
        let output = command.arg(object).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("2 instrumented at 2 places"), "{said}");
    }
}

#[test]
fn hooks_look_for_wrong_accesses_alone() {
    for options in [&["--hooks"][..], &["--memory", "--waits", "--hooks"]] {
        let output = luthier(&["check"])
            .args(options)
            .args(["--", "true"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}");
    }
}

/// The hooks' findings are written when a process ends by itself. The summary names a process that does not, and `--complete` then ends
/// with 3.
#[test]
fn processes_whose_findings_are_lost_are_not_checked() {
    for (program, argument, lost) in [
        ("goes_on.hip", "/bin/true", true),
        ("raced.hip", "missing-ok", false),
    ] {
        let mut command = luthier(&["check", "--memory", "--hooks", "--complete"]);
        command.args(["--device", "gfx90a", "--"]);
        command.arg(hip_for("gfx90a", program)).arg(argument);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let expected = if lost { 3 } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "{program}: {said}");
        let told = said.contains("\nnot checked: a process that was killed or left by ");
        assert_eq!(told, lost, "{program}: {said}");
    }
}
